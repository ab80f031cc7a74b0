"""Keeps a wheel from being built without its static files and schema, which `make wheel` makes first."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build = Path(self.root) / "build"
        missing = [name for name in ("static/staticfiles.json", "api-schema.json") if not (build / name).exists()]
        if missing:
            raise FileNotFoundError(f"build/{missing[0]} is not there: run `make wheel` in a checkout.")
