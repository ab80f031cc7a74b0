"""Display of a round: chances of passing, histogram with mark, grid."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.people import bulk_grants, qualification_rounds, round_attempts, round_pools, round_results
from annotation.flow.people.round_results import Result
from annotation.models import QualificationRound
from annotation.pure.people import round_rules as rules
from annotation.pure.people.round_rules import Chance, Clause
from annotation.pure.reports.charts import Bars
from annotation.pure.text.spreadsheet import csv_text, guarded

BINS = 20
GOOD_BY = 0.1  # a worker so far above the mark counts as good


def describe_chances(chances: Sequence[Chance], rule: Sequence[Clause]) -> dict[str, Any]:
    """The chances for the page: a sentence on a good worker, and whether most of them would fail."""
    mark = rules.mark_of(rule).value
    good = next((chance for chance in chances if chance.skill >= mark + GOOD_BY - rules.SLACK), chances[-1])
    text = _("A worker whose long-run figures are %(skill)s percent passes in %(least)s of 100 cases")
    sentence = text % {"skill": f"{100 * good.skill:g}", "least": f"{100 * good.value:.0f}"}
    if good.most - good.value > 0.005:
        text = _("%(sentence)s, and in %(most)s of 100 if the figures rise and fall together.")
        sentence = text % {"sentence": sentence, "most": f"{100 * good.most:.0f}"}
    else:
        sentence += "."
    return {"chances": chances, "sentence": sentence, "strict": good.most < 0.5, "spread": good.value < 0.5}


def histogram(results: Sequence[Result], mark: int) -> Bars:
    """The best known score of each worker, in steps of five percent."""
    counts = [0] * BINS
    for result in round_results.best(results):
        counts[min(BINS - 1, round_results.percent(result.score or 0) * BINS // 100)] += 1
    labels = [f"{100 * k // BINS}–{100 * (k + 1) // BINS}" for k in range(BINS)]
    values = tuple(zip(labels, counts, strict=True))
    return Bars(values, _("Workers by score"), ("0", "100"), height=180.0, mark=mark)


def wanted_mark(text: str) -> float | None:
    """A mark from the query string, 0..1; None: the rule."""
    try:
        percent = float(text)
    except ValueError:
        return None
    return percent / 100 if 0 <= percent <= 100 else None


def chosen(round: QualificationRound, results: Sequence[Result], mark: float | None) -> dict[str, Any]:
    """The workers chosen by mark or rule, and their expected quality."""
    rule = qualification_rounds.rule_of(round)
    at = rules.mark_of(rule).value if mark is None else mark
    figures = qualification_rounds.figures_for(round.batch.task, round.grading)
    names = [_(figures[name].label) for name in dict.fromkeys(clause.figure for clause in rule)]
    prospect = round_results.prospects(round, results, [at])[0]
    people = [
        (each, round_results.percent(each.score or 0)) for each in round_results.chosen_attempts(round, results, mark)
    ]
    return {
        "round": round,
        "mark": mark,
        "percent": f"{100 * at:g}",
        "people": people,
        "ungranted": len(bulk_grants.plan(round.grants, {result.worker: score for result, score in people})),
        "figures": names,
        "known": len(round_results.best(results)),
        "expected": list(zip(names, prospect.figures, strict=True)) if mark is not None else [],
        "strict": rules.mark_of(rule).comparator == ">",
    }


def facts(round: QualificationRound) -> list[tuple[str, str]]:
    """The round's settings."""
    minutes = _("%(n)s minutes, starting with the first item")
    limit = minutes % {"n": round.seconds // 60} if round.seconds else _("none")
    shares = rules.shares(round.per_worker, round_attempts.datasets_of(round))
    pool = round_pools.pool_of(round.batch)
    return [
        (_("Pool"), _("%(n)s items (%(items)s)") % {"n": sum(pool.values()), "items": _counted(pool)}),
        (_("Items for each worker"), f"{round.per_worker} ({_counted(shares)})"),
        (_("Attempts"), str(round.attempts)),
        (_("Time limit"), limit),
        (_("Graded by"), str(round.get_grading_display())),
    ]


def _counted(by_dataset: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {slug}" for slug, count in by_dataset.items())


def table(round: QualificationRound) -> Iterator[str]:
    """The results as CSV: a line per attempt with its figures, and the value of every item."""
    found = round_results.results(round)
    figures = sorted({name for result in found for name in result.figures})
    items = max((len(result.cells) for result in found), default=0)
    head = ["worker", "attempt", "answered", "score", "passed", *figures, *(f"item_{k + 1}" for k in range(items))]
    yield csv_text([map(guarded, head)])
    for result in found:
        known = [_number(result.figures.get(name)) for name in figures]
        cells = [_number(cell.value) for cell in result.cells]
        passed = "" if result.passed is None else str(result.passed).lower()
        plain = [result.worker.pseudonym, str(result.attempt.number), str(result.answered), _number(result.score)]
        yield csv_text([map(guarded, [*plain, passed, *known, *cells])])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
