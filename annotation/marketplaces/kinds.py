"""The kinds of marketplaces: the folders here with a module `marketplace`, found by discovery."""

import importlib
from functools import cache
from pathlib import Path

from annotation.marketplaces.base import Marketplace
from annotation.marketplaces.study_base import StudyMarketplace

HERE = Path(__file__).parent


@cache
def kinds() -> dict[str, type[Marketplace]]:
    """The class of each kind, by the name of its folder."""
    names = sorted(file.parent.name for file in HERE.glob("*/marketplace.py"))
    return {name: importlib.import_module(f"annotation.marketplaces.{name}.marketplace").MARKETPLACE for name in names}


def study_kind(name: str) -> type[StudyMarketplace]:
    """The class of a kind whose participants come by link."""
    found = kinds()[name]
    assert issubclass(found, StudyMarketplace)
    return found


def names_of(shape: type[Marketplace]) -> list[str]:
    """The names of the kinds of this shape, such as HitMarketplace."""
    return [name for name, kind in kinds().items() if issubclass(kind, shape)]
