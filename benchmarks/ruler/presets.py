"""Presets: options filled in when a person leaves them out."""

from __future__ import annotations

from typing import Any

_LENGTHS = [4096, 8192, 16384, 32768, 65536, 131072]

PRESETS: dict[str, dict[str, Any]] = {
    # One task of each family that needs no corpus: minutes, not days.
    "quick": {
        "tasks": ["niah_single_1", "niah_multikey_2", "vt", "cwe", "fwe"],
        "lengths": [4096, 8192],
        "samples": 10,
    },
    # The reference's own grid (Hsieh et al. 2024, section 4): 13 tasks, six lengths, 500 samples each.
    "full": {"tasks": ["all"], "lengths": _LENGTHS, "samples": 500},
    "paper": {
        "tasks": ["all"],
        "lengths": _LENGTHS,
        "samples": 500,
        "seed": 42,
        "profile": "paper",
        "stream": "reference",
    },
}
