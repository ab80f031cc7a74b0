"""Derivations by the names that `--how` takes."""

from __future__ import annotations

from annotation.derivations.base import Derivation
from annotation.derivations.contexts import Contexts
from annotation.derivations.disconnection_filter import DisconnectionFilter
from annotation.derivations.disconnection_inputs import DisconnectionInputs
from annotation.derivations.splits import Splits
from annotation.derivations.unanswerable_twins import UnanswerableTwins

_ALL: tuple[Derivation, ...] = (
    DisconnectionInputs(),
    DisconnectionFilter(),
    Contexts(),
    UnanswerableTwins(),
    Splits(),
)

DERIVATIONS: dict[str, Derivation] = {each.how: each for each in _ALL}
