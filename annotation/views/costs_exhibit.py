"""What a launch would cost and tell, as the launching page shows it."""

from __future__ import annotations

from typing import Any

from annotation.flow.estimating import Estimate, pays, pays_itself
from annotation.models import Batch


def costs_exhibit(estimate: Estimate | None, batch: Batch | None, *, wished: float | None = None) -> dict[str, Any]:
    """Context of `batches/_costs.html`; `wished` is half the width of an interval, in points."""
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
