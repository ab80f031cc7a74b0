"""A run's figures beside those that the paper prints, as values and as text for the page and the terminal.

`StudyRun.crossed` has for each figure its spread over workers and items, and the versions of the batches it covers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.errors import Refused
from annotation.flow.people import round_attempts, round_results
from annotation.flow.reports import batch_scores, crossed_figures, score_looks
from annotation.flow.reports.crossed_figures import Units
from annotation.flow.review.response_import import import_responses
from annotation.models import Assignment, Batch
from annotation.pure.statistics.intervals import ITEMS_ONLY, Figure
from annotation.pure.statistics.significance import contrast
from annotation.pure.statistics.worker_intervals import Spread, spread
from annotation.pure.studies.conclusions import NOT_CURRENT, Comparison, Own, compared, spread_of
from annotation.pure.studies.published import ANALYSIS, UNITS, Published, ours
from annotation.studies import analysis
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun


class Crossed:
    """The stored spreads of a run beside its batches of now, by their names in the study."""

    def __init__(self, run: StudyRun, batches: Mapping[str, Batch]) -> None:
        self.run, self.batches = run, batches
        self.stored = run.crossed or {}
        self._versions: dict[str, str] = {}

    def is_current(self, published: Published) -> bool:
        """Whether the figure's spread covers all responses of now."""
        kept = self.stored.get(_key(published))
        return kept is not None and kept["stand"] == self._stand(published)

    def of(self, published: Published) -> Spread | None:
        """The stored spread; None if the figure has none."""
        kept = self.stored[_key(published)]["spread"]
        return Spread(**kept) if kept else None

    def compute(self, wanted: Iterable[Published]) -> None:
        """Compute and store the spreads of the figures that are not current."""
        due = [published for published in wanted if not self.is_current(published)]
        if not due:
            return
        needed: defaultdict[str, set[str]] = defaultdict(set)
        for published in due:
            for name in published.batches:
                needed[name].add(path_in(self.run, published.path, name))
        stands = {published: self._stand(published) for published in due}
        units = {name: crossed_figures.of_batch(self.batches[name], paths) for name, paths in needed.items()}
        for published in due:
            sides = [units[name][path_in(self.run, published.path, name)] for name in published.batches]
            found = _spread(*sides)
            self.stored[_key(published)] = {"stand": stands[published], "spread": found and asdict(found)}
        self.run.crossed = self.stored
        StudyRun.objects.filter(pk=self.run.pk).update(crossed=self.stored)

    def _stand(self, published: Published) -> str:
        for name in published.batches:
            if name not in self._versions:
                self._versions[name] = batch_scores.version_key(self.batches[name])
        return " ".join(self._versions[name] for name in published.batches)


def path_in(run: StudyRun, path: str, batch: str) -> str:
    """The path with `{name}` replaced by the dataset's name in the project, and `{}` by the batch's own dataset."""
    own = {row.name: row.datasets[0] for row in run.definition.batches if row.datasets}.get(batch, "")
    return path.replace("{}", run.name_of(own)).replace("{", run.name_of("")).replace("}", "")


def _key(published: Published) -> str:
    return f"{published.batch} {published.path}"


def _spread(*sides: Units | None) -> Spread | None:
    """Of one batch's units; of two the paired difference over the questions of both."""
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return None
    if len(known) == 1:
        return spread(known[0].values())
    first, second = ({key: side[key] for key in side if key in known[0] and key in known[1]} for side in known)
    return contrast(first, second)


def compute(run: StudyRun, *, look: bool = False) -> list[dict[str, Any]]:
    """A row for each published figure: that of `published_row` with "ours", "difference" (each {"value", "low",
    "high"}, ours also "n" and "items_only"), "conclusion", "why", "p", "needed" (`pure.studies.conclusions`) and
    "note".

    Shares are of 1. `note` says why `ours` and `difference` are None, or ours has no interval yet. Scores are read as
    last computed, and of batches whose responses are all in; with `look` they are computed now, of every batch, which
    the log records (optional stopping).
    """
    figures, batches = run.published, batches_of(run)
    reports: dict[str, dict[str, Any] | str] = {}
    for name in sorted({name for published in figures for name in published.batches}):
        is_analysis = name == ANALYSIS
        reports[name] = _analysis(run, look=look) if is_analysis else _report(batches.get(name), look=look)
    crossed = Crossed(run, batches)
    if look:
        crossed.compute([published for published in figures if _is_crossed(run, published, reports)])
    owns = [_own(crossed, published, reports) for published in figures]
    comparisons = compared(list(zip(figures, owns, strict=True)))
    rows = zip(figures, owns, comparisons, strict=True)
    return [published_row(published) | _row(published, own, beside, reports) for published, own, beside in rows]


