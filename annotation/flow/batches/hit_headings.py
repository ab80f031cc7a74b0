"""What a HIT is called where gold must not be seen: an item's own question may be the gold of its task."""

from annotation.models import Batch, Hit
from annotation.registry import task_type


def heading(batch: Batch, hit: Hit) -> str:
    """The question that workers see, or the hops' questions; for the MTurk API the batch's title."""
    if not task_type(batch.task).launched:
        return batch.title
    hops = hit.payload.get("hops") or ()
    return str(hit.payload.get("question") or " · ".join(hop["question"] for hop in hops) or hit.public_id)
