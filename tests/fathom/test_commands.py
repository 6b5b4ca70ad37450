"""Commands against a real service that has no worker: what can be done before and while samples wait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.fathom_up import Done, Up
from tests.support.small_tokenizer import write_small_tokenizer

SUBMIT = ("submit", "ruler", "--model", "own", "--tasks", "niah_single_1,niah_multikey_2", "--lengths", "512,1k")


@pytest.fixture(scope="module")
def model(up: Up, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A registered model that nobody can ask."""
    tokenizer = write_small_tokenizer(tmp_path_factory.mktemp("tokenizer"))
    add = ("model", "add", "own", "--api", "openai-chat", "--base-url", "http://127.0.0.1:9/v1")
    return up.fathom(
        *add, "--tokenizer", tokenizer, "--context-window", "8192", "--max-concurrency", "3", "--stop", "END",
        "--label", "gpu=h100", "--timeout", "connect=3", "--price", "input=1.5", "--price", "output=2",
        "--header", "X-Team=eval", "--top-p", "0.9", "--extra-body", '{"cache_prompt": true}', "--json",
    )  # fmt: skip


@pytest.fixture
def job(up: Up, model: Done) -> Iterator[str]:
    done = up.fathom(*SUBMIT, "--samples", "3", "--name", "waits", "--json")
    assert done.code == 0, done.err
    identity: Any = done.json
    yield identity["id"]
    up.fathom("cancel", identity["id"])


