"""Deriving a dataset from another: which way, with which options, and under what name."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation import jobs, uploads
from annotation.derivation_forms import PREFIX, DeriveForm
from annotation.derivations import DERIVATIONS
from annotation.flow.deriving import uploads_of
from annotation.flow.lineage import VERDICTS, Family
from annotation.models import Dataset, Job, Project
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.datasets import dataset_of, too_large
from annotation.views.seeing import see

COMPOSE = "compose"  # stands among the ways, and is done by people
STAGES = (
    (gettext_noop("Single-hop questions"), ("singlehop",)),
    (gettext_noop("Pairs"), ("composable-pairs",)),
    (
        gettext_noop("Pairs that need both hops, if you have models to ask"),
        ("disconnection-inputs", "disconnection-filter"),
    ),
    (gettext_noop("Graphs"), ("graphs",)),
    (gettext_noop("Questions, by people"), (COMPOSE,)),
    (gettext_noop("Splits"), ("splits",)),
    (gettext_noop("Contexts, of each split"), ("contexts",)),
    (gettext_noop("Unanswerable twins"), ("unanswerable-twins",)),
)
# What usually comes after a dataset that was made in this way.
NEXT = {
    "": "singlehop",
    "singlehop": "composable-pairs",
    "composable-pairs": "graphs",
    "disconnection-filter": "graphs",
    "graphs": COMPOSE,
    VERDICTS: "splits",
    "splits": "contexts",
    "contexts": "unanswerable-twins",
}


@require_get_or_post
@requester_required
def derive(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """The ways to derive from the dataset, or with `?how=` the form of one; POST starts the job.

    `?again=` names a job whose wish is taken up again, `?inputs=` the inputs of a filter.
    """
    source = dataset_of(project, name)
    how = request.GET.get("how", "")
    if not how:
        if request.method == "POST":
            return render(request, "datasets/derive.html", _ways(project, source), status=422)
        return render(request, "datasets/derive.html", _ways(project, source))
    if how not in DERIVATIONS:
        raise Http404
    return _one_way(request, project, source, how)


def _ways(project: Project, source: Dataset) -> dict[str, Any]:
    usual = _usual(source)
    stages = [
        {"title": _(title), "ways": [_way(how, source, usual) for how in hows], "next": usual in hows}
        for title, hows in STAGES
    ]
    placed = {how for _title, hows in STAGES for how in hows}
    others = [_way(how, source, usual) for how in DERIVATIONS if how not in placed]
    return {"project": project, "section": "datasets", "dataset": source, "stages": stages, "others": others}


def _usual(source: Dataset) -> str:
    """What usually comes next; bridges that people checked go on as pairs do."""
    if source.lineage.get("task") == "coreference" and not DERIVATIONS["graphs"].misfit(source.features):
        return "graphs"
    return NEXT.get(source.lineage.get("how", ""), "")


def _way(how: str, source: Dataset, usual: str) -> dict[str, Any]:
    if how == COMPOSE:
        return {"how": how, "next": how == usual}
    way = DERIVATIONS[how]
    misfit = way.misfit(source.features)
    return {
        "how": how,
        "title": _(way.title),
        "does": _(way.does),
        "misfit": _(misfit) if misfit else "",
        "next": how == usual and not misfit,
    }


def _one_way(request: HttpRequest, project: Project, source: Dataset, how: str) -> HttpResponse:
    family = Family(project)
    if request.method == "POST":
        form = DeriveForm(source, how, family, request.POST, request.FILES)
        if uploads.too_large(request):
            for option in uploads_of(how):
                form.errors.pop(PREFIX + option, None)
                form.add_error(PREFIX + option, too_large())
        elif form.is_valid():
            return see("job", project.slug, _posted(request, project, form).public_id)
    else:
        form = DeriveForm(source, how, family, kept=_kept(request, project, source, how))
    context = {
        "project": project,
        "section": "datasets",
        "dataset": source,
        "title": _(DERIVATIONS[how].title),
        "does": _(DERIVATIONS[how].does),
        "how": how,
        "form": form,
        "limit": settings.UPLOAD_LIMIT,
        "too_large": too_large(),
    }
    return render(request, "datasets/derive_how.html", context, status=422 if form.errors else 200)


def _kept(request: HttpRequest, project: Project, source: Dataset, how: str) -> dict[str, Any]:
    """The arguments of the job that `again` names, or what the address says of the inputs."""
    if again := request.GET.get("again"):
        kept = get_object_or_404(project.jobs, public_id=again, kind="derive_dataset").arguments
        return kept if (kept["source"], kept["how"]) == (source.pk, how) else {}
    inputs = request.GET.get("inputs", "")
    return {"options": {"inputs": inputs}} if inputs else {}


def _posted(request: HttpRequest, project: Project, form: DeriveForm) -> Job:
    files = {
        option: {"path": str(uploads.keep(file)), "file_name": file.name[:255]}
        for option, file in form.uploads().items()
    }
    wanted = form.cleaned_data
    arguments = {"source": form.source.pk, "how": form.how, "name": wanted["name"], "seed": wanted["seed"]}
    arguments |= {"options": form.options(), "uploads": files}
    title = _("%(what)s of %(source)s") % {"what": _(form.derivation.title), "source": form.source.slug}
    return jobs.enqueue_once("derive_dataset", project=project, title=title, arguments=arguments, user=request.user)
