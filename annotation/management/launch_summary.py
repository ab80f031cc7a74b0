"""The base of commands that launch a batch: options on shared items, the launch, and its output."""

from typing import Any

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.batch_launch import launch
from annotation.flow.errors import Refused
from annotation.flow.projects.job_queue import Lost
from annotation.management.json_command import JSONCommand
from annotation.models import Batch


class LaunchCommand(JSONCommand):
    """A command that creates and launches a batch or a round; if that fails, nothing stays behind."""

    def add_apart(self, parser: Any) -> None:
        """Add options that allow items of other batches."""
        shared = "allow items that qualification and production batches share"
        parser.add_argument("--no-disjoint", dest="disjoint", action="store_false", help=shared)
        met = "allow items that the worker has seen in another batch"
        parser.add_argument("--no-fresh-only", dest="fresh_only", action="store_false", help=met)

    def launch(self, batch: Batch) -> dict[str, Any]:
        """Launch the batch and print its warnings; deletes the batch if that fails."""
        try:
            result = launch(batch, progress=self.progress_printer("HITs"))
        except Lost:
            raise Refused(f"Another process took over the launch of {batch.slug} and continues it.") from None
        except BaseException:
            batch_drafts.withdraw(batch)
            raise
        for doubt in result["warnings"]:
            self.warn(doubt)
        return result

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The result without warnings, which were printed, and a line for each reason why items were left out."""
        shown = {key: value for key, value in result.items() if key not in ("left_out", "warnings", "skipped")}
        missing = [f"left out: {row['items']} of {row['dataset']}. {row['why']}" for row in result.get("left_out", ())]
        return super().lines(shown) + missing
