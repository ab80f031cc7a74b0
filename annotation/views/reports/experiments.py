"""A project's experiments: the list, making one, one experiment with its link and balance."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.batches import experiments as flow
from annotation.flow.reports import arm_scores
from annotation.forms.reports import ExperimentForm
from annotation.models import Batch, Experiment, Project
from annotation.pure.people import roles
from annotation.pure.reports.explanations import chapter
from annotation.views.access import Request, member_action, member_form, member_page, requester_action
from annotation.views.batches.batch_page import TONES
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import enqueue_and_redirect, refusal_as_message, refusal_in_form, see_other
from annotation.views.reports.figure_notes import FigureNotes, rows_of_batches
from annotation.views.reports.report_tables import shown_table


@member_form(roles.SEE, posting=roles.RUN)
def experiments(request: Request, project: Project) -> HttpResponse:
    """The experiments of the project, newest first, and the form that makes one; `with` is a batch to choose."""
    posted = request.POST if request.method == "POST" else None
    choices = flow.candidates(project)
    form = ExperimentForm(posted, choices=choices, initial={"batches": [request.GET.get("with", "")]})
    if form.is_valid():
        with refusal_in_form(form):
            given = form.cleaned_data
            arms = [batch for batch in choices if batch.slug in given["batches"]]
            terms = {"each": given["each"], "title": given["title"], "user": request.user}
            made = flow.join(project, given["slug"], arms, **terms)
            messages.success(request, _("The batches are arms now. Give workers the link below."))
            return see_other("experiment", project.slug, made.slug)
    rows = [shown_balance(request, row) for row in project.experiments.order_by("-created_at", "-pk")]
    context = {"project": project, "section": "batches", "rows": rows, "form": form, "can_join": len(choices) > 1}
    context["breadcrumbs"] = section_breadcrumbs(project, "batches", _("Experiments"))
    return render(request, "reports/experiments.html", context, status=422 if form.errors else 200)


@member_page(roles.SEE)
def experiment(request: Request, project: Project, name: str) -> HttpResponse:
    """One experiment: its link, how many workers drew, began and submitted each arm, and scores as last computed."""
    shown = shown_balance(request, get_object_or_404(project.experiments, slug=name))
    breadcrumbs = section_breadcrumbs(project, "batches", _("Experiments"))
    breadcrumbs[-1]["url"] = reverse("experiments", args=[project.slug])
    context = {"project": project, "section": "batches", "shown": shown}
    context["breadcrumbs"] = [*breadcrumbs, {"label": name, "url": ""}]
    if job := arm_scores.last_computed(shown["experiment"]):
        arms = {arm["batch"].slug: arm["batch"] for arm in shown["arms"]}
        explained = FigureNotes((chapter("arms"),), lambda _kind, _study: rows_of_batches(arms))
        context["tables"] = [shown_table(table, notes=explained) for table in job.result["tables"]]
        context["computed_at"] = job.ended_at
    return render(request, "reports/experiment.html", context)


@requester_action
def experiment_remove(request: Request, project: Project, name: str) -> HttpResponse:
    """Remove an experiment that nobody drew in; its arms stay as batches."""
    found = get_object_or_404(project.experiments, slug=name)
    with refusal_as_message(request):
        flow.take_apart(found)
        messages.success(request, _("Removed. Its arms are ordinary batches again."))
        return see_other("experiments", project.slug)
    return see_other("experiment", project.slug, found.slug)


@member_action(roles.SEE)
def experiment_scores(request: Request, project: Project, name: str) -> HttpResponse:
    """Start the job that computes the scores of the arms; before all responses are in, that is logged."""
    found = get_object_or_404(project.experiments, slug=name)
    title = _("Scores of the arms of %(name)s") % {"name": found.slug}
    return enqueue_and_redirect(request, arm_scores.KIND, title, arm_scores.job_arguments(found), project=project)


def shown_balance(request: Request, experiment: Experiment) -> dict[str, Any]:
    """Context of `reports/_experiment_balance.html`: an experiment, its link for workers, and a row for each arm.

    A row has the counts in all, and the number of workers who submitted at each position.
    """
    by_arm: dict[Batch, list[flow.ArmCount]] = {}
    for count in flow.balance(experiment):
        by_arm.setdefault(count.arm, []).append(count)
    arms = [
        {
            "batch": arm,
            "tone": TONES[arm.state],
            "drawn": sum(count.drawn for count in counts),
            "began": sum(count.began for count in counts),
            "submitted": sum(count.submitted for count in counts),
            "by_position": [count.submitted for count in counts],
        }
        for arm, counts in by_arm.items()
    ]
    drawn = sum(counts[0].drawn for counts in by_arm.values())  # at the first position
    link = request.build_absolute_uri(reverse("experiment-start", args=[experiment.token]))
    return {"experiment": experiment, "link": link, "arms": arms, "drawn": drawn}
