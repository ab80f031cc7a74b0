"""Two or more reports side by side: the rows that they share, with their differences, and tables of them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.charts import Dots, Series
from annotation.pure.reports.tables import Translate, rounded, table, text_cell
from annotation.pure.statistics import significance
from annotation.pure.statistics.intervals import LEVEL, Figure, bootstrap_figure
from annotation.pure.statistics.significance import Ends, chance, chance_text, contrast, holm, mover, workers_of
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Unit, crossed, spread
from annotation.pure.text.translation_marks import gettext_noop as _

Values = Mapping[Hashable, float]
Without = Mapping[Hashable, Mapping[str, float | None]]
Units = Mapping[Hashable, Unit]
PEOPLE = "all"  # the key of all annotators of a batch together
SEED = 0
LEAST_PAIRS = 5  # shared items from which on a difference is paired
PAIRED, SAME_PEOPLE, _APART = _("paired"), _("not paired: the same workers on different items"), _("not paired")


@dataclass(frozen=True, slots=True)
class Measured:
    """One side of a comparison. `scores` and `agreements` are per item, 0..1."""

    key: str
    label: str
    scores: Values = field(default_factory=dict)
    agreements: Values = field(default_factory=dict)
    answers: int = 0
    seconds: float | None = None  # median active time of an answer
    paid: Decimal | None = None  # without fees
    wage: Decimal | None = None  # median over annotators, an hour
    report: dict[str, Any] = field(default_factory=dict)
    without: Mapping[str, Without] = field(default_factory=dict)  # of scores and agreements, by worker

    def units(self, of: str) -> Units:
        """The `scores` or `agreements` with their values without each worker."""
        without = self.without.get(of, {})
        return {key: Unit(value, without.get(key, {})) for key, value in getattr(self, of).items()}

    def mean(self, of: str) -> Figure:
        return mean_of(self.units(of))


@dataclass(frozen=True, slots=True)
class Difference:
    """The first minus the second. `figure.n` counts the shared items, or the smaller side's; `how` is PAIRED, ...

    `chance` is the p value of no difference, not adjusted for others, None where there is no interval over workers and
    items; `effect` is Cohen's d.
    """

    figure: Figure
    how: str
    chance: float | None
    effect: float | None


def difference(first: Units, second: Units) -> Difference | None:
    """The difference of the means with its 95 % interval; None if a side has no value."""
    if not first or not second:
        return None
    shared = [key for key in first if key in second]
    if len(shared) >= LEAST_PAIRS:
        one, two = ({key: side[key] for key in shared} for side in (first, second))
        apart = [(one[key].value or 0.0) - (two[key].value or 0.0) for key in shared]
        return _contrasted(one, two, len(shared), PAIRED, significance.effect(apart))
    effect = significance.effect_unpaired(*([unit.value or 0.0 for unit in side.values()] for side in (first, second)))
    if workers_of(first) & workers_of(second):
        return _contrasted(first, second, min(len(first), len(second)), SAME_PEOPLE, effect)
    spreads = [spread(side.values()) for side in (first, second)]

    def ends(level: float) -> Figure:
        one, two = (each.figure(level) if each else Figure(None, None, None, 0) for each in spreads)
        return mover(one, two)

    is_known = all(each and each.error for each in spreads)
    return Difference(ends(LEVEL), _APART, chance(ends) if is_known else None, effect)


def _contrasted(first: Units, second: Units, n: int, how: str, effect: float | None) -> Difference:
    found = contrast(first, second)
    figure = found.figure() if found else Figure(None, None, None, 0)
    ends: Ends | None = found.figure if found and found.error else None
    return Difference(
        Figure(figure.value, figure.low, figure.high, n, figure.method), how, ends and chance(ends), effect
    )


def mean_of(units: Units) -> Figure:
    """The mean over items with its interval over workers and items; of what has no workers over items only."""
    if workers_of(units):
        return crossed(units.values())
    return bootstrap_figure([unit.value for _key, unit in sorted(units.items(), key=lambda one: repr(one[0]))], SEED)


GRADE, AGREEMENT = _("Grade against gold"), _("Agreement in pairs")
HOW = _(
    "In percent, with 95 %% intervals over workers and items (Student's t), from %(least)s workers on; over items "
    "only for a single worker or a model (bootstrap), and where all values are equal (Wilson). "
    "Grade: the mean grade of an item's responses against gold. Agreement in pairs: the mean similarity of "
    "two responses to an item, with all their parts; in reports, each response is compared with the closest "
    "other one, part by part."
)
TO_ANSWERS, NOWHERE = {"answers": "1"}, None  # link targets of a column's numbers, if not the HITs
APART = _(
    "The first minus the other, in percentage points, over workers and items. Paired: over the items that both have. "
    "Not paired: over different items, so the whole difference may come from harder items. A single worker or a model "
    "is taken as given. Effect: Cohen's d, the difference in standard deviations."
)
TESTED = _(
    "p: the smallest level at which the difference's interval excludes 0, with Holm's adjustment for the %(tests)s "
    "differences of this table. If there were no differences, the probability that any p is below 0.05 would "
    "be at most 5 %%. Intervals are 95 %% each. Neither is given for fewer than %(least)s workers."
)


def batch_tables(measured: Sequence[Measured]) -> list[JSON]:
    """A table of the batches, and one of the differences between the first and each other batch; none of none."""
    if not measured:
        return []
    columns = [_("Batch"), _("Responses"), _("Items"), GRADE, AGREEMENT, _("Median seconds"), _("Paid (US$)"),
               _("Median wage (US$ an hour)")]  # fmt: skip
    rows = [
        [one.label, one.answers, len(one.scores.keys() | one.agreements.keys()), one.mean("scores").as_json(),
         one.mean("agreements").as_json(), rounded(one.seconds, 1), _money(one.paid), _money(one.wage)]
        for one in measured
    ]  # fmt: skip
    of, of_columns = (
        [{"batch": one.key} for one in measured],
        [{}, TO_ANSWERS, {}, {}, {}, TO_ANSWERS, NOWHERE, NOWHERE],
    )
    batches = table("batches", _("Batches"), columns, rows, _how(), of=of, of_columns=of_columns)
    return [batches, *_report_table(measured), *_differences(measured)]


def _report_table(measured: Sequence[Measured]) -> list[JSON]:
    """Human score, upper bound and agreement of each dataset, as the batches' reports have them."""
    measures = ("human_score", "upper_bound", "agreement")
    rows = [
        [one.label, name, study["n"], one.report.get("k"), *(_value(study["answer"][m]["f1"]) for m in measures)]
        for one in measured
        for name, study in (one.report.get("datasets") or {}).items()
    ]
    if not rows:
        return []
    columns = [_("Batch"), _("Dataset"), "n", "k", _("Human score"), _("Upper bound"), _("Agreement")]
    note = _("Answer F1 in percent, at k responses per item, from each batch's last report, which has the intervals.")
    of = [{"batch": one.key, "dataset": name} for one in measured for name in one.report.get("datasets") or {}]
    return [table("human-performance", _("Human performance"), columns, rows, note, of=of)]


