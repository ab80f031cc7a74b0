"""Rehearsals of a batch: a form, and the forecasts so far."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from annotation import jobs
from annotation.console_forms import ConsoleForm
from annotation.models import Batch, Job, Project
from annotation.pure import roles
from annotation.pure.rehearsing import Crowd
from annotation.rehearsal.rehearse import MOST_HITS, MOST_WORKERS
from annotation.views.access import member_required, require_get_or_post
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.seeing import see

SHARES = {
    "skill": _("Right answers of the average worker"),
    "spread": _("Standard deviation of skill among workers"),
    "lazy": _("Workers who hurry and slip more"),
    "spam": _("Workers who guess"),
    "dropout": _("Stop for good after an answer"),
    "returns": _("Return what they accepted"),
    "abandons": _("Walk away from what they accepted"),
}
SHOWN = 10  # rehearsals that a page lists
MOST_READ = 500  # the project's last ones, among which they are looked for


class RehearsalForm(ConsoleForm):
    """How many come, how much of the batch they rehearse, and what they are like (shares in percent)."""

    workers = forms.IntegerField(label=_("Simulated workers"), min_value=1, max_value=MOST_WORKERS, initial=40)
    hits = forms.IntegerField(
        label=_("HITs to rehearse"),
        min_value=1,
        max_value=10_000,
        initial=MOST_HITS,
        help_text=_("The rest is reckoned."),
    )
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**31, initial=0)
    speed = forms.FloatField(
        label=_("Speed"), min_value=0.1, max_value=10, initial=1, help_text=_("2: half the expected time.")
    )
    hours = forms.FloatField(label=_("They come within hours"), min_value=0, max_value=1000, initial=2)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, label in SHARES.items():
            usual = round(100 * getattr(Crowd(), name))
            self.fields[name] = forms.FloatField(label=label, min_value=0, max_value=100, initial=usual)

    def first(self) -> list[forms.BoundField]:
        """The fields that are always in sight."""
        return [field for field in self if field.name not in SHARES]

    def about(self) -> list[forms.BoundField]:
        """The fields on what the crowd is like."""
        return [field for field in self if field.name in SHARES]

    def crowd_is_wrong(self) -> bool:
        """Whether one of these has an error."""
        return any(name in SHARES for name in self.errors)

    def clean(self) -> dict[str, Any]:
        try:
            self.cleaned_data["crowd"] = asdict(self._crowd()) if not self.errors else {}
        except ValueError as unfit:
            self.add_error("abandons", str(unfit))
        return self.cleaned_data

    def _crowd(self) -> Crowd:
        told = {field.name: self.cleaned_data[field.name] for field in fields(Crowd)}
        return Crowd(**{name: value / 100 if name in SHARES else value for name, value in told.items()})


@never_cache
@require_get_or_post
@member_required(roles.SEE, posting=roles.RUN)
def rehearsals(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The batch's rehearsals, newest first, and the form for another; POST has a job rehearse."""
    found = batch_of(project, batch)
    form = RehearsalForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return see("job", project.slug, _enqueued(request, found, form.cleaned_data).public_id)
    context = batch_context(found, "rehearsals", form=form, rehearsed=_rehearsed(found))
    return render(request, "rehearsals/rehearsals.html", context, status=422 if form.errors else 200)


def _enqueued(request: HttpRequest, batch: Batch, wish: dict[str, Any]) -> Job:
    arguments = {name: wish[name] for name in ("workers", "hits", "seed", "crowd")}
    title = _t("Rehearse %(batch)s with %(workers)s simulated workers")
    return jobs.enqueue_once(
        "rehearse_batch",
        project=batch.project,
        title=title % {"batch": batch.title, "workers": wish["workers"]},
        arguments={"batch": batch.pk, **arguments},
        user=request.user,
    )


def _rehearsed(batch: Batch) -> list[tuple[Job, dict[str, Any] | None]]:
    rows = batch.project.jobs.filter(kind="rehearse_batch").order_by("-pk")[:MOST_READ]
    mine = [job for job in rows if job.arguments.get("batch") == batch.pk]
    return [(job, exhibit(job.result) if job.state == Job.State.DONE else None) for job in mine[:SHOWN]]


def exhibit(found: dict[str, Any]) -> dict[str, Any]:
    """A forecast as the page shows it: grades and shares in percent."""
    votes = [{**vote, "right": 100 * vote["right"]} for vote in found["votes"]]
    shares = {name: _percent(found[name]) for name in ("quality", "passed") if found[name]}
    return {**found, **shares, "votes": votes}


def _percent(figure: dict[str, Any]) -> dict[str, Any]:
    ends = {name: None if figure[name] is None else 100 * figure[name] for name in ("value", "low", "high")}
    return {**figure, **ends}
