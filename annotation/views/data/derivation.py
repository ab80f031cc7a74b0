"""Deriving a dataset from another: choice of the derivation, options and name."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import NO_GRAPHS, OTHERS, PIPELINE, RESULTS, Derivation, DerivationGroup, needs_singles
from annotation.flow.data.derivation import uploads_of
from annotation.flow.data.lineage import Family
from annotation.forms.derivations import PREFIX, DeriveForm
from annotation.models import Dataset, Project
from annotation.operations import uploads
from annotation.registry import task_types
from annotation.views.access import Request, requester_required, require_get_or_post
from annotation.views.data.dataset_upload import too_large
from annotation.views.data.datasets import dataset_of
from annotation.views.data.lineage import ancestry
from annotation.views.post_handling import enqueue_and_redirect


@require_get_or_post
@requester_required
def derive(request: Request, project: Project, name: str) -> HttpResponse:
    """The derivations for the dataset, or with `?how=` the form of one; POST starts the job.

    `?again=` names a job to start from, `?inputs=` the inputs of a filter.
    """
    source = dataset_of(project, name)
    how = request.GET.get("how", "")
    if not how:
        status = 422 if request.method == "POST" else 200
        return render(request, "data/derive.html", _ways(project, source), status=status)
    if how not in DERIVATIONS:
        raise Http404
    return _one_way(request, project, source, how)


def _ways(project: Project, source: Dataset) -> dict[str, Any]:
    usual, family = _usual(source), Family(project)
    stages = [_stage(group, source, usual, family) for group in PIPELINE]
    stages.sort(key=lambda stage: (not stage["next"], stage["number"]))
    named = [each.group for each in DERIVATIONS.values() if each.group not in (*PIPELINE, OTHERS)]
    return {
        "project": project,
        "section": "datasets",
        "dataset": source,
        "family": ancestry(source),
        "stages": stages,
        "studies": [
            {"title": _(group.title), "ways": _ways_of(group, source, usual)}
            for group in [*dict.fromkeys(named), OTHERS]
        ],
    }


def _ways_of(group: DerivationGroup, source: Dataset, usual: str) -> list[dict[str, Any]]:
    return [_way(each, source, usual) for each in DERIVATIONS.values() if each.group == group]


def _stage(group: DerivationGroup, source: Dataset, usual: str, family: Family) -> dict[str, Any]:
    """A stage of the pipeline with its derivations; `by_people`, without any, if workers do it in a batch of graphs.

    `problem`: what it needs that the dataset has not; "" if it can be done.
    `done`: the names of the dataset, the nearest ones above and those below that it made; `made`: one below.
    """
    ways = [] if group.by_people else [each for each in DERIVATIONS.values() if each.group == group]
    by_people_next = group.by_people and not usual and _how_made(source) in group.follows
    hows = [RESULTS] if group.by_people else [each.how for each in ways]
    made = [family.made_of(source, how) for how in hows]
    done = filter(None, [*(family.nearest(source, how) for how in hows), *made])
    shown = [_way(each, source, usual) for each in ways]
    needs = [each["problem"] for each in shown]
    if group.by_people:
        needs = ["" if any(int(n) > 1 for n in source.features.get("hops", {})) else _(NO_GRAPHS)]
    return {
        "title": _(group.title),
        "number": group.step,
        "done": list(dict.fromkeys(done)),
        "made": next(filter(None, made), ""),
        "by_people": group.by_people,
        "problem": needs[0] if all(needs) else "",
        "ways": [each for each in shown if not each["problem"]],
        "next": by_people_next or any(each["next"] for each in shown),
    }


def _usual(source: Dataset) -> str:
    """The derivation that usually comes next: that of the task of its results, or the one after its last derivation."""
    task = task_types().get(str(source.lineage.get("task", "")))
    named = DERIVATIONS.get(task.leads_to) if task else None
    if named and not named.source_problem(source.features):
        return named.how
    how = _how_made(source)
    return next((each.how for each in DERIVATIONS.values() if how in each.follows), "")


def _how_made(source: Dataset) -> str:
    """How the dataset was derived; "" for an imported one. Imported graphs and single hops are like derived ones."""
    features = source.features
    is_graph = features.get("question_words", {}).keys() == {"0"} and any(int(n) > 1 for n in features.get("hops", {}))
    return str(source.lineage.get("how", "graphs" if is_graph else "" if needs_singles(features) else "singlehop"))


def _way(way: Derivation, source: Dataset, usual: str) -> dict[str, Any]:
    problem = way.source_problem(source.features)
    return {
        "how": way.how,
        "title": _(way.title),
        "does": _(way.does),
        "problem": _(problem) if problem else "",
        "next": way.how == usual and not problem,
    }


def _one_way(request: Request, project: Project, source: Dataset, how: str) -> HttpResponse:
    family = Family(project)
    if request.method == "POST":
        form = DeriveForm(source, how, family, request.POST, request.FILES)
        if uploads.too_large(request):
            for option in uploads_of(how):
                form.errors.pop(PREFIX + option, None)
                form.add_error(PREFIX + option, too_large())
        elif form.is_valid():
            return _posted(request, project, form)
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
    return render(request, "data/derive_form.html", context, status=422 if form.errors else 200)


def _kept(request: Request, project: Project, source: Dataset, how: str) -> dict[str, Any]:
    """The arguments of the job named by `again`, or the inputs from the query string."""
    if again := request.GET.get("again"):
        kept = get_object_or_404(project.jobs, public_id=again, kind="derive_dataset").arguments
        return kept if (kept["source"], kept["how"]) == (source.pk, how) else {}
    inputs = request.GET.get("inputs", "")
    return {"options": {"inputs": inputs}} if inputs else {}


def _posted(request: Request, project: Project, form: DeriveForm) -> HttpResponse:
    """Start the job and show it."""
    files = form.uploads().items()
    kept = {option: {"path": str(uploads.keep(file)), "file_name": file.name[:255]} for option, file in files}
    wanted = form.cleaned_data
    arguments = {"source": form.source.pk, "how": form.how, "name": wanted["name"], "seed": wanted["seed"]}
    arguments |= {"options": form.options(), "uploads": kept}
    title = _("%(what)s from %(source)s") % {"what": _(form.derivation.title), "source": form.source.slug}
    return enqueue_and_redirect(request, "derive_dataset", title, arguments, project=project)
