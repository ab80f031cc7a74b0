"""A run's figures beside those that the paper prints."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import round_attempts, round_results
from annotation.flow.reports import batch_scores, score_looks
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch
from annotation.pure.studies.published import ANALYSIS, UNITS, Ours, Published, difference, ours
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
    for name in sorted({name for published in run.published for name in published.batches}):
        is_analysis = name == ANALYSIS
        reports[name] = _analysis(run, look=look) if is_analysis else _report(batches.get(name), look=look)
    return [_row(run, published, reports) for published in run.published]


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
        score_looks.look(batch)
        return report
    if not score_looks.is_complete(batch):
        return _("not all responses are in")
    return batch_scores.cached_report(batch) or _("the scores are being computed")


def _row(run: StudyRun, published: Published, reports: dict[str, dict[str, Any] | str]) -> dict[str, Any]:
    found = [reports[name] for name in published.batches]
    owns = [_own(run, published, name, reports[name]) for name in published.batches]
    own = _contrast(owns[0], owns[1]) if len(owns) == 2 else owns[0] if owns else None
    if own is not None:
        compared = {"ours": asdict(own), "difference": asdict(difference(published, own)), "note": ""}
    else:
        compared = {"ours": None, "difference": None, "note": _missing(found)}
    return published_row(published) | compared


def _own(run: StudyRun, published: Published, name: str, report: dict[str, Any] | str) -> Ours | None:
    return ours(report, _path(run, published.path, name)) if isinstance(report, dict) else None


def _contrast(first: Ours | None, second: Ours | None) -> Ours | None:
    """The first figure minus the second; None where one is missing."""
    if first is None or second is None:
        return None
    return Ours(first.value - second.value, None, None, min(first.n, second.n))


def _missing(found: list[dict[str, Any] | str]) -> str:
    """Why there is no figure of ours."""
    if not found:
        return _("not measured by this study's responses")
    return next((report for report in found if isinstance(report, str)), _("undefined with these responses"))


def published_row(published: Published) -> dict[str, Any]:
    """{"figure", "unit", "paper": {"value", "n", "place", "from"}} of a published figure."""
    paper = {"value": published.value, "n": published.n, "place": published.place, "from": published.quoted_from}
    return {"figure": published.figure, "unit": published.unit, "paper": paper}


def _path(run: StudyRun, path: str, batch: str) -> str:
    """The path with `{name}` replaced by the dataset's name in the project, and `{}` by the batch's own dataset."""
    own = {row.name: row.datasets[0] for row in run.definition.batches if row.datasets}.get(batch, "")
    return path.replace("{}", run.name_of(own)).replace("{", run.name_of("")).replace("}", "")


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
