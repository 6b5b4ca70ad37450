"""`fathom languages`: the list, and the check of a file for a new language."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from click.testing import CliRunner

from fathom.cli import main

DANISH = (files("benchmarks.ruler.languages") / "da.toml").read_text(encoding="utf-8")


def test_the_list_names_languages_reviews_and_word_lists() -> None:
    result = CliRunner().invoke(main, ["languages", "list", "--json"])
    rows = {row["code"]: row for row in json.loads(result.stdout)}
    assert set(rows) == {"da", "de", "en", "es", "fr"}
    assert (rows["da"]["reviewed"], rows["de"]["reviewed"]) == (True, False)
    assert rows["da"]["words"].startswith("wordfreq 3.1.1 da")
    assert len(rows["da"]["words_sha256"]) == 64
    assert "Dansk" in CliRunner().invoke(main, ["languages", "list"]).stdout


def test_a_language_is_shown_as_its_file_to_begin_another_with() -> None:
    assert CliRunner().invoke(main, ["languages", "show", "da"]).stdout == DANISH
    assert json.loads(CliRunner().invoke(main, ["languages", "show", "da", "--json"]).stdout)["name"] == "Dansk"
    unknown = CliRunner().invoke(main, ["languages", "show", "tlh"])
    assert (unknown.exit_code, "da, de, en, es, fr" in unknown.stderr) == (2, True)


def test_a_good_file_is_in_order(tmp_path: Path) -> None:
    file = tmp_path / "da.toml"
    file.write_text(DANISH, encoding="utf-8")
    result = CliRunner().invoke(main, ["languages", "check", str(file)])
    assert (result.exit_code, result.stdout) == (0, f"{file}: in order\n")


def test_a_bad_file_ends_with_exit_code_2_and_a_line_a_problem(tmp_path: Path) -> None:
    file = tmp_path / "da.toml"
    file.write_text(
        DANISH.replace('splitter = "danish"', 'splitter = "klingon"').replace("{value}", "{vaerdi}"), "utf-8"
    )
    result = CliRunner().invoke(main, ["languages", "check", str(file)])
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert f"{file}: needle: placeholder {{value}} is missing" in lines
    assert any(line.startswith(f"{file}: splitter: unknown 'klingon'; there are: czech, danish") for line in lines)
    as_json = CliRunner().invoke(main, ["languages", "check", "--json", str(file)])
    assert as_json.exit_code == 2
    report = json.loads(as_json.stdout)
    assert (report["ok"], len(report["problems"])) == (False, len(lines))
