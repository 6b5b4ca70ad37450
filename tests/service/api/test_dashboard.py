"""The pages, as a browser gets them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from html.parser import HTMLParser

import httpx
import pytest

from protocol.jobs import CellProgress, Counts, Status
from protocol.models import Finding, Probe
from service.auth import COOKIE
from service.dashboard.curves import plot
from service.dashboard.grid import grid
from service.dashboard.rendering import cut, duration, figure, money, score, step, tokens
from service.dashboard.routes import needles
from tests.service.api.acting import Service, failed, ok

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


class Tags(HTMLParser):
    """Which elements and addresses a page holds."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.inline: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "action", "data-from", "data-events"):
                self.addresses.append(value or "")
            if name == "style" or name.startswith("on"):
                self.inline.append(f"{tag} {name}")


@pytest.fixture
async def browser(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Accept": "text/html", "Origin": service.url}
    async with httpx.AsyncClient(
        base_url=service.url, cookies={COOKIE: service.token}, headers=headers, timeout=60
    ) as client:
        yield client


async def _page(browser: httpx.AsyncClient, path: str) -> str:
    answer = await browser.get(path)
    assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:500]}"
    return answer.text


async def test_every_page_stands_alone_and_each_address_on_it_works(
    service: Service, model: str, browser: httpx.AsyncClient
) -> None:
    job = await service.submit(name=EVIL, samples=2)
    worker = await service.worker(EVIL[:100])
    await service.finish(worker, limit=3)
    seen: set[str] = set()
    open_pages = ["/", "/jobs", "/models", "/models/m", "/workers", f"/jobs/{job}", f"/jobs/{job}/samples/0/0"]
    for path in open_pages:
        page = await _page(browser, path)
        assert EVIL[:100] not in page
        tags = Tags(page)
        assert tags.inline == [], path
        assert "style" not in tags.names
        for address in tags.addresses:
            assert address.startswith(("/", "?")), f"{path} leads to {address}"
            assert not address.startswith("//"), f"{path} leads to {address}"
            where = address.split("#")[0]
            if where.startswith("?"):
                where = path + where
            if (
                where
                and not where.endswith("/events")
                and not any(v in where for v in ("/pause", "/resume", "/cancel", "/logout"))
            ):
                seen.add(where)
    for address in seen:
        answer = await browser.get(address)
        assert answer.status_code == 200, address
    assert f"/v1/jobs/{job}" in seen
    assert f"/jobs/{job}/live" in seen


async def test_a_job_page_shows_counts_statuses_apart_and_the_settings(
    service: Service, model: str, browser: httpx.AsyncClient
) -> None:
    job = await service.submit(retry={"max_attempts": 1})
    worker = await service.worker()
    [grant] = await service.claim(worker, 4)
    a, b, c, d = await service.addressed(grant)
    cut_prompt = ok(0.0, **c, error="read 900 of 1000").model_copy(
        update={"status": Status.TRUNCATED_PROMPT, "score": None, "answer": EVIL}
    )
    await service.report(worker, [ok(1.0, **a), ok(0.5, **b), cut_prompt, failed(**d)])
    page = await _page(browser, f"/jobs/{job}")
    for text in ("75.0", "2 of 5", "▲ 1", "✕ 1", "= 20 planned", "truncated prompt", "768, 1024", "niah_multikey_2"):
        assert text in page, text
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    form = await browser.get(f"/jobs/{job}?status=error&task=&length=")  # as a browser sends empty fields
    assert form.headers["location"] == f"/jobs/{job}?status=error"
    filtered = await _page(browser, form.headers["location"])
    assert filtered.count(f"/jobs/{job}/samples/") == 1
    summary = await _page(browser, f"/jobs/{job}/summary")
    assert "Effective context length" in summary


