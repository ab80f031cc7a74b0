"""A background job: progress and result."""

from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import ngettext
from django_htmx.http import HttpResponseClientRedirect

from annotation import discovery, jobs
from annotation.flow.batches import batch_launch
from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.flow.projects import job_queue
from annotation.flow.reports import arm_scores, comparisons
from annotation.models import Batch, Dataset, Experiment, Job, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_page, requester_action
from annotation.views.data import dataset_upload
from annotation.views.data.derivation_report import derived_exhibit
from annotation.views.post_handling import see_other

ENDED = [Job.State.DONE, Job.State.FAILED]
SECTIONS = {"import_dataset": "datasets", "remove_dataset": "datasets", "derive_dataset": "datasets"}


@member_page(roles.SEE)
def job(request: Request, project: Project, public_id: str) -> HttpResponse:
    """The job's page, or for htmx a fragment that polls every second while the job runs."""
    row = get_object_or_404(project.jobs, public_id=public_id)
    context = {"project": project, "section": SECTIONS.get(row.kind, "batches"), "job": row, **_came_of(row)}
    if row.kind == "launch_batch" and row.state == Job.State.DONE and (batch := context["batch"]):
        if not row.result.get("left_out"):
            return _launched(request, batch, row.result["hits"])
        missing = batch_launch.workers_missing(batch) if roles.PEOPLE in request.may else 0
        context |= {"warnings": batch_launch.warnings(batch), "missing": missing}
    return render(request, "projects/_job.html" if request.htmx else "projects/job.html", context)


def _launched(request: Request, batch: Batch, hits: int) -> HttpResponse:
    """On to the batch, whose page shows the next step."""
    if batch.state == Batch.State.OPEN:  # the job may be looked up much later
        text = ngettext("Your batch is live: %(n)s HIT.", "Your batch is live: %(n)s HITs.", hits)
        messages.success(request, text % {"n": hits})
    there = reverse("batch", args=[batch.project.slug, batch.slug])
    return HttpResponseClientRedirect(there) if request.htmx else HttpResponseRedirect(there)


def _came_of(job: Job) -> dict[str, Any]:
    """The links of the page, by kind of job."""
    wanted = job.arguments
    rows: dict[str, Any] = {"under_way": job.state in {Job.State.WAITING, Job.State.RUNNING}}
    if "batch" in wanted:
        rows["batch"] = Batch.objects.filter(project=job.project, pk=wanted["batch"]).first()
    file = "path" not in wanted or Path(wanted["path"]).exists()
    if job.kind == "import_dataset":
        rows["columns_address"] = dataset_upload.address_of_job(job) if job.state in ENDED else ""
        rows["file_waits"] = file and bool(job.result.get("accepted"))
        whole = Dataset.objects.whole().filter(project=job.project, slug=wanted["name"])
        rows["dataset"] = whole.first() if job.state == Job.State.DONE and not wanted.get("dry_run") else None
    if job.kind in {"create_results_dataset", "correct_gold"} and job.state == Job.State.DONE:
        rows["dataset"] = Dataset.objects.whole().filter(project=job.project, slug=wanted["name"]).first()
    if job.kind == comparisons.KIND:
        compared = Batch.objects.filter(pk__in=wanted["batches"]).values_list("slug", flat=True)
        rows["comparison"] = reverse("compare", args=[job.project.slug], query={"one": list(compared)})
    if job.kind == arm_scores.KIND and (made := Experiment.objects.filter(pk=wanted["experiment"]).first()):
        rows["comparison"] = reverse("experiment", args=[job.project.slug, made.slug])
    if job.kind == "derive_dataset":
        file = all(Path(each["path"]).exists() for each in wanted.get("uploads", {}).values())
        rows |= _derived(job)
    for kind, template, read in discovery.listed("RESULTS"):
        if job.kind == kind and job.state == Job.State.DONE:
            rows |= {"result_template": template, "found": read(job.result)}
    rows["form_again"] = _form_again(job) if job.state == Job.State.FAILED and not rows.get("batch") else ""
    rows["can_try_again"] = not rows["form_again"] and job.state == Job.State.FAILED and file and not job.result
    return rows


def _form_again(job: Job) -> str:
    """The URL of the form of a failed launch, filled in again."""
    if "posted" not in job.arguments:
        return ""
    page = "round-new" if "per_worker" in job.arguments["posted"] else "batch-new"
    return f"{reverse(page, args=[job.project.slug])}?again={job.public_id}"


def _derived(job: Job) -> dict[str, Any]:
    """The created datasets and their report; `source`, if it still exists, to start again."""
    made = Dataset.objects.whole().filter(project=job.project, slug__in=list(job.result.get("datasets", {})))
    source = Dataset.objects.whole().filter(project=job.project, pk=job.arguments["source"])
    report = derived_exhibit(job.result)
    for_hidden_gold = any(map(is_for_hidden_gold, made))
    found = {"datasets": made.order_by("pk"), "derived": report, "source": source.first()}
    return found | {"for_hidden_gold": for_hidden_gold}


@requester_action
def job_again(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Retry a failed job."""
    row = get_object_or_404(project.jobs, public_id=public_id)
    if job_queue.try_again(row):
        jobs.wake_worker(row)
    return see_other("job", project.slug, public_id)


@requester_action
def job_import(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Import a file that was checked, or the valid records of one that was refused."""
    row = get_object_or_404(project.jobs, public_id=public_id, kind="import_dataset", state__in=ENDED)
    new = jobs.import_checked(row, user=request.user)
    return see_other("job", project.slug, new.public_id)