def _is_crossed(run: StudyRun, published: Published, reports: Mapping[str, dict[str, Any] | str]) -> bool:
    """Whether the figure is of reports on items, which are there."""
    others = {ANALYSIS, *(each.name for each in run.definition.rounds)}
    if published.unit == "count" or not published.batches or others & {*published.batches}:
        return False
    return all(isinstance(reports.get(name), dict) for name in published.batches)


def _analysis(run: StudyRun, *, look: bool) -> dict[str, Any] | str:
    """What the run computes from all batches together, or why there is nothing."""
    if problem := analysis.problem(run, look=look):
        return problem
    if look:
        return analysis.compute(run)
    return analysis.current(run) or _("the scores are being computed")


def _report(batch: Batch | None, *, look: bool) -> dict[str, Any] | str:
    """The batch's report, or why there is none; of a round {"passed": the share of its workers who passed}."""
    if batch is None or batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        return _("not launched")
    if found := round_attempts.round_of(batch):
        passed = round_results.share_passed(found)
        return {"passed": passed.as_json()} if passed.n else _("no results yet")
    if not score_looks.responses(batch):
        return _("no responses yet")
    if look:
        report = batch_scores.score_batch(batch)
        score_looks.record_look(batch)
        return report
    if not score_looks.is_complete(batch):
        return _("not all responses are in")
    return batch_scores.cached_report(batch) or _("the scores are being computed")


def _own(crossed: Crossed, published: Published, reports: Mapping[str, dict[str, Any] | str]) -> Own | None:
    """Our figure with its spread as last computed; of a contrast over the questions of both batches."""
    found = [_figure(crossed.run, published, name, reports[name]) for name in published.batches]
    values = [figure.value for figure in found if figure is not None and figure.value is not None]
    if not values or len(values) < len(found):
        return None
    n = min(figure.n for figure in found if figure)
    value = values[0] - values[1] if published.is_contrast else values[0]
    if not _is_crossed(crossed.run, published, reports):
        [figure, *others] = found
        if figure is None or others:
            return Own(value, n, None)
        people = _people(crossed.run) if published.batch == ANALYSIS else n  # a round's figure is of its workers
        return Own(value, n, spread_of(figure, people), given=figure)
    if not crossed.is_current(published):
        return Own(value, n, None, NOT_CURRENT)
    spread = crossed.of(published)
    if spread and published.is_contrast:
        return Own(spread.value, spread.n, spread)
    return Own(value, n, spread and replace(spread, value=value))


def _figure(run: StudyRun, published: Published, name: str, report: dict[str, Any] | str) -> Figure | None:
    return ours(report, path_in(run, published.path, name)) if isinstance(report, dict) else None


def _people(run: StudyRun) -> int:
    """How many people's responses the run's analysis is of."""
    rows = Assignment.objects.submitted().filter(batch__in=analysis.arms_of(run).values())
    return rows.values("worker").distinct().count()


def _row(
    published: Published, own: Own | None, beside: Comparison | None, reports: Mapping[str, dict[str, Any] | str]
) -> dict[str, Any]:
    """What is ours of a row."""
    if own is None or beside is None:
        note = _missing([reports[name] for name in published.batches])
        empty: dict[str, Any] = {"ours": None, "difference": None, "conclusion": "", "why": "", "p": None}
        return {**empty, "needed": None, "note": note}
    figure = own.figure()
    return {
        "ours": _ends(figure) | {"n": figure.n, "items_only": figure.method == ITEMS_ONLY},
        "difference": _ends(beside.difference),
        "conclusion": beside.conclusion,
        "why": beside.why,
        "p": beside.chance,
        "needed": beside.needed,
        "note": _(NOT_CURRENT) if own.lacking == NOT_CURRENT else "",
    }


def _ends(figure: Figure) -> dict[str, float | None]:
    return {"value": figure.value, "low": figure.low, "high": figure.high}


def _missing(found: list[dict[str, Any] | str]) -> str:
    """Why there is no figure of ours."""
    if not found:
        return _("not measured by this study's responses")
    return next((report for report in found if isinstance(report, str)), _("undefined with these responses"))


def published_row(published: Published) -> dict[str, Any]:
    """{"figure", "unit", "primary", "bound", "contrast", "paper": {"value", "n", "place", "from"}} of a figure."""
    paper = {"value": published.value, "n": published.n, "place": published.place, "from": published.quoted_from}
    row = {name: getattr(published, name) for name in ("figure", "unit", "primary", "bound")}
    return row | {"contrast": published.is_contrast, "paper": paper}


