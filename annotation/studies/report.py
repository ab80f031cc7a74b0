"""A run's figures beside those that the paper prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import round_attempts, round_results
from annotation.flow.reports import batch_scores, score_looks
from annotation.flow.review.response_import import import_responses
from annotation.models import Assignment, Batch
from annotation.pure.statistics.intervals import ITEMS_ONLY, Figure
from annotation.pure.studies.conclusions import NOT_CURRENT, Comparison, Own, compared, spread_of
from annotation.pure.studies.published import ANALYSIS, Published, ours
from annotation.studies import analysis
from annotation.studies.crossed import Crossed, path_in
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun


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
