"""How values of RULER's options are read as people write them, and what is refused with which words."""

from __future__ import annotations

from typing import Any

from pydantic_core import PydanticCustomError

from benchmarks.ruler.tasks import ALIASES, TASKS, model_templates

MAX_BUDGET = 1_000_000


def parse_length(value: object) -> object:
    """`4k` is 4096 and `1m` is 1048576; anything else is left to pydantic."""
    if isinstance(value, str) and value[-1:].lower() in {"k", "m"} and value[:-1].strip().isdecimal():
        return int(value[:-1]) * (1024 if value[-1] in "kK" else 1_048_576)
    return value


def split_list(value: object) -> object:
    """A text is a list with commas between its items, each trimmed; a single number is a list of one."""
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def expand_tasks(value: object) -> object:
    """Replaces names that stand for several tasks (`niah`, `qa`, `all`) and long names (`variable_tracking`)."""
    value = split_list(value)
    if not isinstance(value, (list, tuple)):
        return value
    names: list[Any] = []
    for item in value:
        alias = ALIASES.get(item) if isinstance(item, str) else None
        names += [n for n in alias if n not in names] if alias else [item]
    return names


def distinct(items: list[Any]) -> list[Any]:
    """Refuses a list that holds something twice."""
    twice = sorted({item for item in items if items.count(item) > 1})
    if twice:
        raise PydanticCustomError(
            "duplicate", "each may be named once, but {twice} is there twice", {"twice": twice[0]}
        )
    return items


def known_tasks(names: list[str]) -> list[str]:
    """Refuses a name that no task has, listing those there are."""
    unknown = [name for name in names if name not in TASKS]
    if unknown:
        raise PydanticCustomError(
            "unknown_task",
            "unknown task {name}; there are: {known} (and, for several, {aliases})",
            {"name": repr(unknown[0]), "known": ", ".join(TASKS), "aliases": ", ".join(ALIASES)},
        )
    return names


def known_template(name: str) -> str:
    """Refuses what is neither a known chat template nor a text that can be one."""
    if name not in model_templates() and name.count("{task_template}") != 1:
        raise PydanticCustomError(
            "unknown_template",
            "neither a known template ({known}) nor a text that holds {placeholder} once",
            {"placeholder": "{task_template}", "known": ", ".join(model_templates())},
        )
    return name


def parse_budgets(value: object) -> object:
    """An answer budget for all tasks, or by task: `{"cwe": 200}`, also written `cwe=200,vt=60`."""
    if isinstance(value, str) and "=" in value:
        parts = (item.partition("=") for item in value.replace(" ", "").split(","))
        value = {task: budget for task, _, budget in parts}
    if isinstance(value, dict):
        known_tasks(list(value))
        return {task: _budget(budget) for task, budget in value.items()}
    return None if value is None else _budget(value)


def _budget(value: object) -> int:
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MAX_BUDGET:
        raise PydanticCustomError(
            "budget", "an answer budget is a whole number of tokens from 1 to {limit}", {"limit": MAX_BUDGET}
        )
    return number
