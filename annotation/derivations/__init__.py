"""Derivations by the names that `--how` takes: each module here with a DERIVATION, one or a tuple of them."""

from annotation.derivations.base import Derivation
from annotation.pure.discovery import offered

DERIVATIONS: dict[str, Derivation] = {each.how: each for each in offered(__name__, "DERIVATION")}
