"""What people import and type: the Python SDK and the `fathom` command."""
