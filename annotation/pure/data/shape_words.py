"""The shapes of decompositions and the types of questions in words, as tables, charts and pages name them."""

from annotation.pure.text.translation_marks import gettext_noop as _

NOT_KNOWN = _("unknown")
_WORDS = {
    "2hop": _("2 hops"),
    "3hop1": _("3 hops in a row"),
    "3hop2": _("2 hops that meet in a third"),
    "4hop1": _("4 hops in a row"),
    "4hop2": _("2 hops that meet, then 2 in a row"),
    "4hop3": _("a row of 2 and 1 hop that meet"),
    "bridge": _("bridge"),
    "comparison": _("comparison"),
    "bridge_comparison": _("bridge and comparison"),
    "compositional": _("compositional"),
    "inference": _("inference"),
}  # MuSiQue's six shapes; the types of HotpotQA and 2WikiMultihopQA


def is_shape(name: str) -> bool:
    """Whether `name` is a shape or question type with a description."""
    return name in _WORDS


def shape_words(shape: str) -> str:
    """The shape as a gettext id, a source's own name with spaces for underscores, or NOT_KNOWN."""
    return _WORDS.get(shape) or shape.replace("_", " ") or NOT_KNOWN
