"""The pages in a real Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import browser, find
from tests.service.api.acting import PLANNED, Service

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find() is None, reason="no Chromium here: install the package `chromium` to look at the pages"),
]
DONE = "document.querySelector('.kpi:nth-child(2) b')?.textContent"
MEAN = "document.querySelector('.kpi:nth-child(1) b')?.textContent"


async def test_a_job_page_shows_live_numbers_without_being_reloaded(
    service: Service, model: str, tmp_path: Path
) -> None:
    job = await service.submit()
    worker = await service.worker()
    async with browser(tmp_path / "profile") as page:
        await page.open(f"{service.url}/jobs/{job}?token={service.token}")
        assert service.token not in await page.value("location.href")
        await page.value("window.loadedOnce = true; document.querySelector('details').open = true")
        await page.until(f"{DONE} === '0'")
        await service.finish(worker, score=1.0, limit=5)
        await page.until(f"{DONE} === '5' && {MEAN} === '100.0'")
        await service.finish(worker, score=0.0)
        await page.until(f"{DONE} === '{PLANNED}' && {MEAN} === '25.0'")
        await page.until("document.querySelector('h1 .tag').textContent === 'completed'")
        cells = "[...document.querySelectorAll('table.heat td b')].map(b => b.textContent).join()"
        assert await page.value(cells) == "100.0,0.0,0.0,0.0"
        await page.until("document.querySelectorAll('svg.curve polyline').length > 0")
        assert await page.value("window.loadedOnce") is True
        assert [url for url in page.requested if not url.startswith((service.url, "data:"))] == []
        assert page.console == []


async def test_buttons_and_the_samples_page_work_by_clicking(service: Service, model: str, tmp_path: Path) -> None:
    job = await service.submit()
    worker = await service.worker()
    [grant] = await service.claim(worker, 1)
    [address] = await service.addressed(grant)
    await service.answer(worker, address, '<b id="injected">7</b>')
    async with browser(tmp_path / "profile", dark=True) as page:
        await page.open(f"{service.url}/jobs/{job}?token={service.token}")
        await page.value("[...document.querySelectorAll('button')].find(b => b.textContent === 'Pause').click()")
        await page.until("document.querySelector('h1 .tag').textContent === 'paused'")
        await page.value("document.querySelector('table.data a[href*=\"/samples/\"]').click()")
        await page.until("location.pathname.endsWith('/samples/0/0') && document.readyState === 'complete'")
        await page.until("document.body.textContent.includes('equals what was asked')")
        assert await page.value("document.getElementById('injected')") is None
        assert await page.value("matchMedia('(prefers-color-scheme: dark)').matches") is True
        assert page.console == []
    state = (await service.ok("GET", f"/v1/jobs/{job}"))["state"]
    assert state == "paused"


async def test_what_a_reader_opened_marked_or_focused_stays_while_the_page_changes(
    service: Service, model: str, tmp_path: Path
) -> None:
    job = await service.submit()
    worker = await service.worker()
    async with browser(tmp_path / "profile") as page:
        await page.open(f"{service.url}/jobs/{job}?token={service.token}")
        await page.until("document.querySelector('details.block') !== null")
        await page.value(
            """window.block = document.querySelector('details.block:not([open])'); block.open = true;
            window.cell = document.querySelector('table.heat td a'); cell.focus();
            getSelection().selectAllChildren(document.querySelector('table.heat th[scope=row]'))"""
        )
        await service.finish(worker, score=1.0)
        await page.until("document.querySelector('h1 .tag').textContent === 'completed'")
        await page.until(f"{DONE} === '{PLANNED}'")
        assert await page.value("document.activeElement === cell && cell.textContent.includes('100.0')") is True
        assert await page.value("getSelection().toString()") == "niah_single_1"
        assert await page.value("block.isConnected && block.open") is True
        assert await page.value("document.querySelectorAll('.actions form').length") == 0
        assert page.console == []


async def test_a_refused_action_says_why_and_an_outage_is_said_until_it_is_over(
    service: Service, model: str, tmp_path: Path
) -> None:
    job = await service.submit()
    said = "!document.getElementById('trouble').hidden && document.getElementById('trouble').textContent"
    async with browser(tmp_path / "profile") as page:
        await page.open(f"{service.url}/jobs/{job}?token={service.token}")
        await page.value("window.confirm = () => true")
        await page.send(
            "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        await page.value("document.querySelector('.actions form[action$=pause] button').click()")
        assert "does not answer" in await page.until(said)
        await page.send(
            "Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1
        )
        await page.until("document.getElementById('trouble').hidden")
        await service.ok("POST", f"/v1/jobs/{job}/cancel")
        await page.value(
            f"""document.querySelector('.actions').innerHTML =
            '<form method="post" action="/jobs/{job}/resume" data-into="live"><button>Resume</button></form>'"""
        )
        await page.value("document.querySelector('.actions form[action$=resume] button').click()")
        assert "cancelled" in await page.until(said)


async def test_buttons_work_where_no_script_may_run(service: Service, model: str, tmp_path: Path) -> None:
    job = await service.submit()
    async with browser(tmp_path / "profile") as page:
        await page.send("Emulation.setScriptExecutionDisabled", value=True)
        await page.open(f"{service.url}/jobs/{job}?token={service.token}")
        await page.value("document.querySelector('.actions form[action$=pause] button').click()")
        await page.until("document.querySelector('h1 .tag')?.textContent === 'paused'")
        assert await page.value("location.pathname") == f"/jobs/{job}"


async def test_the_documentation_of_the_api_needs_no_network(service: Service, tmp_path: Path) -> None:
    async with browser(tmp_path / "profile") as page:
        await page.open(f"{service.url}/docs?token={service.token}")
        await page.until("document.querySelectorAll('.opblock').length > 20")
        assert [url for url in page.requested if not url.startswith((service.url, "data:"))] == []
        assert page.console == []
