"""Probe orders: a worker alone reaches the model's machine, so it answers them for the service."""

from __future__ import annotations

import asyncio
import logging

from benchmarks.base import TokenCounter
from benchmarks.errors import InvalidAsset
from benchmarks.tokenizers import load_tokenizer
from protocol.models import Probe
from protocol.workers import ProbeOrder, ProbeReport
from workers.assets import AssetCache
from workers.errors import AssetError, CallError
from workers.probe import probe
from workers.targets import Targets

PROBE_SECONDS = 55.0
log = logging.getLogger(__name__)


async def answer(order: ProbeOrder, targets: Targets, assets: AssetCache) -> ProbeReport:
    """Probe the model; whatever goes wrong is said in the probe's `problem`, never raised."""
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            target = await targets.open(order.model, {})
            return ProbeReport(probe=await probe(target, await _counter(order, assets)))
    except TimeoutError:
        problem = f"the model did not answer all questions within {PROBE_SECONDS:.0f} s"
    except CallError as error:
        problem = error.message
    except (AssetError, InvalidAsset) as error:
        problem = str(error)
    except Exception as error:  # the boundary of a probe: what it did not foresee is said too
        log.exception("probe of %s", order.model_name)
        problem = f"{type(error).__name__}: {error}"
    return ProbeReport(probe=Probe(ok=False, problem=problem))


async def _counter(order: ProbeOrder, assets: AssetCache) -> TokenCounter | None:
    if order.tokenizer_sha256 is None:
        return None
    return await asyncio.to_thread(load_tokenizer, await assets.path(order.tokenizer_sha256))
