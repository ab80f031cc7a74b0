"""Jobs of batches on marketplaces."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.projects.job_queue import JobProgress
from annotation.jobs import batch_of, enqueue_once
from annotation.marketplaces.flow import hit_sync, publications, studies, study_sync
from annotation.marketplaces.models import PanelStudy
from annotation.models import Batch, Job, User
from annotation.templatetags.language_tags import in_language


def send_batch(batch: Batch, *, user: User | None = None) -> Job:
    """Queue a job that publishes the batch's waiting HITs."""
    title = _("Publish %(batch)s") % {"batch": in_language(batch.title)}
    return enqueue_once("publish_batch", project=batch.project, title=title, arguments={"batch": batch.pk}, user=user)


def publish_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Publish the due HITs of a batch; the sweep sends the rest later."""
    batch = batch_of(job)
    if batch.on_marketplace:
        publications.send_due(batch.marketplace.connection, batch=batch, progress=progress)
    return publications.counts(batch)


def send_study(study: PanelStudy, *, user: User | None = None) -> None:
    """Queue a job that sends the study to its marketplace; no effect where the marketplace has no API."""
    batch = study.batch
    if studies.is_told(study):
        title = _("Update the study of %(batch)s") % {"batch": in_language(batch.title)}
        arguments = {"batch": batch.pk}
        enqueue_once("send_study_of_batch", project=batch.project, title=title, arguments=arguments, user=user)


def send_study_of_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Send the due studies of the batch's marketplace; the sweep tries again what failed."""
    study = PanelStudy.objects.select_related("connection").get(batch=batch_of(job))
    sent = studies.send_due(study.connection)
    study.refresh_from_db()
    return {"sent": sent, "state": study.state, "error": study.error}


def sync_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Synchronise the batch with its marketplace."""
    return hit_sync.catch_up(batch_of(job), progress=progress)


def sync_study(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Compare the books of a study's marketplace with ours."""
    return study_sync.catch_up(batch_of(job), progress=progress)
