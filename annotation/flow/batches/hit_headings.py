"""What a HIT is called where gold must not be seen: an item's own question may be the gold of its task."""

from annotation.models import Batch, Hit
from annotation.registry import task_type


def heading(batch: Batch, hit: Hit) -> str:
    """As its task calls it, or its id; for the MTurk API the batch's title."""
    task = task_type(batch.task)
    return (task.heading(hit.payload) or hit.public_id) if task.launched else batch.title
