"""What models and people judge of an item, and what the tables of both have in common."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.pure.text.translation_marks import gettext_noop as _

MODEL, LABEL = _("Model"), _("Label")
INTERVALS = _(
    "95 % intervals are over annotators and items. With fewer than seven annotators, or where all values are equal, "
    "they are over items only and say nothing about other annotators."
)
MOST_STRATA = 50
WAYS = {  # of strata: the words of a variant of a table, and of its first column
    "hops": (_("by number of hops"), _("Hops")),
    "dataset": (_("by dataset"), _("Dataset")),
    "field": (_("by stratum"), _("Stratum")),
}


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that each response judges of an item. `value`: of a response, None if it has none.

    `about`: the cell that names it. `labels`: the values that can be equal, with their cells; empty of a number.
    `ends`: of a scale or number; without either it has no figures. `whole`: responses judge nothing else, so that a
    confidence is about this. `each`: a value is a list, by the elements of a list of the item; `own_strata`: so are the
    values of the field by which a report has strata. `sets`: a value is a frozenset of labels. `conditional`: asked
    only in some cases. `is_stated`: the task's own tables have the figures of people with their intervals.
    `right`: the values with which an answer is right, if answers are judged; `wrong_gold`: the dataset's is wrong.
    """

    name: str
    about: JSON
    value: Callable[[JSON], Any]
    labels: Mapping[Any, Any] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    whole: bool = True
    each: bool = False
    own_strata: bool = False
    sets: bool = False
    conditional: bool = False
    is_stated: bool = False
    right: Collection[Any] = ()
    wrong_gold: Collection[Any] = ()

    def judged(self, item: Hashable, answer: JSON) -> Iterator[tuple[Hashable, Any]]:
        """(what is judged, value) of a response to an item: the item, or (item, position) of each element."""
        value = self.value(answer)
        values = (((item, k), one) for k, one in enumerate(value or ())) if self.each else [(item, value)]
        return ((what, one) for what, one in values if one is not None)

    def label(self, value: Any) -> Any:
        """The label of a value; of a mean of several runs the nearest point."""
        return value if self.ends is None else min(self.labels, key=lambda point: abs(point - value))

    def scorer(self, label: Any) -> Callable[[Any], float]:
        """What a value counts in a share of the label, 1 or 0; of a scale or number its place on it, 0..1."""
        if self.ends:
            low, high = self.ends
            return lambda value: float((value - low) / (high - low))
        return (lambda value: float(label in value)) if self.sets else (lambda value: float(value == label))


def part_of(strata: Sequence[str], k: int | None) -> str:
    """The stratum of element k in the strata of a list; of the whole list all of them."""
    return ", ".join(strata) if k is None else strata[k] if k < len(strata) else ""


class Predicted(NamedTuple):
    """A model's value of an item, and its confidence in its whole response."""

    value: Any
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Draw:
    """How items were drawn by confidence: of which model, the items that could be drawn, the chances of the drawn."""

    model: str
    frame: Collection[Hashable]
    chances: Mapping[Hashable, float]


Predictions = Mapping[str, Mapping[Hashable, Predicted]]  # by model and what is judged


class Strata(NamedTuple):
    """A division of items, one of WAYS: the stratum of each item, of a field of elements a list of theirs."""

    way: str
    of: Mapping[Hashable, Any]

    def stratum(self, asked: Aspect, what: Any) -> Any:
        """The stratum of what is judged; None or "" if it has none."""
        item, k = what if asked.each else (what, None)
        found = self.of.get(item)
        return part_of(found, k if asked.own_strata else None) if isinstance(found, list) else found

    def parts(
        self, asked: Aspect, given: Sequence[Labelled], predicted: Predictions
    ) -> Iterator[tuple[Any, list[Labelled], Predictions]]:
        """(stratum, its responses, its predictions) of at most MOST_STRATA; none if there is but one."""
        rows: defaultdict[Any, list[Labelled]] = defaultdict(list)
        models: defaultdict[Any, dict[str, dict[Hashable, Predicted]]] = defaultdict(lambda: defaultdict(dict))
        for model, of in predicted.items():
            for what, one in of.items():
                if stratum := self.stratum(asked, what):
                    models[stratum][model][what] = one
        for row in given if 1 < len(models) <= MOST_STRATA else ():
            rows[self.stratum(asked, row.item)].append(row)
        yield from ((key, rows[key], models[key]) for key in sorted(rows.keys() & models.keys()))


def listed(cells: Sequence[Any]) -> JSON:
    """Cells as one, parted by commas."""
    names = {f"name{k}": cell for k, cell in enumerate(cells)}
    return text_cell(", ".join(f"%({name})s" for name in names), **names)


def table_of(kind: str, asked: Aspect, title: str, columns: Sequence[str], rows: Iterable[Any], note: Any) -> JSON:
    name = f"{kind}-{asked.name.replace('_', '-')}"
    about = {"about": asked.about, "kind": kind, "leads": False, "bars": False}
    return table(name, title, columns, list(rows), note, **about)
