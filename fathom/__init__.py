"""What people import and type: the Python SDK and the `fathom` command.

>>> from fathom import SyncClient
>>> with SyncClient() as client:                     # doctest: +SKIP
...     job = client.submit("ruler", "smollm2", {"tasks": ["niah_single_1"], "lengths": [4096], "samples": 20})
...     for result in client.results(job.id, follow=True):
...         print(result.task, result.length, result.score)

`Client` is the same for asyncio programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fathom.client import Client
    from fathom.sync import SyncClient

__all__ = ["Client", "SyncClient"]


def __getattr__(name: str) -> Any:
    """Import the clients when they are first asked for, so that the command line starts at once."""
    if name == "Client":
        from fathom.client import Client

        return Client
    if name == "SyncClient":
        from fathom.sync import SyncClient

        return SyncClient
    raise AttributeError(f"module 'fathom' has no attribute {name!r}")
