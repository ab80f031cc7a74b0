"""The consent text of a project: what a requester must fill in, and what workers answer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

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
from annotation.pure.people.consent_text import PARAGRAPHS, contains, filled, is_unfinished
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


def lacking(text: str, values: Mapping[str, Any]) -> list[str]:
    """Settings of a batch that a consent text must tell of, in one of our languages, and does not."""
    return [name for name, paragraph in PARAGRAPHS.items() if values.get(name) and not _says(text, paragraph)]


def _says(text: str, paragraph: str) -> bool:
    for language, _name in settings.LANGUAGES:
        with override(language):
            if contains(text, _(paragraph)):
                return True
    return False


def check_paragraphs(batch: Batch) -> None:
    """Raise Refused if the batch counts pasting or shows suggestions and the text for workers does not say so."""
    text = Project.everything.values_list("consent", flat=True).get(pk=batch.project_id)
    for name in lacking(text, vars(batch)):
        raise Refused(unsaid(name))


def unsaid(name: str) -> str:
    """What is to be done before a batch may have this setting."""
    counts = _(
        "This batch counts pasting, and the consent text that workers accept does not say so. An owner can add this "
        "paragraph under Settings: “%(paragraph)s”"
    )
    suggests = _(
        "This batch shows suggestions, and the consent text that workers accept does not say so. An owner can add this "
        "paragraph under Settings: “%(paragraph)s”"
    )
    return (counts if name == "counts_pasting" else suggests) % {"paragraph": _(PARAGRAPHS[name])}


def offered(project: Project) -> dict[str, str]:
    """Paragraphs that an owner may want to add to the text, by setting; on suggestions if a batch shows them."""
    suggests = project.batches.filter(removed_at=None).exclude(suggest="").exists()
    names = lacking(project.consent, {"counts_pasting": True, "suggest": suggests})
    return {name: _(PARAGRAPHS[name]) for name in names}


def lost(project: Project, text: str) -> str:
    """The setting of a batch that workers can work on and of which the text does not tell; "" without one."""
    working = [Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED]
    for batch in project.batches.filter(state__in=working, removed_at=None).only(*PARAGRAPHS):
        for name in lacking(text, vars(batch)):
            return name
    return ""


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
    held = Assignment.objects.filter(worker=worker, state=lifecycle.ACCEPTED).select_related("batch").order_by("pk")
    # Before the worker's row, as whoever submits and claims locks them.
    under_way = list(held.select_for_update(of=("self",), no_key=True))
    list(worker.participations.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    if not Worker.objects.filter(pk=worker.pk, consented_version__gt=0).update(consented_version=0):
        return False
    for assignment in under_way:
        leases.return_assignment(assignment)
    next_assignment.let_go(worker=worker)
    marketplaces().forget_demographics(worker)
    audit_log.record("consent withdrawn", worker)
    return True
