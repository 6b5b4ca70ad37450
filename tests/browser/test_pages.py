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


async def test_the_documentation_of_the_api_needs_no_network(service: Service, tmp_path: Path) -> None:
    async with browser(tmp_path / "profile") as page:
        await page.open(f"{service.url}/docs?token={service.token}")
        await page.until("document.querySelectorAll('.opblock').length > 20")
        assert [url for url in page.requested if not url.startswith((service.url, "data:"))] == []
        assert page.console == []
