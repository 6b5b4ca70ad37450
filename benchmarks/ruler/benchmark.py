"""RULER as a benchmark: cells, assets, samples, scores and summary."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from benchmarks.base import AssetNeed, Block, Cell, CellScores, JsonDict, Resources, Sample, Score, Source
from benchmarks.errors import MissingAsset
from benchmarks.ruler import languages
from benchmarks.ruler.checks import check
from benchmarks.ruler.corpora import RULER_DOWNLOADS, collection_with
from benchmarks.ruler.options import RulerOptions, settings
from benchmarks.ruler.scoring import Normalise, depth_bin, matched
from benchmarks.ruler.tasks import TASKS


class Ruler:
    """RULER (Hsieh et al. 2024, arXiv:2404.06654), profiles `head` (c3f5e3b) and `paper` (b28e81a)."""

    name = "ruler"
    version = "1"
    title = "RULER: retrieval, tracing, aggregation and question answering over long contexts"
    options_model: type[BaseModel] = RulerOptions
    grouped = True

    def tasks(self) -> Sequence[str]:
        return tuple(TASKS)

    def cells(self, options: RulerOptions) -> list[Cell]:
        """Length by length, task by task, then depth by depth: prompts with a common beginning follow each other."""
        check(options)
        cells: list[Cell] = []
        for length in options.lengths:
            for task in options.tasks:
                if options.depths is not None and TASKS[task].family == "niah":
                    cells += [Cell(task, length, options.samples, {"depth": _plain(depth)}) for depth in options.depths]
                else:
                    cells.append(Cell(task, length, options.samples))
        return cells

    def needs(self, options: RulerOptions) -> list[AssetNeed]:
        """Essays for an essay haystack, the data sets of the QA tasks, and, when registered, the reference's long
        English word list for cwe."""
        tasks = [settings(options, name) for name in options.tasks]
        needs = [] if options.language in languages.names() else [_language(options.language)]
        if any(task.haystack == "essay" for task in tasks):
            needs.append(_need(options, "essays", "corpus"))
        needs += [_need(options, t.task.dataset, "dataset") for t in tasks if t.task.dataset]
        if options.language == "en" and options.profile == "head" and "cwe" in options.tasks:
            needs.append(_english_words(options))
        return needs

    def open(self, options: RulerOptions, resources: Resources) -> Source:
        """Load words, corpora and the tokenizer. Raises MissingAsset when a needed file was not given."""
        from benchmarks.ruler.sources import open_source  # numpy and the sentence splitter take their time

        for need in self.needs(options):
            if need.role not in resources.files and not need.optional:
                raise MissingAsset(need.role, f"no {need.kind} {need.name!r} was given; install it: {need.hint}")
        return open_source(options, resources)

    def score(self, options: RulerOptions, cell: Cell, sample: Sample, answer: str) -> Score:
        """string_match_all, or string_match_part for the QA tasks; the detail says which expected texts were found."""
        found = matched(answer, sample.expected, _normalise(options.language, sample))
        part = TASKS[cell.task].metric == "part"
        value = float(any(found)) if part else sum(found) / len(found)
        missing = [text for text, hit in zip(sample.expected, found, strict=True) if not hit]
        detail: JsonDict = {"found": sum(found), "of": len(found)}
        if value < 1:
            detail["missing"] = missing
        if "token_position_answer" in sample.detail:
            detail["group"] = depth_bin(sample)
        return Score(value, detail)

    def summarise(self, options: RulerOptions, cells: Sequence[CellScores]) -> list[Block]:
        from benchmarks.ruler.summary import summarise  # whoever only builds samples does without

        return summarise(options, cells)


def _plain(depth: float) -> float | int:
    """50, not 50.0: variants are shown, stored and compared as JSON."""
    return int(depth) if depth == int(depth) else depth


def _need(options: RulerOptions, role: str, kind: str) -> AssetNeed:
    """A file in the job's language; `fathom assets install ruler` has the English ones, and there may be an example."""
    standard = f"ruler-{role}-{options.language}"
    name: str = getattr(options, role) or standard
    if name in {download.name for download in RULER_DOWNLOADS}:
        return AssetNeed(role, kind, name, "fathom assets install ruler")
    if collection := collection_with(name):
        return AssetNeed(role, kind, name, f"fathom assets install {collection}")
    hint = f"fathom assets add {name} FILE --kind {kind}"
    example = f"ruler-{role}-example-{options.language}"
    if name == standard and (collection := collection_with(example)):
        flag = f"--{role} {example}"
        hint += f" (or try a small example: fathom assets install {collection}, then {flag})"
    return AssetNeed(role, kind, name, hint)


def _language(code: str) -> AssetNeed:
    """The file of a language that does not come with the package."""
    name = f"ruler-language-{code}"
    hint = (
        f"fathom assets add {name} {code}.toml --kind words (languages without a file: {', '.join(languages.names())})"
    )
    return AssetNeed("language", "words", name, hint)


def _normalise(code: str, sample: Sample) -> Normalise:
    """How answers are compared; of a language out of an asset the sample says it."""
    if code in languages.names():
        return languages.load(code).normalise
    found: Normalise = sample.detail["language"]["normalise"]
    return found


def _english_words(options: RulerOptions) -> AssetNeed:
    """The 370,101 words that the reference falls back to near 128K. No package ships them. Asked for by name they are
    needed; else they serve when they are registered."""
    name = options.english_words or "ruler-english-words"
    hint = f"fathom assets add {name} english_words.json --kind words (the file of the reference's repository)"
    return AssetNeed("english_words", "words", name, hint, optional=options.english_words is None)


BENCHMARK = Ruler()