async def test_samples_are_paged_with_their_filters(service: Service, model: str, browser: httpx.AsyncClient) -> None:
    job = await service.submit(samples=40, tasks=["niah_single_1"])
    await service.finish(await service.worker())
    path, seen = f"/jobs/{job}?length=768", []
    while path:
        page = await _page(browser, path)
        links = [a for a in Tags(page).addresses if "/samples/" in a]
        seen += links
        further = [a for a in Tags(page).addresses if "cursor=" in a]
        assert all("length=768" in a for a in further)
        path = further[0].split("#")[0] if further and links else ""
    assert len(seen) == len(set(seen)) == 40
    refused = await browser.get(f"/jobs/{job}?cursor=zzz")
    assert refused.status_code == 400
    assert "damaged" in refused.text


async def test_a_sample_page_shows_answer_expected_needles_attempts_and_the_prompts_ends(
    service: Service, model: str, browser: httpx.AsyncClient
) -> None:
    await service.ok("PATCH", "/v1/models/m", json={"context_window": 16384})
    job = await service.submit(lengths=[16384], samples=1, tasks=["niah_single_1"])
    worker = await service.worker()
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    await service.report(worker, [failed(**address, message=EVIL, retry_after=0)])
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    await service.answer(worker, address, "I do not know")
    page = await _page(browser, f"/jobs/{job}/samples/0/0")
    for text in ("I do not know", "not in the answer", "Where the needles lie", "server error", "attempt 2"):
        assert text in page, text
    assert EVIL not in page
    prompt = await _page(browser, f"/jobs/{job}/samples/0/0/prompt")
    assert "equals what was asked" in prompt
    assert "bytes between" in prompt
    assert len(prompt) < 20_000


async def test_buttons_steer_the_job_with_or_without_a_script(
    service: Service, model: str, browser: httpx.AsyncClient
) -> None:
    job = await service.submit()
    for verb, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        part = await browser.post(f"/jobs/{job}/{verb}", headers={"Accept": "text/x-part"})
        assert f"{state}</span>" in part.text
        assert "<html" not in part.text
    plain = await browser.post(f"/jobs/{job}/cancel")
    assert (plain.status_code, plain.headers["location"]) == (303, f"/jobs/{job}")
    refused = await browser.post(f"/jobs/{job}/resume", headers={"Accept": "text/x-part"})
    assert refused.status_code == 409
    assert "cancelled" in refused.json()["detail"]
    assert (await browser.post(f"/jobs/{job}/explode")).status_code == 404


async def test_models_show_their_probe_and_workers_their_state(
    service: Service, model: str, browser: httpx.AsyncClient
) -> None:
    worker = await service.worker("box-1")
    heartbeat = {"models": {"m": {"limit": 24, "reason": "engine queue: 5 waiting"}}}
    await service.ok("POST", f"/v1/workers/{worker}/heartbeat", json=heartbeat)
    probe = Probe(
        ok=True,
        findings={"engine": Finding(value="llama.cpp", how="GET /props"), "ids": Finding(value=["a", "b"], how="x")},
    )
    await service.state.db.pool.execute("update models set probe = $1", probe.model_dump(mode="json"))
    page = await _page(browser, "/models/m")
    for text in ("llama.cpp", "GET /props", "a, b", "let through"):
        assert text in page, text
    page = await _page(browser, "/workers")
    for text in ("box-1", "m: 24", "engine queue: 5 waiting"):
        assert text in page, text


async def test_what_is_not_there_is_a_page_that_says_so(service: Service, browser: httpx.AsyncClient) -> None:
    for path in ("/jobs/nojob", "/models/none", "/nothing", "/static/../routes.py", "/static/none.css"):
        answer = await browser.get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"].startswith("text/html"), path


