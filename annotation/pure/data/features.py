"""Features of a whole dataset, so that a page's controls do not depend on a single item; its shapes in words."""

from collections import Counter
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.derivations.ablation import ABLATION
from annotation.pure.text.named_entities import NAME, entity_of, kind_of
from annotation.pure.text.translation_marks import gettext_noop as _

COUNTERS = ("hops", "shapes", "paragraphs", "question_words", "context_words", "answer_kinds", "entities")
STEP = 100  # words of a context are counted in steps of so many


class FeatureCount:
    """Counts over the examples of a dataset, one after the other."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._hops: Counter[int] = Counter()
        self._shapes: Counter[str] = Counter()
        self._paragraphs: Counter[int] = Counter()
        self._question_words: Counter[int] = Counter()
        self._context_words: Counter[int] = Counter()
        self._answer_kinds: Counter[str] = Counter()
        self._entities: Counter[str] = Counter()
        self._words = 0

    def add(self, example: Example) -> None:
        self._seen["items"] += 1
        self._seen["yes_no"] += (example.answer or "").strip().lower() in {"yes", "no"}
        self._seen["unanswerable"] += example.answerable is False
        self._seen["options"] += bool(example.options)
        self._seen["sentences"] += any(p.sentences is not None for p in example.paragraphs)
        self._seen["supports"] += bool(example.supports)
        self._seen["one_support"] += len(example.supports or ()) == 1
        self._seen["ablated"] += ABLATION in example.extra
        self._hops[len(example.hops)] += 1
        self._shapes[example.shape] += 1
        self._paragraphs[len(example.paragraphs)] += 1
        words = sum(p.text.count(" ") + 1 for p in example.paragraphs)
        self._question_words[len(example.question.split())] += 1
        self._context_words[words // STEP * STEP] += 1
        kind = kind_of(None if example.answerable is False else example.answer)
        self._answer_kinds[kind] += 1
        if kind == NAME:
            self._entities[entity_of(example.hops[-1].question if example.hops else example.question)] += 1
        self._words += words

    def as_json(self) -> dict[str, Any]:
        """Counts of items by feature, hops, shape, lengths, kinds of answers and names; mean words of a context."""
        return dict(self._seen) | {
            "hops": {str(k): n for k, n in sorted(self._hops.items())},
            "shapes": dict(sorted(self._shapes.items())),
            "paragraphs": {str(k): n for k, n in sorted(self._paragraphs.items())},
            "question_words": {str(k): n for k, n in sorted(self._question_words.items())},
            "context_words": {str(k): n for k, n in sorted(self._context_words.items())},
            "answer_kinds": dict(sorted(self._answer_kinds.items())),
            "entities": dict(sorted(self._entities.items())),
            "words": round(self._words / max(1, self._seen["items"])),
        }


def replaced(features: dict[str, Any], old: Example, new: Example) -> dict[str, Any]:
    """The features of a dataset after one example was replaced; the mean number of words is approximate."""
    before, after = (_alone(example) for example in (old, new))
    items = features.get("items") or 1
    changed = {name: features.get(name, 0) + after[name] - before[name] for name in before if name not in COUNTERS}
    changed["words"] = round(features.get("words", 0) + (after["words"] - before["words"]) / items)
    for name in COUNTERS:
        if name not in features:
            changed.pop(name, None)
            continue  # of a dataset from before it was counted
        counted = Counter(features.get(name, {}))
        counted.update(after[name])
        counted.subtract(before[name])
        changed[name] = dict(sorted((key, n) for key, n in counted.items() if n > 0))
    return {**features, **changed}


def _alone(example: Example) -> dict[str, Any]:
    count = FeatureCount()
    count.add(example)
    return count.as_json()


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
