"""The reference's random stream as a source of samples."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from benchmarks.base import Cell, JsonDict, Prompt, Resources, Sample
from benchmarks.errors import MissingAsset, OptionsError
from benchmarks.ruler import languages
from benchmarks.ruler.counting import RememberingCounter
from benchmarks.ruler.files import Files
from benchmarks.ruler.fitting import Meter, TooSmall
from benchmarks.ruler.niah import NiahParameters
from benchmarks.ruler.options import RulerOptions, TaskSettings, settings
from benchmarks.ruler.reference.common_words import CommonWords, ReferenceCommonWords
from benchmarks.ruler.reference.essays import ReferenceEssays
from benchmarks.ruler.reference.frequent_words import CodedWords, ReferenceCodedWords
from benchmarks.ruler.reference.niah import ReferenceNiah
from benchmarks.ruler.reference.question_answering import ReferenceQuestions
from benchmarks.ruler.reference.run import DataSet, Drawer
from benchmarks.ruler.reference.state import Record, Run
from benchmarks.ruler.reference.variable_tracking import ReferenceTracking
from benchmarks.ruler.words import SortedPairs


class ReferenceSource:
    """Samples of the reference's data sets. Sample i of a cell needs those before it once; any order works."""

    def __init__(self, options: RulerOptions, resources: Resources) -> None:
        self.options, self.resources = options, resources
        self.language = languages.load(options.language)
        self.files = Files(resources)
        self.meter = Meter(resources.counter, self.files.cache)
        self._counter = RememberingCounter(self.meter)
        self._lock = threading.Lock()
        self._sets: dict[tuple[str, int], DataSet] = {}
        self._pairs: SortedPairs | None = None
        self._essays: ReferenceEssays | None = None
        self._details: dict[str, JsonDict] = {}

    def check(self, cell: Cell) -> None:
        """Raise OptionsError when the first sample can't be made."""
        self.sample(cell, 0)

    def sample(self, cell: Cell, index: int) -> Sample:
        """Sample `index` of the reference's data set. Raises OptionsError where the reference would try for ever."""
        task = settings(self.options, cell.task)
        try:
            made = self._set(cell, task).sample(index)
        except TooSmall as small:
            least = small.needed + self.options.buffer
            message = f"too short for {cell.task} (sample {index}): with this tokenizer at least {least}"
            raise OptionsError("lengths", cell.length, message) from small
        return self._sample(cell, task, made)

    def _sample(self, cell: Cell, task: TaskSettings, made: Record) -> Sample:
        start, stop = made.context
        stopped = stop + len(made.input[stop:]) - len(made.input[stop:].lstrip("\n"))
        prompt = Prompt(made.input, made.answer_prefix, None, (start, stop), (stopped, len(made.input)))
        tokens = made.length - task.output_tokens
        if self.options.profile == "paper" and task.task.family == "vt":  # its length counts another example
            tokens = self._counter.count(prompt.text)
        detail: JsonDict = {"index": made.index, "length": made.length, **self._details[cell.task]}
        if made.token_position_answer is not None:
            detail["token_position_answer"] = made.token_position_answer
        if made.needles:
            detail["needles"] = made.needles
        return Sample(prompt, tuple(made.outputs), task.output_tokens, tokens, detail)

    def _set(self, cell: Cell, task: TaskSettings) -> DataSet:
        with self._lock:
            key = (cell.task, cell.length)
            if key not in self._sets:
                options = self.options
                limit = cell.length - options.buffer
                run = Run(self.language, options.profile, options.template(), limit, task.output_tokens, options.seed,
                          self._counter.count)  # fmt: skip
                self._sets[key] = DataSet(self._drawer(run, task), options.seed)
            return self._sets[key]

    def _drawer(self, run: Run, task: TaskSettings) -> Drawer:
        options, family, detail = self.options, task.task.family, self._details.setdefault(task.task.name, {})
        if family == "niah":
            return self._niah(run, task, detail)
        if family == "vt":
            return ReferenceTracking(run, options.num_chains, options.num_hops)
        if family == "cwe":
            words = self.language.words("list")
            detail["words"] = [words.named()]
            parameters = CommonWords(options.freq_cw, options.freq_ucw, options.num_cw)
            return ReferenceCommonWords(run, words.words, parameters, self._english_words)
        if family == "fwe":
            return ReferenceCodedWords(run, CodedWords(options.alpha, options.coded_wordlen, options.vocab_size))
        role = task.task.dataset or ""
        detail.update(self.files.describe(role))
        return ReferenceQuestions(run, self.files.documents(role))

    def _niah(self, run: Run, task: TaskSettings, detail: JsonDict) -> Drawer:
        parameters = NiahParameters(
            task.haystack or "noise", task.key_kind, task.value_kind, task.keys, task.values, task.queries
        )
        lists = [self.language.words("first"), self.language.words("second")]
        if self._pairs is None:
            self._pairs = SortedPairs(lists[0].words, lists[1].words)
        detail["words"] = [words.named() for words in lists]
        if task.haystack != "essay":
            return ReferenceNiah(run, parameters, self._pairs, None)
        detail.update(self.files.describe("essays"))
        if self._essays is None:
            layout = self.files.essays(self.language.splitter, self.meter)
            self._essays = ReferenceEssays(self.files.essay_text(), self.language.splitter, layout)
        return ReferenceNiah(run, parameters, self._pairs, self._essays)

    def _english_words(self) -> Sequence[str]:
        words = self.files.english_words()
        if words is None:
            raise MissingAsset("english_words", "the reference draws from it at this length; add english_words.json")
        return words
