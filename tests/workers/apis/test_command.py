from __future__ import annotations

import asyncio
import os
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from benchmarks.base import Prompt
from protocol.models import Generation
from tests.support.waiting import until
from tests.workers.targets import open_target
from workers.apis.base import Call, Reply
from workers.apis.command import call
from workers.errors import CallError

TEXT = "Read this.\nThe key is 42.\nWhat is the key?"
PROMPT = Prompt(TEXT, answer_prefix=" It is", context=(11, 25), question=(26, 42))


def _program(tmp_path: Path, source: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(source))
    return [sys.executable, str(path)]


async def _ask(
    command: list[str], prompt: Prompt = PROMPT, mode: Any = "suffix", system: str | None = None, **model: Any
) -> Reply:
    generation = Generation(system=system)
    async with open_target(None, api="command", command=command, **model) as target:
        return await call(
            target, Call(prompt, max_tokens=7, prompt_tokens=10, generation=generation, answer_prefix=mode)
        )


async def test_context_comes_on_stdin_and_the_question_is_the_last_argument(tmp_path: Path) -> None:
    program = _program(tmp_path, "import sys; print(sys.stdin.read(), '|', sys.argv[1:])")
    reply = await _ask([*program, "--verbose"])
    assert reply.answer == "The key is 42. | ['--verbose', 'What is the key? It is']"
    assert reply.finish_reason == "stop"


async def test_placeholders_take_question_context_file_budget_and_model(tmp_path: Path) -> None:
    program = _program(
        tmp_path,
        """
        import os, sys
        path, question, tokens, model = sys.argv[1:]
        print(open(path).read(), "|", question, "|", tokens, "|", model, "|", repr(sys.stdin.read()))
        print(oct(os.stat(path).st_mode & 0o777), file=sys.stderr)
        """,
    )
    words = ["{context}", "q={question}", "{max_tokens}", "{model}"]
    reply = await _ask([*program, *words], model_id="tiny")
    assert reply.answer == "The key is 42. | q=What is the key? It is | 7 | tiny | ''"
    assert reply.detail == {"stderr": "0o600"}


async def test_a_question_that_looks_like_a_placeholder_stays_as_it_is(tmp_path: Path) -> None:
    program = _program(tmp_path, "import sys; print(sys.argv[1])")
    prompt = Prompt("ab{model}{context}", context=(0, 2), question=(2, 18))
    assert (await _ask([*program, "{question}"], prompt, model_id="tiny")).answer == "{model}{context}"


@pytest.mark.parametrize(("mode", "question"), [("suffix", "What is the key? It is"), ("none", "What is the key?")])
async def test_the_answer_prefix_ends_the_question_only_in_mode_suffix(
    tmp_path: Path, mode: str, question: str
) -> None:
    program = _program(tmp_path, "import sys; print(sys.argv[1])")
    assert (await _ask(program, mode=mode)).answer == question


async def test_a_prompt_without_a_question_span_is_all_context(tmp_path: Path) -> None:
    program = _program(tmp_path, "import sys; print(sys.stdin.read(), len(sys.argv))")
    assert (await _ask(program, Prompt("Go on: once", answer_prefix=" upon"))).answer == "Go on: once upon 1"


async def test_the_environment_is_built_and_holds_the_key_under_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    program = _program(
        tmp_path,
        "import os; print(sorted(k for k in os.environ if k != 'LC_CTYPE'), os.environ['MY_KEY'], os.environ['FATHOM_SYSTEM'])",
    )
    reply = await _ask(program, api_key_env="MY_KEY", api_key="sk-1", system="Be brief.")
    assert "SLURM_JOB_ID" not in reply.answer
    assert "'FATHOM_MAX_TOKENS'" in reply.answer
    assert reply.answer.endswith(" sk-1 Be brief.")


@pytest.mark.parametrize(("code", "permanent"), [(1, True), (75, False)])
async def test_an_exit_code_is_an_error_and_75_asks_for_another_try(tmp_path: Path, code: int, permanent: bool) -> None:
    program = _program(tmp_path, f"import sys; print('half'); print('no GPU', file=sys.stderr); sys.exit({code})")
    with pytest.raises(CallError, match="no GPU") as caught:
        await _ask(program)
    assert (caught.value.cause, caught.value.permanent) == ("exit", permanent)


async def test_a_program_that_a_signal_killed_is_tried_again(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="SIGKILL") as caught:
        await _ask(_program(tmp_path, "import os; os.kill(os.getpid(), 9)"))
    assert not caught.value.permanent


async def test_a_program_that_is_not_there_is_said_plainly() -> None:
    with pytest.raises(CallError, match="no-such-program") as caught:
        await _ask(["no-such-program"])
    assert caught.value.permanent


async def test_much_output_without_newlines_and_unread_input_are_no_trouble(tmp_path: Path) -> None:
    program = _program(tmp_path, "import sys; sys.stderr.write('.' * 3_000_000); sys.stdout.write('x' * 3_000_000)")
    big = Prompt("y" * 5_000_000 + "?", context=(0, 5_000_000), question=(5_000_000, 5_000_001))
    assert len((await _ask(program, big)).answer) == 3_000_000


TREE = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
open(sys.argv[1], "w").write("ready")
time.sleep(600)
"""


def _sleepers(mark: str) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                environment = Path(f"/proc/{entry}/environ").read_bytes()
            except OSError:
                continue
            if f"FATHOM_SYSTEM={mark}".encode() in environment:
                found.append(entry)
    return found


async def test_cancelling_kills_the_whole_process_tree_even_what_left_its_session(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    command = [*_program(tmp_path, TREE), str(flag)]
    task = asyncio.create_task(_ask(command, system=str(tmp_path)))
    await until(flag.exists)
    assert len(_sleepers(str(tmp_path))) >= 3
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _sleepers(str(tmp_path)) == []


async def test_a_program_out_of_time_is_killed_with_its_tree(tmp_path: Path) -> None:
    command = [*_program(tmp_path, TREE), str(tmp_path / "flag")]
    with pytest.raises(CallError, match="total timeout") as caught:
        await _ask(command, timeouts={"total": 1.0, "per_1k_tokens": 0}, system=str(tmp_path))
    assert caught.value.cause == "timeout"
    assert _sleepers(str(tmp_path)) == []


async def test_children_left_behind_by_a_program_that_ended_well_are_killed_too(tmp_path: Path) -> None:
    program = _program(
        tmp_path,
        """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
        print(42)
        """,
    )
    assert (await _ask(program, system=str(tmp_path))).answer == "42"
    assert _sleepers(str(tmp_path)) == []
