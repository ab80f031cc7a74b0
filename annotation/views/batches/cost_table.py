"""The cost and precision of a launch, for the launch page."""

from __future__ import annotations

from typing import Any

from annotation.flow.batches.estimates import Estimate, pays, pays_itself
from annotation.models import Batch


def costs_exhibit(estimate: Estimate | None, batch: Batch | None, *, wished: float | None = None) -> dict[str, Any]:
    """Context of `money/_cost_estimate.html`; `wished` is the target margin of error, in points."""
    if estimate is None or batch is None:
        return {"estimate": None}
    return {
        "estimate": estimate,
        "paid": pays(batch),
        "annotators": batch.assignments_per_hit,
        "pays_itself": pays_itself(batch.task),
        "points": 100 * estimate.half if estimate.half is not None else None,
        "wished": wished,
        "wished_items": estimate.items_for(wished / 100, batch.assignments_per_hit) if wished else None,
    }
