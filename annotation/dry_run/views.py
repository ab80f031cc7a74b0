"""Dry runs of a batch: a form, and the forecasts so far."""

from dataclasses import asdict, fields
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from annotation.dry_run import run
from annotation.dry_run.forecast import WorkerModel
from annotation.dry_run.run import MOST_HITS, MOST_WORKERS
from annotation.forms.projects import ConsoleForm
from annotation.models import Batch, Job, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_form
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import see_other

SHARES = {
    "skill": _("Accuracy of the average worker"),
    "spread": _("Standard deviation of accuracy between workers"),
    "lazy": _("Share of hasty workers"),
    "spam": _("Share of workers who guess"),
    "dropout": _("Probability of leaving after a response"),
    "returns": _("Probability of returning an assignment"),
    "abandons": _("Probability of abandoning an assignment"),
}
SHOWN = 10  # listed on a page
MOST_READ = 500  # of the project's latest jobs, searched for dry runs


class DryRunForm(ConsoleForm):
    """Number and parameters of the simulated workers (shares in percent), and of HITs."""

    workers = forms.IntegerField(label=_("Simulated workers"), min_value=1, max_value=MOST_WORKERS, initial=40)
    hits = forms.IntegerField(
        label=_("HITs in the dry run"),
        min_value=1,
        max_value=10_000,
        initial=MOST_HITS,
        help_text=_("The rest is extrapolated."),
    )
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**31, initial=0)
    speed = forms.FloatField(
        label=_("Speed"), min_value=0.1, max_value=10, initial=1, help_text=_("2 means half of the expected time.")
    )
    hours = forms.FloatField(label=_("Workers arrive within (hours)"), min_value=0, max_value=1000, initial=2)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, label in SHARES.items():
            usual = round(100 * getattr(WorkerModel(), name))
            self.fields[name] = forms.FloatField(label=label, min_value=0, max_value=100, initial=usual)

    def first(self) -> list[forms.BoundField]:
        """The fields that are always visible."""
        return [field for field in self if field.name not in SHARES]

    def about(self) -> list[forms.BoundField]:
        """The fields on the simulated workers."""
        return [field for field in self if field.name in SHARES]

    def crowd_is_wrong(self) -> bool:
        """Whether one of these has an error."""
        return any(name in SHARES for name in self.errors)

    def clean(self) -> dict[str, Any]:
        try:
            self.cleaned_data["crowd"] = asdict(self._crowd()) if not self.errors else {}
        except ValueError as invalid:
            self.add_error("abandons", str(invalid))
        return self.cleaned_data

    def _crowd(self) -> WorkerModel:
        values = {field.name: self.cleaned_data[field.name] for field in fields(WorkerModel)}
        return WorkerModel(**{name: value / 100 if name in SHARES else value for name, value in values.items()})


@member_form(roles.SEE, posting=roles.RUN)
def dry_runs(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The batch's dry runs, newest first, and the form; POST starts the job."""
    form = DryRunForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        terms = {name: form.cleaned_data[name] for name in ("workers", "hits", "seed", "crowd")}
        return see_other("job", project.slug, run.enqueue(batch, terms, user=request.user).public_id)
    context = batch_context(batch, "dry_runs", form=form, dry_runs=_dry_runs(batch))
    return render(request, "dry_run/dry_runs.html", context, status=422 if form.errors else 200)


def _dry_runs(batch: Batch) -> list[tuple[Job, dict[str, Any] | None]]:
    rows = batch.project.jobs.filter(kind="dry_run_batch").order_by("-pk")[:MOST_READ]
    own = [job for job in rows if job.arguments.get("batch") == batch.pk]
    return [(job, exhibit(job.result) if job.state == Job.State.DONE else None) for job in own[:SHOWN]]


def exhibit(outcome: dict[str, Any]) -> dict[str, Any]:
    """A forecast for the page: grades and shares in percent."""
    votes = [{**vote, "right": 100 * vote["right"]} for vote in outcome["votes"]]
    shares = {name: _percent(outcome[name]) for name in ("quality", "passed") if outcome[name]}
    return {**outcome, **shares, "votes": votes}


def _percent(figure: dict[str, Any]) -> dict[str, Any]:
    ends = {name: None if figure[name] is None else 100 * figure[name] for name in ("value", "low", "high")}
    return {**figure, **ends}
