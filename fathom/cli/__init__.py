"""The `fathom` command. Commands are imported when they are called, so that `fathom --help` answers at once."""

from __future__ import annotations

import click

from fathom.cli.lazy import LazyCommand, LazyGroup

COMMANDS: dict[str, dict[str, LazyCommand]] = {
    "Run the service": {
        "up": LazyCommand("fathom.cli.up:up", "Start everything here: database, service, dashboard, workers."),
        "serve": LazyCommand("fathom.cli.serve:serve", "Start the service alone, on the Postgres of DATABASE_URL."),
        "migrate": LazyCommand(
            "fathom.cli.serve:migrate", "Bring the database of DATABASE_URL to this version's schema."
        ),
        "worker": LazyCommand(
            "fathom.cli.worker:worker", "Start a worker on any machine; list, deploy and stop workers."
        ),
        "health": LazyCommand("fathom.cli.serve:health", "Say whether a service and its database answer."),
        "login": LazyCommand("fathom.cli.serve:login", "Save the token of a service for this user."),
    },
    "Say what to ask": {
        "model": LazyCommand("fathom.cli.model:model", "Register models, look at them, change and probe them."),
        "assets": LazyCommand("fathom.cli.assets:assets", "Install and list corpora, tokenizers and word lists."),
        "benchmarks": LazyCommand("fathom.cli.submit:benchmarks", "List the benchmarks and their tasks."),
    },
    "Evaluate": {
        "submit": LazyCommand("fathom.cli.submit:submit", "Submit a job: a benchmark with options, run on one model."),
        "jobs": LazyCommand("fathom.cli.jobs:jobs", "List jobs, newest first."),
        "watch": LazyCommand("fathom.cli.watch:watch", "Follow a job until it is finished."),
        "results": LazyCommand("fathom.cli.results:results", "A job's scores as a table, or its results as files."),
        "summary": LazyCommand(
            "fathom.cli.results:summary", "What a job's results say: means, effective length, verdicts."
        ),
        "show": LazyCommand("fathom.cli.show:show", "A job as it stands, or one of its samples with every attempt."),
    },
    "Steer jobs": {
        "pause": LazyCommand("fathom.cli.jobs:pause", "Hand out no more samples of a job."),
        "resume": LazyCommand("fathom.cli.jobs:resume", "Go on with a paused job."),
        "cancel": LazyCommand("fathom.cli.jobs:cancel", "End a job; its results stay."),
        "retry": LazyCommand("fathom.cli.jobs:retry", "Ask failed or chosen samples again; good results stay."),
        "extend": LazyCommand("fathom.cli.jobs:extend", "Add samples, lengths or tasks to a job."),
        "clone": LazyCommand("fathom.cli.jobs:clone", "Submit a copy of a job with changes."),
        "set": LazyCommand("fathom.cli.jobs:change", "Change a job's priority, concurrency, retries or name."),
    },
    "Work without a service": {
        "samples": LazyCommand("fathom.cli.samples:samples", "Write a benchmark's samples as JSONL."),
        "score": LazyCommand("fathom.cli.score:score", "Score a file of predictions."),
        "languages": LazyCommand("fathom.cli.languages:languages", "List languages, check a file for a new one."),
    },
}


@click.command(
    cls=LazyGroup,
    sections=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="First steps: `fathom up` in one terminal; in another `fathom model add NAME --api openai-chat --base-url URL "
    "--tokenizer tokenizer.json`, `fathom assets install ruler`, `fathom submit ruler --model NAME --watch`.",
)
@click.version_option(None, "-V", "--version", package_name="fathom-eval", message="fathom %(version)s")
def main() -> None:
    """Fathom measures how deep a language model's context really goes.

    Submit long-context benchmarks to a service, let workers on any machine ask the models, and read scores that are
    measurements: what failed or was cut is shown beside the mean, never in it.

    Every command takes --json. Commands that talk to a service take --server and --token (or FATHOM_SERVER and
    FATHOM_TOKEN). Exit codes: 0 done, 1 it failed, 2 the input cannot work; one line on stderr says why.
    """
