"""What a dataset must hold to be derived from, as far as its features tell (annotation.pure.data.features)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.pure.text.translation_marks import gettext_noop

Features = Mapping[str, Any]

NO_HOPS = gettext_noop("None of its questions has a decomposition into hops.")
NOT_SINGLE = gettext_noop(
    "Its questions are not single-hop questions with one paragraph each. Create single-hop questions first."
)
NO_PARTS = gettext_noop("Its questions have neither a decomposition into hops nor one paragraph each.")
NEITHER = gettext_noop("It contains neither single-hop questions nor pairs. Create them first.")

NO_SUPPORTS = gettext_noop("None of its questions has supporting paragraphs.")

NO_OPTIONS = gettext_noop("None of its questions has answer options.")


def needs_options(features: Features) -> str:
    return "" if features.get("options") else NO_OPTIONS


def needs_supports(features: Features) -> str:
    return "" if features.get("supports") else NO_SUPPORTS


def needs_hops(features: Features) -> str:
    return "" if _hops(features) - {"0"} else NO_HOPS


def needs_singles(features: Features) -> str:
    return "" if _all_single(features) else NOT_SINGLE


def needs_singles_or_pairs(features: Features) -> str:
    pairs = _hops(features) == {"2"} and set(features.get("shapes", {})) == {"2hop"}
    return "" if pairs or _all_single(features) else NEITHER


def needs_parts(features: Features) -> str:
    """For whoever takes questions apart, or as they are where they have one paragraph."""
    return "" if _hops(features) - {"0"} or "1" in features.get("paragraphs", {}) else NO_PARTS


def fits_any(features: Features) -> str:
    return ""


def _hops(features: Features) -> set[str]:
    return set(features.get("hops", {}))


def _all_single(features: Features) -> bool:
    return _hops(features) == {"0"} and set(features.get("paragraphs", {})) == {"1"}
