"""Submit jobs; one subcommand a benchmark, its options made from the benchmark's own definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from fathom.cli.checking import checked
from fathom.cli.common import (
    connect,
    json_option,
    json_pairs,
    key_values,
    print_json,
    print_table,
    server_options,
    warn,
)
from fathom.cli.options import options_of, values_of
from fathom.cli.retrying import retry_options, retry_policy
from fathom.errors import FathomError

if TYPE_CHECKING:
    from fathom.sync import SyncClient
    from protocol.jobs import Job, JobRequest

_RUN_HELP = {
    "thinking_budget": "Tokens added to the answer budget for thinking.",
    "canary": "Put a code word at the very start of each prompt, which proves truncation.",
    "count_invalid": "`zero` counts what is no measurement as 0, and says so beside the score.  [default: exclude]",
    "allow_overflow": "Accept lengths beyond the model's probed window.",
    "answer_prefix": "Where the benchmark's answer prefix goes: end of the prompt, start of the answer, nowhere.  "
    "[default: suffix]",
}


class BenchmarkGroup(click.Group):
    """`fathom submit BENCHMARK`: benchmarks installed here, else those that the service knows."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from benchmarks.registry import names

        return names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from benchmarks import registry
        from benchmarks.errors import UnknownBenchmark

        try:
            benchmark = registry.get(cmd_name)
        except UnknownBenchmark as error:
            detail = _from_service(cmd_name)
            if detail is None:
                raise click.UsageError(str(error), ctx) from error
            return _command(cmd_name, *detail)
        return _command(cmd_name, benchmark.title, benchmark.options_model.model_json_schema())


class SectionedCommand(click.Command):
    """A command whose help shows its options in sections."""

    def __init__(self, name: str, *, sections: Mapping[str, Sequence[click.Parameter]], **more: Any) -> None:
        super().__init__(name, params=[p for params in sections.values() for p in params], **more)
        self.sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        shown = {id(p) for params in self.sections.values() for p in params}
        others = [p for p in self.get_params(ctx) if id(p) not in shown]
        for title, params in {**self.sections, "Other": others}.items():
            records = [record for p in params if (record := p.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)


@click.group(cls=BenchmarkGroup, subcommand_metavar="BENCHMARK [OPTIONS]...")
def submit() -> None:
    """Submit a job: a benchmark with options, run on one model.

    `fathom submit BENCHMARK --help` shows the benchmark's options. Impossible options are refused before anything is
    queued.
    """


@click.command()
@server_options
@json_option
def benchmarks(server: str | None, token: str | None, as_json: bool) -> None:
    """List the benchmarks the service knows, with their tasks."""
    with connect(server, token) as client:
        found = client.benchmarks()
    if as_json:
        print_json(found)
    else:
        rows = [[b.name, b.version, b.title, " ".join(b.tasks)] for b in found]
        print_table(["benchmark", "version", "title", "tasks"], rows)


def _from_service(name: str) -> tuple[str, dict[str, Any]] | None:
    """Title and options schema of a benchmark that only the service has; None when it does not, or does not answer."""
    try:
        with connect(None, None) as client:
            detail = client.benchmark(name)
    except FathomError:
        return None
    return detail.title, detail.options_schema


def _command(name: str, title: str, schema: dict[str, Any]) -> click.Command:
    """The command that submits a job of one benchmark."""
    own = options_of(schema)

    def callback(**given: Any) -> None:
        options = values_of(schema, given)
        request = _request(name, options, given)
        with connect(given["server"], given["token"]) as client:
            job = client.submit_request(request, idempotency_key=given["idempotency_key"])
            _submitted(client, job, watching=given["watching"], as_json=given["as_json"])

    command = SectionedCommand(
        name,
        sections={"Job": _job_options(), "Benchmark": own, "How samples are asked": _run_options()},
        callback=callback,
        help=f"{title}\n\nLists are comma separated; lengths may be written 4k or 1m.",
    )
    return json_option(server_options(command))


def _job_options() -> list[click.Parameter]:
    return [
        click.Option(["--model"], required=True, help="Name of a registered model (`fathom model list`)."),
        click.Option(["--watch", "watching"], is_flag=True, help="Follow the job until it is finished."),
        click.Option(["--name", "job_name"], help="Name shown in lists."),
        click.Option(["--label", "labels"], multiple=True, metavar="KEY=VALUE", callback=key_values, help="A label."),
        click.Option(["--priority"], type=click.IntRange(-1000, 1000), help="Higher goes first."),
        click.Option(["--max-concurrency"], type=click.IntRange(min=1), help="Calls in flight over all workers."),
        *retry_options(),
        click.Option(["--idempotency-key"], help="The same key and request give the same job again."),
    ]


def _run_options() -> list[click.Parameter]:
    return [
        click.Option(["--thinking-budget"], type=click.IntRange(min=0), help=_RUN_HELP["thinking_budget"]),
        click.Option(["--canary"], is_flag=True, help=_RUN_HELP["canary"]),
        click.Option(["--count-invalid"], type=click.Choice(["exclude", "zero"]), help=_RUN_HELP["count_invalid"]),
        click.Option(["--allow-overflow"], is_flag=True, help=_RUN_HELP["allow_overflow"]),
        click.Option(
            ["--answer-prefix"], type=click.Choice(["suffix", "prefill", "none"]), help=_RUN_HELP["answer_prefix"]
        ),
        click.Option(
            ["--generation"],
            multiple=True,
            metavar="KEY=JSON",
            callback=json_pairs,
            help="Override a generation parameter of the model, e.g. temperature=0.7.",
        ),
        click.Option(["--debug"], is_flag=True, help="Keep prompt head and tail of the first sample of each cell."),
    ]


def _request(benchmark: str, options: dict[str, Any], given: dict[str, Any]) -> JobRequest:
    from protocol.jobs import JobRequest, RetryPolicy, Run

    run_fields = (*_RUN_HELP, "generation", "debug")
    run = {k: given[k] for k in run_fields if given[k] not in (None, False, {})}
    fields: dict[str, Any] = {"name": given["job_name"], "labels": given["labels"], "priority": given["priority"]}
    fields["max_concurrency"] = given["max_concurrency"]
    chosen = {k: v for k, v in fields.items() if v is not None and v != {}}
    with checked():
        if policy := retry_policy(given):
            chosen["retry"] = RetryPolicy(**policy)
        return JobRequest(benchmark=benchmark, model=given["model"], options=options, run=Run(**run), **chosen)


def _submitted(client: SyncClient, job: Job, *, watching: bool, as_json: bool) -> None:
    if as_json and not watching:
        print_json(job)
        return
    if not as_json:
        click.echo(f"job {job.id}: {job.counts.planned} samples queued")
    if not watching:
        for warning in job.warnings:
            warn(warning)
        click.echo(f"follow it with: fathom watch {job.id}")
    else:
        from fathom.cli.watch import follow

        follow(client, job.id, as_json=as_json)
