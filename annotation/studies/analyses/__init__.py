"""What studies compute from all of their batches together: a module each, found by its name with `_` for `-`.

A module has `ARMS`, the batches of the study that it needs, and `analyse(hits, seed)`: from the HITs of each batch
with their responses to {"tables": [tables as in reports], ...}, JSON whose other keys `published.csv` may point to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol, cast

from annotation.tasktype import HitWithResponses


class Analysis(Protocol):
    ARMS: tuple[str, ...]

    def analyse(self, hits: Mapping[str, Iterable[HitWithResponses]], *, seed: int) -> dict[str, Any]: ...


def names() -> list[str]:
    return sorted(each.name.replace("_", "-") for each in iter_modules(__path__))


def analysis_named(name: str) -> Analysis:
    """The analysis of that name, one of `names`."""
    return cast(Analysis, import_module(f"{__name__}.{name.replace('-', '_')}"))
