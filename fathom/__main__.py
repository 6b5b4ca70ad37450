"""`python -m fathom` is the `fathom` command."""

from fathom.cli import main

main(prog_name="fathom")
