"""A run's figures beside those that the paper prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores, score_looks
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch
from annotation.pure.studies.published import ANALYSIS, UNITS, Published, difference, ours
from annotation.studies import analysis
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun


def compute(run: StudyRun, *, look: bool = False) -> list[dict[str, Any]]:
    """A row for each published figure: {"figure", "unit", "paper", "ours", "difference", "note"}.

    Shares are of 1. `ours` and `difference` are None where `note` says why. Scores are read as last computed, and of
    batches whose responses are all in; with `look` they are computed now, of every batch, which the log records
    (optional stopping).
    """
    batches = batches_of(run)
    reports: dict[str, dict[str, Any] | str] = {}
    for published in run.published:
        if published.batch == ANALYSIS and ANALYSIS not in reports:
            reports[ANALYSIS] = _analysis(run, look=look)
        elif published.batch and published.batch not in reports:
            reports[published.batch] = _report(batches.get(published.batch), look=look)
    return [_row(run, published, reports.get(published.batch)) for published in run.published]


def _analysis(run: StudyRun, *, look: bool) -> dict[str, Any] | str:
    """What the run computes from all batches together, or why there is nothing."""
    if problem := analysis.problem(run, look=look):
        return problem
    if look:
        return analysis.compute(run)
    return analysis.current(run) or _("the scores are being computed")


def _report(batch: Batch | None, *, look: bool) -> dict[str, Any] | str:
    """The batch's report, or why there is none."""
    if batch is None or batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING}:
        return _("not launched")
    if not score_looks.responses(batch):
        return _("no responses yet")
    if look:
        report = batch_scores.score_batch(batch)
        score_looks.look(batch)
        return report
    if not score_looks.is_complete(batch):
        return _("not all responses are in")
    return batch_scores.cached_report(batch) or _("the scores are being computed")


def _row(run: StudyRun, published: Published, report: dict[str, Any] | str | None) -> dict[str, Any]:
    own = ours(report, _path(run, published.path)) if isinstance(report, dict) else None
    if own is not None:
        compared = {"ours": asdict(own), "difference": asdict(difference(published, own)), "note": ""}
    else:
        compared = {"ours": None, "difference": None, "note": _missing(report)}
    return published_row(published) | compared


def _missing(report: dict[str, Any] | str | None) -> str:
    """Why there is no figure of ours."""
    if report is None:
        return _("not measured by this study's responses")
    return report if isinstance(report, str) else _("undefined with these responses")


def published_row(published: Published) -> dict[str, Any]:
    """{"figure", "unit", "paper": {"value", "n", "place", "from"}} of a published figure."""
    paper = {"value": published.value, "n": published.n, "place": published.place, "from": published.quoted_from}
    return {"figure": published.figure, "unit": published.unit, "paper": paper}


def _path(run: StudyRun, path: str) -> str:
    """The path with `{name}` replaced by the dataset's name in the project."""
    return path.replace("{", run.name_of("")).replace("}", "")


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
    return f"{value:.0f}" if unit == "count" else f"{scale * value:.1f}" if scale == 100 else f"{value:.4f}"


def interval(own: dict[str, Any], unit: str) -> str:
    """The interval of a figure of ours in its unit; "" if it has none."""
    return "" if own["low"] is None else f"[{shown(own['low'], unit)}, {shown(own['high'], unit)}]"


def _n(figure: dict[str, Any]) -> str:
    return f", n = {figure['n']}" if figure["n"] else ""


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """The rows as text, one a line."""
    return [_line(row) for row in rows]


def _line(row: dict[str, Any]) -> str:
    paper, unit = row["paper"], row["unit"]
    place = "; ".join(filter(None, [paper["place"], paper["from"] and f"from {paper['from']}"]))
    head = f"{row['figure']}: paper {shown(paper['value'], unit)}{_n(paper)} ({place})"
    if row["ours"] is None:
        return f"{head}; {row['note']}"
    own, apart = row["ours"], row["difference"]
    within = f" {interval(own, unit)}" if own["low"] is not None else ""
    words = {True: "more than chance", False: "within chance", None: "no test"}[apart["beyond_chance"]]
    return f"{head}; ours {shown(own['value'], unit)}{within}{_n(own)}; {words}"