def test_figures_are_short_and_honest() -> None:
    assert [duration(s) for s in (None, 0.04, 9.94, 61, 3600, 3723, 90000, 59.7)] == [
        "–", "0.0s", "9.9s", "1m01s", "1h", "1h02m", "1d01h", "1m",
    ]  # fmt: skip
    assert [tokens(n) for n in (None, 0, 1000, 4096, 131072, 1048576)] == ["–", "0", "1,000", "4k", "128k", "1M"]
    assert [score(v) for v in (None, 0.0, 0.856, 1.0)] == ["–", "0.0", "85.6", "100.0"]
    assert [step(v) for v in (None, 0.0, 0.44, 0.96, 1.0)] == ["none", "q0", "q4", "q10", "q10"]
    assert [figure(v) for v in (None, "", "a", 1234, 0.5, 12.345, 3.0)] == ["–", "–", "a", "1,234", "0.5", "12.35", "3"]
    assert [money(v) for v in (0, 0.00391, 12.5)] == ["0.00", "0.0039", "12.50"]
    assert cut("a\n b" * 200, 10) == "a ba ba ba…"


def _cell(number: int, task: str, length: int, depth: int, scored: int, mean: float | None) -> CellProgress:
    counts = Counts(planned=10, scored=scored, pending=10 - scored)
    return CellProgress(cell=number, task=task, length=length, variant={"depth": depth}, counts=counts, mean=mean)


def test_a_grid_has_a_row_a_variant_and_merges_them_when_there_are_many() -> None:
    few = grid([_cell(0, "a", 2048, 0, 10, 1.0), _cell(1, "a", 1024, 0, 5, 0.5), _cell(2, "a", 1024, 50, 0, None)])
    assert (few.lengths, few.tasks, few.merged) == ([1024, 2048], ["a"], False)
    assert [row.label for row in few.rows] == ["a, depth 0", "a, depth 50"]
    [[low, high], [empty, missing]] = [row.cells for row in few.rows]
    assert (low and low.mean, high and high.query, empty and empty.mean, missing) == (0.5, "cell=0", None, None)
    many = grid([_cell(n, "a", 1024, n, n % 2 * 10, 0.25 if n % 2 else None) for n in range(100)])
    assert many.merged
    [row] = many.rows
    [square] = row.cells
    assert square is not None
    assert (square.counts.planned, square.counts.scored, square.mean) == (1000, 500, 0.25)
    assert square.query == "task=a&length=1024"


def test_needles_are_shown_whatever_a_benchmark_says_of_them() -> None:
    assert needles([{"depth": 12.34, "text": "x"}, {"key": "k", "value": 1}, "plain"]) == [
        {"depth": "12.3 %", "text": "x"},
        {"depth": "–", "text": "key: k, value: 1"},
        {"depth": "–", "text": "plain"},
    ]
    assert needles(None) == []


def test_a_curve_is_laid_out_left_to_right_and_higher_is_up() -> None:
    points = [(1024, 1.0, 0.9, 1.0), (2048, 0.5, None, None), (4096, None, None, None)]
    found = plot({"series": [{"name": "a", "points": points}], "log_x": True, "threshold": 0.856})
    [line] = found.lines
    (x1, y1), (x2, y2) = line.points
    assert found.left < x1 < x2 < found.right
    assert found.top <= y1 < y2 < found.bottom
    assert len(line.bars) == 1
    assert [label for _, label in found.x_ticks] == ["1k", "2k", "4k"]
    assert found.limit is not None
    assert y1 < found.limit < y2
    middle = (found.x_ticks[0][0] + found.x_ticks[2][0]) / 2
    assert found.x_ticks[1][0] == pytest.approx(middle)


def test_of_many_curves_each_is_told_apart_and_the_first_alone_has_intervals() -> None:
    points = [(1024, 0.9, 0.8, 1.0), (2048, 0.5, 0.2, 0.8)]
    lines = plot({"series": [{"name": f"task {number}", "points": points} for number in range(14)]}).lines
    assert len({line.colour for line in lines}) == 14
    assert [len(line.bars) for line in lines] == [2] + 13 * [0]
