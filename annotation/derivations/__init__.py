"""Derivations by the names that `--how` takes."""

from __future__ import annotations

from annotation.derivations.base import Derivation

DERIVATIONS: dict[str, Derivation] = {}
