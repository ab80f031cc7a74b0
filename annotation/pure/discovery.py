"""Discovery of plug-ins: objects that a package's modules define under one name, so a new kind is one new file."""

import importlib
import pkgutil
import sys
from typing import Any

LAST = 50  # the default rank


def offered(package: str, name: str) -> list[Any]:
    """The objects that the package's modules define as `name` (one, or a tuple of several), ordered by `rank`.

    Lower ranks come first; equal ones stay in the order of the modules' names.
    """
    offers: list[Any] = []
    for module in sorted(pkgutil.iter_modules(sys.modules[package].__path__), key=lambda each: each.name):
        if not module.name.startswith("_"):
            held = vars(importlib.import_module(f"{package}.{module.name}")).get(name, ())
            offers += held if isinstance(held, tuple) else [held]
    return sorted(offers, key=lambda each: getattr(each, "rank", LAST))
