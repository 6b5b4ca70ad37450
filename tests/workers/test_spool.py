from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from workers import spool as module
from workers.errors import SettingsError
from workers.spool import Spool


def _lines(*numbers: int) -> list[bytes]:
    return [orjson.dumps({"index": number}) for number in numbers]


def test_what_was_not_acknowledged_is_there_after_a_restart(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    entries = [spool.add(line) for line in _lines(0, 1, 2)]
    spool.acknowledge(entries[1])
    spool.close()
    again = Spool(tmp_path)
    left = [entry.content for entry in again.left_over]
    assert set(_lines(0, 2)) <= set(left)
    for entry in again.left_over:
        again.acknowledge(entry)
    again.close()
    assert Spool(tmp_path).left_over == []


def test_a_killed_process_loses_no_line(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from workers.spool import Spool\n"
        "spool = Spool(Path(sys.argv[1]))\n"
        "for n in range(100): spool.add(b'{\"index\": %d}' % n)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    found = [orjson.loads(entry.content)["index"] for entry in Spool(tmp_path).left_over]
    assert found == list(range(100))


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add(_lines(7)[0])
    spool.close()
    [segment] = spool.folder.glob("[0-9]*.jsonl")
    segment.write_bytes(segment.read_bytes() + b'{"index": 8, "ans')
    assert [entry.content for entry in Spool(tmp_path).left_over] == _lines(7)


def test_two_living_workers_have_folders_of_their_own(tmp_path: Path) -> None:
    first, second = Spool(tmp_path), Spool(tmp_path)
    assert first.folder != second.folder
    first.add(_lines(1)[0])
    assert Spool(tmp_path).left_over == []  # the first worker lives: its outcomes are its own


def test_a_worker_takes_over_what_dead_ones_left(tmp_path: Path) -> None:
    first, second = Spool(tmp_path), Spool(tmp_path)
    first.add(_lines(1)[0])
    second.add(_lines(2)[0])
    first.close()
    second.close()
    heir = Spool(tmp_path)
    assert sorted(entry.content for entry in heir.left_over) == _lines(1, 2)


def test_the_folder_stays_small_while_everything_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SEGMENT_BYTES", 4096)
    spool = Spool(tmp_path)
    waiting = []
    for number in range(5000):
        waiting.append(spool.add(orjson.dumps({"index": number, "answer": "x" * 100})))
        if len(waiting) > 20:
            spool.acknowledge(waiting.pop(0))
    assert spool.size == 20
    assert sum(path.stat().st_size for path in spool.folder.iterdir()) < 5 * 4096


def test_a_rejected_outcome_is_kept_for_people(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.reject(spool.add(_lines(3)[0]), "400: no such job")
    [line] = (spool.folder / "rejected.jsonl").read_bytes().splitlines()
    assert orjson.loads(line) == {"reason": "400: no such job", "outcome": '{"index":3}'}
    assert spool.size == 0
    spool.close()
    assert Spool(tmp_path).left_over == []


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="data folder"):
        Spool(tmp_path / "file" / "spool")


def test_others_cannot_read_answers(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.add(_lines(1)[0])
    [segment] = spool.folder.glob("[0-9]*.jsonl")
    assert os.stat(segment).st_mode & 0o077 == 0
    assert os.stat(spool.folder).st_mode & 0o077 == 0


def test_what_a_worker_leaves_is_taken_over_by_one_that_lives_on(tmp_path: Path) -> None:
    first, second = Spool(tmp_path), Spool(tmp_path)
    first.add(_lines(5)[0], worker=3)
    own = second.add(_lines(6)[0], worker=4)
    assert second.adopt() == []  # its worker lives
    first.close()
    (found,) = second.adopt()
    assert (found.content, found.worker) == (_lines(5)[0], 3)
    assert second.adopt() == []
    second.acknowledge(found)
    second.acknowledge(own)
    second.close()
    assert Spool(tmp_path).left_over == []
