"""Question answering as the reference draws it (qa.py)."""

from __future__ import annotations

import math

from benchmarks.ruler.documents import Documents
from benchmarks.ruler.reference.search import binary_search, linear_search, until_it_fits
from benchmarks.ruler.reference.state import Made, Record, Run, State, fill, record

_STEP = 10


class ReferenceQuestions:
    """Draws samples one after the other. Sample i asks question i of the file."""

    def __init__(self, run: Run, documents: Documents) -> None:
        self.run, self.documents = run, documents
        self._mark = run.language.template("qa", run.profile).answer_prefix[:10]
        self.order = list(range(len(documents.texts)))  # `paper` shuffles the documents themselves

    def prepare(self, state: State) -> int:
        """Find the number of documents, always with question 0."""
        run = self.run

        def cost(size: int) -> int:
            return run.count(self._make(state, 0, size).text) + run.max_tokens

        if run.profile == "head":
            first = run.count(self._make(state, 0, _STEP).text)
            return binary_search(cost, first, run.limit, _STEP)

        def paper_cost(size: int) -> int:
            made = self._make(state, 0, size)
            return run.count(f"{made.text} {made.outputs}") + run.max_tokens

        return linear_search(paper_cost, run.limit, _STEP, run.max_tokens, self._cap)

    def draw(self, state: State, size: int, index: int) -> Record:
        """The next sample."""
        run = self.run

        def make(used: int) -> tuple[int, Made]:
            made = self._make(state, index, used)
            return run.count(made.text) + run.max_tokens, made

        length, made = until_it_fits(make, size, run.limit, _STEP)
        assert isinstance(made, Made)
        return record(made, self._mark, length, index)

    def _cap(self, size: int) -> int | None:
        return len(self.order) if size + _STEP > len(self.order) else None

    def _make(self, state: State, index: int, size: int) -> Made:
        question = self.documents.question(index)
        chosen = self._chosen(state, question.context, question.more, size)
        language = self.run.language
        texts = [
            language.document.format(i=number, document=self.documents.texts[document])
            for number, document in enumerate(chosen, 1)
        ]
        text, span = fill(self.run.template("qa"), "\n\n".join(texts), query=question.query)
        return Made(text, question.outputs, span)

    def _chosen(self, state: State, context: list[int], more: list[int], size: int) -> list[int]:
        """Numbers of the documents of a prompt, shuffled."""
        total = len(self.order)
        if size < total:
            if size - len(context) > len(more):
                given = {*context, *more}
                pool = [number for number in range(total) if number not in given]
                chosen = context + more + state.random.sample(pool, max(0, size - len(context) - len(more)))
            else:
                chosen = context + state.random.sample(more, size - len(context))
            chosen = [self.order[number] for number in chosen]
        elif self.run.profile == "head":
            chosen = (self.order * math.ceil(size / total))[:size]
        else:
            chosen = self.order
        self.run.fixed().shuffle(chosen)
        return chosen
