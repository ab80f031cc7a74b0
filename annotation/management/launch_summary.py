"""The base of commands that launch a batch: options on shared items, the launch, and its output."""

from collections.abc import Callable
from typing import Any

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.batch_launch import launch
from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.projects.job_queue import JobTakenOver
from annotation.management.json_command import JSONCommand, dataset_named, integer_between, pair, slug, words
from annotation.models import Batch, Project
from annotation.registry import kinds


class LaunchCommand(JSONCommand):
    """A command that creates and launches a batch or a round; if that fails, nothing stays behind."""

    def add_common(self, parser: Any) -> None:
        """Add the options that batches and rounds share."""
        add = parser.add_argument
        add("--task", required=True, choices=[kind for kind, _title in kinds()])
        add("--dataset", required=True, action="append", type=slug, metavar="NAME")
        add("--seed", type=integer_between(0, 2**62), default=0)
        add("--title", type=words(200), help="shown to workers (default: the name)")
        add("--meeting", choices=Batch.Meeting.values, help="whether one worker may get several items of a group")
        add("--option", action="append", type=pair, default=[], metavar="K=V", help="an option of the task")
        shared = "allow items that qualification and production batches share"
        add("--no-disjoint", dest="disjoint", action="store_false", help=shared)
        met = "allow items that the worker has seen in another batch"
        add("--no-fresh-only", dest="fresh_only", action="store_false", help=met)
        needed = "needed before the project's first launch, if its consent text is not finished"
        add("--contact", type=words(200), default="", help=f"name and email address for the consent text; {needed}")
        add("--ethics", type=words(500), default="", help=f"ethics approval for the consent text; {needed}")

    def common(self, project: Project, name: str, options: dict[str, Any]) -> dict[str, Any]:
        """The settings that batches and rounds share; puts --contact and --ethics into the consent text."""
        consent.fill_in(project, contact=options["contact"], ethics=options["ethics"])
        return {
            "task": options["task"],
            "datasets": [dataset_named(project, name) for name in dict.fromkeys(options["dataset"])],
            "options": dict(options["option"]),
            "expected_seconds": max(1, round(60 * options["minutes"])) if options["minutes"] else None,
            "title": options["title"] or name,
            **{key: options[key] for key in ("seed", "meeting", "disjoint", "fresh_only")},
        }

    def made(self, project: Project, name: str, make: Callable[[str], Batch], *, launching: bool = True) -> Batch:
        """The batch that `make` creates under this name, or the same one that a killed command left behind."""
        if left := batch_drafts.left_by_killed(project, name, make, launching=launching):
            self.warn(f"{name} is there already: a command that was interrupted left it. This one continues.")
            return left
        return make(name)

    def launch(self, batch: Batch) -> dict[str, Any]:
        """Launch the batch and print its warnings; deletes the batch if that fails."""
        try:
            result = launch(batch, progress=self.progress_printer("HITs"))
        except JobTakenOver:
            raise Refused(f"Another process took over the launch of {batch.slug} and continues it.") from None
        except BaseException:
            batch_drafts.discard_failed_launch(batch)
            raise
        for doubt in result["warnings"]:
            self.warn(doubt)
        return result

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The result without warnings, which were printed, and a line for each reason why items were left out."""
        shown = {key: value for key, value in result.items() if key not in ("left_out", "warnings", "skipped")}
        missing = [f"left out: {row['items']} of {row['dataset']}. {row['why']}" for row in result.get("left_out", ())]
        return super().lines(shown) + missing
