"""A dataset's contents as charts, from the counts that are kept with it."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.pure.data.features import STEP
from annotation.pure.reports.charts import Bars
from annotation.pure.reports.tables import Translate
from annotation.pure.text.named_entities import ENTITIES, KINDS
from annotation.pure.text.translation_marks import gettext_noop as _

BINS = 14  # of a histogram, at most
WIDTH = 320.0
WIDTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
BY_SPELLING = _("Detected from the spelling of the answer (English only).")
BY_QUESTION = _(
    "Detected from what the question, or its last hop, asks for, such as who, where, which company (English only)."
)
Chart = tuple[str, int, Bars, str]  # title, items, bars, how the bars were told apart


def charts_of(features: Mapping[str, Any], translate: Translate = str) -> list[Chart]:
    """Charts of a dataset's features: hops, lengths, kinds of answers and of names, each with several bars."""
    return list(_charts(features, translate))


def _charts(features: Mapping[str, Any], translate: Translate) -> Iterator[Chart]:
    hops = {int(k): n for k, n in features.get("hops", {}).items() if k != "0"}
    yield from _chart(translate(_("Hops")), [(str(k), n) for k, n in sorted(hops.items())])
    yield from _labelled(_("Kinds of answers"), features.get("answer_kinds", {}), KINDS, BY_SPELLING, translate)
    yield from _labelled(_("Named answers"), features.get("entities", {}), ENTITIES, BY_QUESTION, translate)
    yield from _chart(translate(_("Words of a question")), _histogram(features.get("question_words", {}), 1))
    yield from _chart(translate(_("Words of a context")), _histogram(features.get("context_words", {}), STEP))


def _labelled(
    title: str, found: Mapping[str, int], labels: Mapping[str, str], note: str, translate: Translate
) -> Iterator[Chart]:
    """A bar for each label that was found."""
    bars = [(translate(words), found[name]) for name, words in labels.items() if found.get(name)]
    room = max(map(len, (label for label, _n in bars)), default=0) * 8 + 8  # so that each bar has its label
    yield from _chart(translate(title), bars, max(WIDTH, 60.0 + len(bars) * room), translate(note))


def _chart(title: str, values: list[tuple[str, int]], width: float = WIDTH, note: str = "") -> Iterator[Chart]:
    if sum(count > 0 for _label, count in values) > 1:
        listed = ", ".join(f"{label}: {count}" for label, count in values)
        bars = Bars(tuple(values), f"{title}. {listed}.", width=width)
        yield title, sum(count for _label, count in values), bars, note


def _histogram(counts: Mapping[str, int], step: int) -> list[tuple[str, int]]:
    """Numbers of items in bins of a round width, from the lowest to the highest."""
    numbers = {int(k): n for k, n in counts.items()}
    if not numbers:
        return []
    low, high = min(numbers), max(numbers)
    fitting = (width for width in WIDTHS if width >= step and high // width - low // width < BINS)
    width = next(fitting, WIDTHS[-1])
    bins = dict.fromkeys(range(low // width, high // width + 1), 0)
    for number, count in numbers.items():
        bins[number // width] += count
    return [(str(place * width), count) for place, count in bins.items()]
