"""The token counter of a job: a tokenizer asset, or the model server's own tokenizer behind its `/tokenize`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.base import TokenCounter
from benchmarks.tokenizers import load_tokenizer
from protocol.workers import JobSpec
from workers.errors import CallError
from workers.fingerprints import fingerprint
from workers.server_tokens import ServerCounter, find_tokenizer
from workers.targets import Targets

COUNT_SECONDS = 300.0


class BridgedCounter:
    """A server's tokenizer for threads that build samples: each count is a call made on the worker's event loop."""

    def __init__(self, counter: ServerCounter, loop: asyncio.AbstractEventLoop, model: str) -> None:
        self._counter, self._loop = counter, loop
        self.identity = f"server:{model}"

    def count(self, text: str) -> int:
        """Tokens of the text. Raises CallError when the server does not say."""
        future = asyncio.run_coroutine_threadsafe(self._counter.count(text), self._loop)
        try:
            return future.result(COUNT_SECONDS)
        except TimeoutError as error:
            future.cancel()
            raise CallError("timeout", f"{self._counter.path} gave no count within {COUNT_SECONDS:.0f} s") from error


async def open_counter(spec: JobSpec, tokenizer: Path | None, targets: Targets) -> TokenCounter:
    """The counter that the job's model names. Raises CallError when there is none."""
    if tokenizer is not None:
        return await asyncio.to_thread(load_tokenizer, tokenizer)
    reference = spec.model.tokenizer
    if reference is None or reference.kind != "server":
        raise CallError("benchmark", f"model {spec.model_name!r} has no tokenizer", permanent=True)
    target = await targets.open(spec.model, spec.model_facts)
    counter = await find_tokenizer(target, await fingerprint(target), target.model_id)
    if counter is None:
        message = f"the server of model {spec.model_name!r} has no tokenizer that answers: name a tokenizer asset"
        raise CallError("benchmark", message, permanent=True)
    return BridgedCounter(counter, asyncio.get_running_loop(), spec.model_name)