def answerer_tables(measured: Sequence[Measured]) -> list[JSON]:
    """Tables of workers and models on one batch's items; the first is also shown on the items of each other."""
    columns = [_("Group"), _("Responses"), _("Items"), GRADE, AGREEMENT, _("Median seconds")]
    rows: list[list[Any]] = []
    for one in measured:
        items = len(one.scores.keys() | one.agreements.keys())
        means = [one.mean("scores").as_json(), one.mean("agreements").as_json()]
        rows.append([_worker_label(one), one.answers, items, *means, rounded(one.seconds, 1)])
        rows += _on_same_items(measured[0], one)
    of_columns = [{}, TO_ANSWERS, {}, {}, {}, TO_ANSWERS]
    answerers = table("answerers", _("Workers and models"), columns, rows, _how(), of_columns=of_columns)
    return [answerers, *_differences(measured)]


def _on_same_items(first: Measured, other: Measured) -> list[list[Any]]:
    """A row with the grade of the first on the items graded for both; none if no or all of its items are."""
    same = {key: unit for key, unit in first.units("scores").items() if key in other.scores}
    if not same or len(same) == len(first.scores):
        return []
    words = text_cell(_("%(who)s on the items of %(other)s"), who=_worker_label(first), other=_worker_label(other))
    return [[words, None, len(same), mean_of(same).as_json(), None, None]]