def test_every_flag_of_a_model_arrives_and_no_worker_is_only_a_warning(up: Up, model: Done) -> None:
    assert model.code == 0, model.err
    assert model.err.startswith("fathom: warning: not probed: ")
    found: Any = model.json
    spec = found["spec"]
    assert spec["context_window"] == 8192
    assert spec["limits"]["max_concurrency"] == 3
    assert spec["labels"] == {"gpu": "h100"}
    assert spec["headers"] == {"X-Team": "eval"}
    assert spec["timeouts"]["connect"] == 3
    assert (spec["price"]["input"], spec["price"]["output"]) == (1.5, 2)
    generation = spec["generation"]
    assert (generation["temperature"], generation["top_p"], generation["stop"]) == (0, 0.9, ["END"])
    assert generation["extra_body"] == {"cache_prompt": True}
    assert len(found["tokenizer_sha256"]) == 64


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["model", "add", "own", "--api", "openai-chat", "--base-url", "http://h/v1"], "own"),
        (["model", "add", "x", "--api", "openai-chat"], "base_url: must be the server's address"),
        (["model", "add", "x y", "--api", "command", "--command", "cat"], "name = 'x y': "),
        (["model", "add", "x", "--api", "command", "--command", "cat", "--timeout", "soon=3"], "timeouts.soon = 3: "),
        (["model", "add", "x", "--api", "command", "--command", "cat", "--tokenizer", "none"], "tokenizer = 'none': "),
        (["model", "add", "x", "--api", "command", "--command", "cat", "--tokenizer", "./no.json"], "no such file"),
        (["model", "add", "x", "--api", "command", "--command", "cat", "--tokenizer", "rich:t.json"], "has no file"),
        (["model", "add", "x", "--api", "command", "--command", '"cat'], "cannot be split into program and arguments"),
        (
            ["model", "add", "x", "--api", "command", "--command", "c", "--price", "input=1"],
            "price.output: must be given",
        ),
        (["model", "add", "x", "--api", "command", "--command", "c", "--api-key-env", "sk-1"], "not its value"),
        (["model", "set", "none", "--max-concurrency", "2"], "no model 'none'; there are: own"),
        (["model", "set", "own"], "nothing to change"),
        (["model", "set", "own", "--unset", "limits.nothing"], "limits.nothing"),
        (["results", "j", "--task", "vt"], "--task: only with --format jsonl or csv"),
        (["results", "j", "--output", "x"], "--output: only with --format jsonl or csv"),
        (["model", "show", "none"], "no model 'none'; there are: own"),
        (["submit", "ruler", "--model", "none"], "model = 'none': no model 'none'; there are: own"),
        ([*SUBMIT[:5], "niah_single_9"], "unknown task 'niah_single_9'; there are: niah_single_1"),
        ([*SUBMIT[:7], "128"], "options.lengths.0 = 128: "),
        ([*SUBMIT, "--samples", "0"], "options.samples = 0: "),
        ([*SUBMIT[:7], "9000"], "8,192 (as registered)"),
        (["submit", "ruler", "--model", "own", "--tasks", "qa_1"], "fathom assets install ruler"),
        (["watch", "nosuchjob1"], "nosuchjob1"),
        (["results", "nosuchjob1"], "nosuchjob1"),
        (["retry", "nosuchjob1"], "nosuchjob1"),
        (["assets", "remove", "none"], "none"),
        (["worker", "drain", "nobody"], "worker = 'nobody': no such worker"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line_that_says_what_would(
    up: Up, model: Done, arguments: list[str], says: str
) -> None:
    done = up.fathom(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("fathom: ")
    assert done.err.count("\n") == 1
    assert says in done.err


def test_a_wrong_token_is_refused(up: Up) -> None:
    done = up.home.fathom("jobs", environment={"FATHOM_SERVER": up.server, "FATHOM_TOKEN": "wrong"})
    assert done.code == 2
    assert done.err.startswith("fathom: the service does not know this token: give --token")


def test_the_token_is_saved_for_the_user_who_started_the_service(up: Up) -> None:
    assert up.home.fathom("jobs", "--server", up.server, "--json").json == up.fathom("jobs", "--json").json


def test_login_keeps_a_token_only_when_the_service_takes_it(up: Up) -> None:
    assert up.home.fathom("login", "--server", up.server, "--token", "wrong").code == 2
    done = up.home.fathom("login", "--server", up.server.replace("127.0.0.1", "localhost"), "--token", up.token)
    assert done.code == 0, done.err
    assert up.home.fathom("jobs", "--server", up.server).code == 0


def test_a_job_can_be_steered_while_it_waits(up: Up, job: str) -> None:
    def run(*arguments: str) -> Any:
        done = up.fathom(*arguments, "--json")
        assert done.code == 0, done.err
        return done.json

    assert run("pause", job)["state"] == "paused"
    assert run("set", job, "--priority", "7", "--retries", "2", "--name", "new", "--max-concurrency", "4")
    shown = run("show", job)
    assert (shown["priority"], shown["retry"]["max_attempts"], shown["name"]) == (7, 2, "new")
    changed = run("set", job, "--retry-base", "0.5", "--retry-max", "9")["retry"]
    assert changed == {"max_attempts": 2, "base_seconds": 0.5, "max_seconds": 9.0}
    assert shown["max_concurrency"] == 4
    assert run("set", job, "--max-concurrency", "0")["max_concurrency"] is None
    assert run("extend", job, "--samples", "5", "--lengths", "2k")["counts"]["planned"] == 30
    assert run("resume", job)["state"] == "running"
    copy = run("clone", job, "--option", "samples=1", "--name", "copy")
    assert (copy["counts"]["planned"], copy["name"]) == (6, "copy")
    assert run("cancel", copy["id"])["state"] == "cancelled"
    assert {j["id"] for j in run("jobs")} >= {job, copy["id"]}
    assert copy["id"] not in {j["id"] for j in run("jobs", "--state", "running")}
    assert {j["id"] for j in run("jobs", "--model", "own")} >= {job, copy["id"]}
    assert run("jobs", "--model", "another") == []


def test_what_a_command_can_tell_by_itself_is_refused_in_plain_words(up: Up, job: str) -> None:
    for arguments, says in (
        (["set", job, "--name", "x" * 201], "name = "),
        (["set", job, "--retry-max", "0"], "retry.max_seconds = 0.0: must be more than 0"),
        ([*SUBMIT, "--name", "x" * 201], "name = "),
        ([*SUBMIT, "--retry-max", "0"], "max_seconds = 0.0: must be more than 0"),
    ):
        done = up.fathom(*arguments)
        assert (done.code, done.err.count("\n")) == (2, 1), done.err
        assert says in done.err
        assert "pydantic" not in done.err
        assert len(done.err) < 200


def test_a_job_is_submitted_with_its_retry_policy(up: Up, model: Done) -> None:
    made: Any = up.fathom(*SUBMIT, "--retries", "3", "--retry-base", "0.25", "--retry-max", "10", "--json").json
    assert made["retry"] == {"max_attempts": 3, "base_seconds": 0.25, "max_seconds": 10.0}
    up.fathom("cancel", made["id"])


def test_a_job_that_waits_for_a_worker_says_so(up: Up, job: str) -> None:
    done = up.fathom("show", job)
    assert done.out.startswith("[0/12] score - | mean - | elapsed ")
    assert "no worker" in done.out
    assert "mean - over 0 measurements of 12 samples" in done.out


def test_the_same_key_gives_the_same_job_and_another_request_with_it_is_refused(up: Up, model: Done) -> None:
    key = ("--samples", "2", "--idempotency-key", "once")
    first: Any = up.fathom(*SUBMIT, *key, "--json").json
    again: Any = up.fathom(*SUBMIT, *key, "--json").json
    assert first["id"] == again["id"]
    other = up.fathom(*SUBMIT, "--samples", "3", "--idempotency-key", "once")
    assert other.code == 2
    assert other.err.count("\n") == 1


def test_a_sample_that_was_not_asked_yet_can_be_read(up: Up, job: str) -> None:
    sample: Any = up.fathom("show", job, "1", "2", "--json").json
    assert (sample["cell"], sample["index"], sample["state"], sample["result"]) == (1, 2, "pending", None)
    assert sample["prompt"]["matches"] is None
    assert "special magic" in sample["prompt"]["head"]
    assert up.fathom("show", job, "1").code == 2
    assert up.fathom("show", job, "99", "0").code == 2


def test_a_watch_of_a_cancelled_job_ends_with_1_and_says_why(up: Up, job: str) -> None:
    up.fathom("cancel", job)
    done = up.fathom("watch", job)
    assert done.code == 1
    assert f"job {job} was cancelled after 0 of 12 samples" in done.err


def test_results_that_do_not_exist_yet_are_empty_files_with_a_head(up: Up, job: str, tmp_path: Path) -> None:
    assert up.fathom("results", job, "--json").out == ""
    table = tmp_path / "results.csv"
    assert up.fathom("results", job, "--format", "csv", "--output", table).code == 0
    assert table.read_text().splitlines()[0].startswith("job,cell,index,task,length,")
    assert up.fathom("results", job, "--format", "ruler").code == 2


def test_assets_are_added_listed_and_removed(up: Up, tmp_path: Path) -> None:
    file = tmp_path / "essays.txt"
    file.write_text("It was a dark and stormy night. The rain fell in torrents. " * 50)
    added: Any = up.fathom("assets", "add", "stormy", file, "--kind", "corpus", "--source", "a novel", "--json").json
    assert (added["name"], added["size"], added["source"]) == ("stormy", file.stat().st_size, "a novel")
    listed: Any = up.fathom("assets", "list", "--json").json
    assert added["sha256"] in {asset["sha256"] for asset in listed}
    assert "stormy" in up.fathom("assets", "list").out
    assert up.fathom("assets", "remove", "stormy").code == 0
    assert "stormy" not in up.fathom("assets", "list").out


def test_benchmarks_and_workers_are_listed(up: Up) -> None:
    benchmarks: Any = up.fathom("benchmarks", "--json").json
    assert "niah_single_1" in next(b for b in benchmarks if b["name"] == "ruler")["tasks"]
    assert up.fathom("worker", "list", "--json").json == []
    assert up.fathom("worker", "list").out == "no workers\n"


def test_a_summary_is_printed_before_there_are_results(up: Up, job: str) -> None:
    done = up.fathom("summary", job)
    assert done.code == 0, done.err
    assert "0 of 12 planned samples have ended." in done.out


def test_a_model_is_changed_while_it_stays_what_it_is(up: Up, model: Done) -> None:
    changed = up.fathom(
        "model", "set", "own", "--requests-per-minute", "30", "--price", "output=3", "--label", "x=1", "--json"
    )
    assert changed.code == 0, changed.err
    spec: Any = changed.json
    spec = spec["spec"]
    assert spec["limits"] == {"max_concurrency": 3, "requests_per_minute": 30, "tokens_per_minute": None}
    assert (spec["price"]["input"], spec["price"]["output"]) == (1.5, 3)
    assert spec["labels"] == {"gpu": "h100", "x": "1"}
    back = up.fathom(
        "model",
        "set",
        "own",
        "--unset",
        "limits.requests_per_minute",
        "--unset",
        "labels.x",
        "--price",
        "output=2",
        "--json",
    )
    assert back.code == 0, back.err
    spec = back.json
    assert spec["spec"] == model.json["spec"]  # type: ignore[index]


def test_a_command_without_what_it_needs_shows_its_help(up: Up) -> None:
    shown = up.fathom("submit")
    assert shown.code == 2
    assert "\n  ruler " in shown.err


def test_a_slip_in_the_command_leaves_an_older_file_of_results_alone(up: Up, tmp_path: Path) -> None:
    older = tmp_path / "results.csv"
    older.write_text("mine")
    done = up.fathom("results", "nosuchjob", "--format", "csv", "--output", str(older))
    assert done.code == 2
    assert done.err == "fathom: no job 'nosuchjob'\n"
    assert older.read_text() == "mine"
