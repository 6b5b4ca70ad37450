"""Prompts, built again from what a job stores. Nothing but their SHA-256 is kept."""

from __future__ import annotations

import hashlib

from sqlalchemy.ext.asyncio import AsyncConnection

from benchmarks.base import Cell, Sample
from benchmarks.errors import BenchmarkError
from protocol.results import PromptText
from service import results
from service.errors import Conflict
from service.jobs import JobRow
from service.sources import TOKENIZER, Sources, SourceSpec
from service.submission import benchmark_of, parse_options


async def rebuild(connection: AsyncConnection, sources: Sources, job: JobRow, cell: int, index: int) -> Sample:
    """Build a sample again. Raises NotFound, Conflict when it can't be built here any more."""
    where = await results.cell_of(connection, job, cell)
    results.check_index(job, where, index)
    benchmark = benchmark_of(job.data["benchmark"])
    if benchmark.version != job.data["benchmark_version"]:
        raise Conflict(
            f"job {job.public_id} was made with version {job.data['benchmark_version']} of {benchmark.name}; this is "
            f"version {benchmark.version}, which may build other prompts"
        )
    assets = dict(job.data["assets"])
    if TOKENIZER not in assets:
        raise Conflict("the tokenizer is the model server's own, so only a worker can build this prompt again")
    options = parse_options(benchmark, job.data["options"])
    spec = SourceSpec(benchmark, options, assets, dict(job.data["asset_names"]), job.overhead_tokens)
    try:
        return await sources.sample(spec, Cell(where.task, where.length, where.size, where.variant), index)
    except BenchmarkError as error:
        raise Conflict(f"the prompt can't be built again: {error}") from error


def as_bytes(text: str) -> bytes:
    """A prompt as it is hashed and counted; lone surrogates, which a dataset may hold, do not stop it."""
    return text.encode("utf-8", "surrogatepass")


def sha256_of(sample: Sample) -> str:
    """The hash that workers store: of input and answer prefix as one text in UTF-8."""
    return hashlib.sha256(as_bytes(sample.prompt.text)).hexdigest()


def shown(job: str, cell: int, index: int, sample: Sample, stored: str | None, head: int, tail: int) -> PromptText:
    """Head and tail of a prompt, in bytes, cut between characters."""
    body = as_bytes(sample.prompt.input)
    sha256 = sha256_of(sample)
    whole = len(body) <= head + tail
    return PromptText(
        job=job,
        cell=cell,
        index=index,
        sha256=sha256,
        matches=None if stored is None else stored == sha256,
        bytes=len(as_bytes(sample.prompt.text)),
        tokens=sample.tokens,
        head=piece(body, 0, len(body) if whole else head),
        tail="" if whole else piece(body, len(body) - tail, len(body)),
        system=sample.prompt.system,
        answer_prefix=sample.prompt.answer_prefix,
    )


def piece(body: bytes, start: int, stop: int) -> str:
    """Bytes start to stop of a UTF-8 text, without the parts of characters at either end."""
    return body[max(start, 0) : stop].decode("utf-8", "ignore")
