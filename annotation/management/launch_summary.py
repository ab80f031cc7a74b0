"""The base of commands that launch a batch: options on shared items, the launch, and its output."""

from collections.abc import Callable, Collection
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.batches import batch_drafts
from annotation.flow.batches.batch_launch import launch
from annotation.flow.batches.settings import PLAIN, SETTINGS
from annotation.flow.errors import Refused
from annotation.flow.projects.job_queue import JobTakenOver
from annotation.flow.work import eligibility
from annotation.management.json_command import dataset_named, pair, rubric, slug, words
from annotation.management.setting_options import OptionsCommand, add_options, given_settings, help_of, option_values
from annotation.models import Batch, Project
from annotation.pure.people.requirements import GUARDED
from annotation.pure.setting_fields import Setting
from annotation.registry import kinds, task_type


class LaunchCommand(OptionsCommand):
    """A command that creates and launches a batch or a round; if that fails, nothing stays behind."""

    kind = "task"
    left_out: Collection[str] = ()  # settings that the command has under other names, or does not have

    def options_of(self, kind: str) -> tuple[str, type]:
        return _(task_type(kind).question), task_type(kind).Options

    def add_common(self, parser: Any) -> None:
        """Add the options of all settings that batches and rounds share."""
        add = parser.add_argument
        add("--task", required=True, choices=[kind for kind, _title in kinds()], help=help_of(SETTINGS["task"]))
        add("--dataset", required=True, action="append", type=slug, metavar="NAME", help=help_of(SETTINGS["datasets"]))
        add("--option", action="append", type=pair, default=[], metavar="K=V", help=help_of(SETTINGS["options"]))
        add("--rubric", type=rubric, metavar="FILE", help="the same as --option rubric=@FILE, or the name of a preset")
        add("--worker", action="append", type=words(64), default=[], metavar="ID", help=help_of(SETTINGS["people"]))
        how = f'{help_of(SETTINGS["requirements"])}: "Round 2 >= 80", "country in US,DE", "Round 2", "not Seen it"'
        add("--require", action="append", type=words(300), default=[], metavar="WHAT", help=how)
        add("--guard", choices=list(GUARDED), default="Accept", help="what workers who lack them may not do")
        add_options(parser, self.settings(), assignments_per_hit=_usual_assignments())

    def settings(self) -> list[Setting]:
        """The settings with an option of their own."""
        return [one for one in PLAIN if one.name not in {"task", "name", *self.left_out}]

    def common(self, project: Project, name: str, options: dict[str, Any]) -> dict[str, Any]:
        """The settings of the command line, for `parse`."""
        if options["rubric"]:
            options["option"] = [*options["option"], ("rubric", f"@{options['rubric']}")]
        if len(dict(options["option"])) < len(options["option"]):
            self.usage("--option names the same option twice; give each once")
        required = [eligibility.from_words(project, what, guard=options["guard"]) for what in options["require"]]
        return given_settings(options, self.settings()) | {
            "name": name,
            "title": options["title"] or name,
            "task": options["task"],
            "datasets": [dataset_named(project, name) for name in dict.fromkeys(options["dataset"])],
            "options": option_values(options["option"], task_type(options["task"]).Options),
            "people": options["worker"],
            "requirements": required,
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


def _usual_assignments() -> str:
    """The default number of assignments per HIT, by task."""
    tasks: dict[int, list[str]] = {}
    for kind, _title in kinds():
        tasks.setdefault(task_type(kind).assignments, []).append(kind)
    return "; ".join(f"{number} for {', '.join(some)}" for number, some in sorted(tasks.items()))