def take_responses(run: StudyRun, files: dict[str, Path]) -> dict[str, Any]:
    """Import responses that were collected elsewhere into the run's batches; {batch: path}. Raises Refused."""
    batches = batches_of(run)
    for name in files:
        if name not in batches:
            text = _("The study has no launched batch %(name)s. There are: %(known)s.")
            raise Refused(text % {"name": name, "known": ", ".join(batches) or _("none")})
    return {name: import_responses(batches[name], path)["accepted"] for name, path in files.items()}


def shown(value: float | None, unit: str) -> str:
    """A figure in its unit: one decimal, counts as whole numbers, shares with four places as papers print them."""
    if value is None:
        return ""
    scale = UNITS[unit]
    text = f"{value:.0f}" if unit == "count" else f"{scale * value:.1f}" if scale == 100 else f"{value:.4f}"
    return text.replace("-", "−")


def interval(figure: dict[str, Any], unit: str, *, signed: bool = False) -> str:
    """The interval of a figure in its unit; "" if it has none."""
    show = shown_difference if signed else shown
    return "" if figure["low"] is None else f"[{show(figure['low'], unit)}, {show(figure['high'], unit)}]"


def shown_difference(value: float, unit: str) -> str:
    """A difference in the unit of its figures, with its sign."""
    text = shown(abs(value), unit)
    return text if not float(text) else f"{'−' if value < 0 else '+'}{text}"


def concluded(row: dict[str, Any]) -> str:
    """The conclusion from a primary figure, or why there is none; "" of another figure."""
    if row["conclusion"]:
        needed = shown(row["needed"], row["unit"])
        return _("%(conclusion)s (needs %(needed)s)") % {"conclusion": _(row["conclusion"]), "needed": needed}
    return _("no conclusion: %(why)s") % {"why": _(row["why"])} if row["why"] else ""


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What holds of all rows: whom intervals are about, and what conclusions rest on."""
    known = [row for row in rows if row["ours"]]
    family = sum(row["primary"] for row in rows)
    found = []
    if any(row["ours"]["low"] is not None for row in known):
        found.append(_("Our intervals are 95 % each, over people and items: for people and items like these."))
    if any(row["ours"]["items_only"] for row in known):
        found.append(_("“Items only”: all values are equal, so the interval (Wilson's) does not tell of other people."))
    if any(row["difference"]["low"] is not None for row in known):
        found.append(
            _(
                "Differences are ours minus the paper's. The paper's figure is given Wilson's interval at its n, "
                "their annotators taken to differ as ours do."
            )
        )
    if known and not family:
        found.append(_("This study has no primary figures, so nothing is concluded."))
    elif known:
        found.append(_family_note(family))
    return found


def _family_note(family: int) -> str:
    text = ngettext(
        "Conclusions are drawn from the one figure that was marked as primary before there were responses.",
        "Conclusions are drawn from the %(n)s figures that were marked as primary before there were responses. They "
        "hold together: the probability of any false one is at most 5 %% (Holm).",
        family,
    )
    needs = _("“Needs” is the smallest difference that would have been one.")
    return f"{text % {'n': family}} {needs}"


def _n(figure: dict[str, Any]) -> str:
    return f", n = {figure['n']}" if figure["n"] else ""


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as text, one a line."""
    return [_line(row) for row in rows]


def _line(row: dict[str, Any]) -> str:
    paper, unit = row["paper"], row["unit"]
    place = "; ".join(filter(None, [paper["place"], paper["from"] and f"from {paper['from']}"]))
    head = f"{row['figure']}: paper {bounded(row)}{_n(paper)}" + (f" ({place})" if place else "")
    if row["ours"] is None:
        return f"{head}; {row['note']}"
    own, apart = row["ours"], row["difference"]
    only = _("items only") if own["items_only"] else ""
    ours_ = " ".join(filter(None, [shown(own["value"], unit), interval(own, unit), only]))
    told = concluded(row) or row["note"]
    difference = [_("difference"), shown_difference(apart["value"], unit), interval(apart, unit, signed=True)]
    return "; ".join(filter(None, [head, f"ours {ours_}{_n(own)}", " ".join(filter(None, difference)), told]))


def bounded(row: dict[str, Any]) -> str:
    """The paper's figure in its unit, with the words of a bound."""
    value = shown(row["paper"]["value"], row["unit"])
    return f"{_(row['bound'])} {value}" if row["bound"] else value