def _differences(measured: Sequence[Measured]) -> list[JSON]:
    if len(measured) < 2:
        return []
    first, *others = measured
    known = [
        (other, words, result)
        for other in others
        for words, of in ((GRADE, "scores"), (AGREEMENT, "agreements"))
        if (result := difference(first.units(of), other.units(of))) is not None
    ]
    if not known:
        return []
    tested = [result.chance for _other, _words, result in known if result.chance is not None]
    adjusted = iter(holm(tested))
    rows = [
        [_worker_label(first), _worker_label(other), text_cell(words), result.figure.as_json(),
         rounded(result.effect, 2), None if result.chance is None else chance_text(next(adjusted)), result.figure.n,
         text_cell(result.how)]
        for other, words, result in known
    ]  # fmt: skip
    columns = [_("First"), _("Other"), _("Measure"), _("Difference"), _("Effect"), _("p, adjusted"), _("Items"),
               _("Method")]  # fmt: skip
    note = [APART, text_cell(TESTED, tests=len(tested), least=LEAST_WORKERS)]
    return [table("differences", _("Differences"), columns, rows, note, bars=False, leads=False)]


def dataset_tables(facts: Sequence[Mapping[str, Any]]) -> list[JSON]:
    """Contents of datasets; `facts`: {"name", "items", "hops", "shapes", "answerable", "unanswerable", "licence"}."""
    names = [one["name"] for one in facts]
    rows: list[list[Any]] = [[text_cell(_("items")), *(one["items"] for one in facts)]]
    if any(one["answerable"] or one["unanswerable"] for one in facts):  # most formats do not say
        rows.append([text_cell(_("answerable")), *(one["answerable"] for one in facts)])
        rows.append([text_cell(_("not answerable")), *(one["unanswerable"] for one in facts)])
    for key, words in (("hops", _("%(name)s-hop items")), ("shapes", _("items of the shape %(name)s"))):
        for value in sorted({value for one in facts for value in one[key] if value}):
            rows.append([text_cell(words, name=value), *(one[key].get(value, 0) for one in facts)])
    rows.append([text_cell(_("licence")), *(one["licence"] or None for one in facts)])
    return [table("datasets", _("Datasets"), [_("Measure"), *names], rows)]


def chart_of(measured: Sequence[Measured], title: str, translate: Translate) -> Dots | None:
    """Grade and agreement of each, with their intervals; None without any value."""
    labels = (translate(_("all workers")) if one.key == PEOPLE else one.label for one in measured)
    groups = tuple(text if len(text) <= 32 else f"{text[:30]}…" for text in labels)
    series = []
    for words, of in ((GRADE, "scores"), (AGREEMENT, "agreements")):
        means = [one.mean(of) for one in measured]
        points = tuple(None if m.value is None else (100 * m.value, _hundred(m.low), _hundred(m.high)) for m in means)
        if any(points):
            series.append(Series(translate(words), points))
    return Dots("comparison", title, "%", groups, tuple(series), across=True) if series else None


def _hundred(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _worker_label(one: Measured) -> Any:
    return text_cell(_("all workers")) if one.key == PEOPLE else one.label


def _how() -> list[JSON]:
    return [text_cell(HOW, least=LEAST_WORKERS)]


def _value(figure: JSON) -> JSON:
    """The figure without its interval, which is over the items of its batch."""
    return {"value": figure["value"], "low": None, "high": None, "n": figure["n"]}


def _money(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
