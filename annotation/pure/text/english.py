"""The English words of `english.toml`."""

import tomllib
from pathlib import Path
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("english.toml").read_text())


def listed(name: str) -> frozenset[str]:
    return frozenset(WORDS[name].split())
