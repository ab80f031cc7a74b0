"""The consent text of a project: what a requester must fill in, and what workers answer."""

from dataclasses import replace

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log, projects
from annotation.flow.projects.settings import SETTINGS, stored
from annotation.flow.setting_values import InvalidSettings, read_values
from annotation.flow.work import leases, next_assignment
from annotation.models import Assignment, Batch, Project, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.people.consent_text import COUNTING, contains, filled, is_unfinished
from annotation.recruitment import marketplaces


def check_finished(project: Project) -> None:
    """Raise Refused if the text that workers would accept still has places to fill in."""
    if is_unfinished(Project.everything.values_list("consent", flat=True).get(pk=project.pk)):
        raise Refused(
            _(
                "The consent text that workers accept is not finished. Give a contact and the ethics approval: on the "
                "launch page, with --contact and --ethics, or in the text itself under Settings."
            )
        )


def covers_counting(text: str) -> bool:
    """Whether the text tells workers, in one of our languages, that pages count pasting and absences."""
    for language, _name in settings.LANGUAGES:
        with override(language):
            if contains(text, _(COUNTING)):
                return True
    return False


def check_counting(batch: Batch) -> None:
    """Raise Refused if the batch counts pasting and the text that workers accept does not say so."""
    if batch.counts_pasting and not covers_counting(
        Project.everything.values_list("consent", flat=True).get(pk=batch.project_id)
    ):
        raise Refused(counting_unsaid())


def counting_unsaid() -> str:
    """What is to be done before a batch may count pasting."""
    text = _(
        "This batch counts pasting, and the consent text that workers accept does not say so. An owner can add this "
        "paragraph under Settings: “%(paragraph)s”"
    )
    return text % {"paragraph": _(COUNTING)}


def lacks_counting(project: Project, text: str) -> bool:
    """Whether workers can work on a batch of the project that counts pasting, and the text does not say so."""
    working = [Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED]
    counting = project.batches.filter(counts_pasting=True, state__in=working, removed_at=None)
    return not covers_counting(text) and counting.exists()


def fill_in(project: Project, *, contact: str, ethics: str) -> None:
    """Put the contact and the ethics approval into their places in the text, if they are given and it has them.

    Workers who accepted it before must accept it again. Raises InvalidSettings.
    """
    text = filled(project.consent, contact=contact, ethics=ethics)
    if text != project.consent:
        values, problems = read_values([SETTINGS["consent"]], {"consent": text})
        if problems:
            raise InvalidSettings(problems)
        projects.change_project(project, replace(stored(project), **values))


def give(worker: Worker, *, version: int) -> None:
    """Record that the worker accepted this version of the consent text."""
    Worker.objects.filter(pk=worker.pk).update(consented_version=version, consented_at=Now())


@transaction.atomic
def withdraw(worker: Worker) -> bool:
    """Withdraw a worker's consent: they get no more work, and what they have under way is returned.

    Submitted responses stay, demographics are deleted. False if there was no consent.
    """
    if not Worker.objects.filter(pk=worker.pk, consented_version__gt=0).update(consented_version=0):
        return False
    held = Assignment.objects.filter(worker=worker, state=lifecycle.ACCEPTED).select_related("batch")
    for assignment in held.order_by("pk"):
        leases.return_assignment(assignment)
    next_assignment.let_go(worker=worker)
    marketplaces().forget_demographics(worker)
    audit_log.record("consent withdrawn", worker)
    return True
