"""Drivers that are not ours: found by entry point, by `package.module:attribute`, or by the path of a Python file.

What is found must be a function `open_driver(spec) -> Driver` (see `workers.drivers.base` and docs/drivers.md).
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from protocol.models import Driver as DriverSpec
from workers.drivers.base import Driver
from workers.errors import DriverError

GROUP = "fathom.drivers"
_NEEDED = ("http", "run", "temporary_file", "read_files", "aclose")


def open_driver(spec: DriverSpec) -> Driver:
    """The driver that `spec.kind` names. Raises DriverError (permanent) that says where it was looked for."""
    driver = _find(spec.kind)(spec)
    missing = [name for name in _NEEDED if not callable(getattr(driver, name, None))]
    if missing:
        raise _refused(f"driver {spec.kind!r} lacks {', '.join(missing)}; see docs/drivers.md")
    return driver  # type: ignore[no-any-return]


def _find(kind: str) -> Callable[[DriverSpec], Any]:
    if kind.endswith(".py"):
        return _attribute(_load_file(Path(kind)), "open_driver", kind)
    if ":" in kind:
        module, _, attribute = kind.partition(":")
        try:
            return _attribute(import_module(module), attribute, kind)
        except ImportError as error:
            raise _refused(f"driver {kind!r} cannot be imported where the worker runs: {error}") from error
    return _load_entry_point(kind)


def _load_entry_point(kind: str) -> Callable[[DriverSpec], Any]:
    known = entry_points(group=GROUP)
    found = next((point for point in known if point.name == kind), None)
    if found is None:
        names = ", ".join(["local", "ssh", *sorted(point.name for point in known)])
        raise _refused(
            f"there is no driver {kind!r}; there are {names}, `package.module:attribute` and `path/to/driver.py`"
        )
    try:
        loaded = found.load()
    except (ImportError, AttributeError) as error:
        raise _refused(f"driver {kind!r} ({found.value}) cannot be loaded: {error}") from error
    return _attribute(loaded, "open_driver", kind) if isinstance(loaded, ModuleType) else _callable(loaded, kind)


def _load_file(path: Path) -> ModuleType:
    """Import a file once, under a name of its own."""
    path = path.expanduser()
    if not path.is_file():
        raise _refused(f"there is no driver file {path} where the worker runs")
    name = "fathom_driver_" + hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise _refused(f"{path} is no Python module")
    module = module_from_spec(spec)
    with ExitStack() as undo:
        sys.modules[name] = module  # dataclasses look their module up while it is loaded
        undo.callback(sys.modules.pop, name)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # the boundary to a file of the user's: whatever it raises
            raise _refused(f"driver file {path} cannot be loaded: {type(error).__name__}: {error}") from error
        undo.pop_all()
    return module


def _attribute(module: ModuleType, name: str, kind: str) -> Callable[[DriverSpec], Any]:
    if not hasattr(module, name):
        raise _refused(f"driver {kind!r}: the module has no {name!r}")
    return _callable(getattr(module, name), kind)


def _callable(found: Any, kind: str) -> Callable[[DriverSpec], Any]:
    if not callable(found):
        raise _refused(f"driver {kind!r} is no function `open_driver(spec) -> Driver`")
    return found  # type: ignore[no-any-return]


def _refused(message: str) -> DriverError:
    return DriverError("driver", message, permanent=True)
