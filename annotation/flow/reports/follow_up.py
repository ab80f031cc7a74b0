"""Follow-up batches: questions that a batch's results call for asking again, in the way that its task says."""

import hashlib
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.parsing import parse
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.data.item_writer import OnProgress, no_progress
from annotation.flow.errors import Refused
from annotation.flow.reports.batch_scores import version_key
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.models import Batch, Dataset, User
from annotation.registry import task_type
from annotation.tasktype import capabilities

LONGEST = 40  # characters of the batch's name in those of datasets and drafts


def follow_up(batch: Batch, *, user: User | None = None, progress: OnProgress = no_progress) -> dict[str, Any]:
    """Derive the questions to ask again from the batch's results, and create a draft for each way of asking.

    Returns {"items", "dataset", "batches": {name: title}}; no drafts without items. The same results give the same
    names, so a second call changes nothing. Raises Refused if the batch has no results.
    """
    again = capabilities.follow_up(task_type(batch.task), batch.options)
    if again is None:
        raise Refused(_("There is nothing to ask again in this batch."))
    base = f"{batch.slug[:LONGEST].rstrip('-')}-{hashlib.sha256(version_key(batch).encode()).hexdigest()[:6]}"
    create_results_dataset(batch, name=f"{base}-results", user=user, progress=progress)
    results = _dataset(batch, f"{base}-results")
    derive_dataset(
        results, how=again.how, name=f"{base}-again", seed=batch.seed, options=dict(again.options), user=user
    )
    asked = _dataset(batch, f"{base}-again")
    titles = {}
    for name, (kind, options) in again.batches.items() if asked.size else ():
        slug, title = f"{base}-{name}", f"{batch.title}: {name}"
        if not Batch.everything.filter(project=batch.project, slug=slug).exists():
            asking = {"name": slug, "title": title, "task": kind, "datasets": [asked], "options": options}
            settings = parse(batch.project, asking | {"assignments_per_hit": batch.assignments_per_hit})
            batch_drafts.create_batch(batch.project, settings, user=user)
        titles[slug] = title
    return {"items": asked.size, "dataset": asked.slug, "batches": titles}


def _dataset(batch: Batch, name: str) -> Dataset:
    return Dataset.objects.whole().get(project=batch.project, slug=name)
