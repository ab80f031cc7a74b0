"""What the commands share that launch something: which items may be drawn, the launch, and what is said of it."""

from __future__ import annotations

from typing import Any

from annotation.flow import failed_launch
from annotation.flow.batching import launch
from annotation.flow.queueing import Lost
from annotation.flow.refusal import Refused
from annotation.management.door import Door
from annotation.models import Batch


class LaunchDoor(Door):
    """A command that creates a batch or a round and opens it, or leaves nothing behind."""

    def add_apart(self, parser: Any) -> None:
        """Which items of other batches may be asked about all the same."""
        shared = "share items: production with qualification rounds, a round with other batches"
        parser.add_argument("--no-disjoint", dest="disjoint", action="store_false", help=shared)
        met = "give workers items that they met in another batch, too"
        parser.add_argument("--no-fresh-only", dest="fresh_only", action="store_false", help=met)

    def launch(self, batch: Batch) -> dict[str, Any]:
        """Launch the batch and pass its warnings on; where that cannot be, the batch goes."""
        try:
            result = launch(batch, tell=self.teller("HITs"))
        except Lost:
            raise Refused(f"The launch of {batch.slug} was taken over from elsewhere, and goes on there.") from None
        except BaseException:
            failed_launch.withdraw(batch)
            raise
        for doubt in result["warnings"]:
            self.warn(doubt)
        return result

    def lines(self, result: dict[str, Any]) -> list[str]:
        """A line for each reason why items that were asked for are missing; warnings were said."""
        shown = {key: value for key, value in result.items() if key not in ("left_out", "warnings", "skipped")}
        missing = [f"left out: {row['items']} of {row['dataset']}. {row['why']}" for row in result.get("left_out", ())]
        return super().lines(shown) + missing
