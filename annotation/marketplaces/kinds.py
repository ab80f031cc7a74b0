"""The kinds of marketplaces: the folders here with a module `marketplace`, found by discovery."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

from annotation.marketplaces.base import Marketplace

HERE = Path(__file__).parent


@cache
def kinds() -> dict[str, type[Marketplace]]:
    """The class of each kind, by the name of its folder."""
    folders = [found.name for found in pkgutil.iter_modules([str(HERE)]) if found.ispkg]
    return {name: _class_of(name) for name in sorted(folders) if (HERE / name / "marketplace.py").exists()}


def _class_of(name: str) -> type[Marketplace]:
    found: type[Marketplace] = importlib.import_module(f"annotation.marketplaces.{name}.marketplace").MARKETPLACE
    return found
