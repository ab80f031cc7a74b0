"""Create and launch a batch."""

from typing import Any

from annotation.flow.batches import estimates
from annotation.flow.batches.batch_drafts import create_batch
from annotation.flow.batches.parsing import parse
from annotation.flow.batches.settings import SETTINGS, HiddenGold
from annotation.flow.errors import Refused
from annotation.management.json_command import dataset_named, marketplace_named, project_of, slug
from annotation.management.launch_summary import LaunchCommand
from annotation.management.setting_options import add_options, given_settings, help_of
from annotation.models import Batch
from annotation.pure.setting_fields import settings_of
from annotation.recruitment import marketplaces

GOLD = settings_of(HiddenGold)
RULE = [one for one in GOLD.values() if one.name != "datasets"]


class Command(LaunchCommand):
    help = "Create a batch from datasets, launch it and open it to workers."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("batch", type=slug)
        self.add_common(parser)
        add("--marketplace", type=slug, metavar="NAME", help=help_of(SETTINGS["marketplace"]))
        add("--checks", action="append", type=slug, default=[], metavar="NAME", help=help_of(GOLD["datasets"]))
        add_options(parser, RULE)
        add("--draft", action="store_true", help="do not launch it; the same command without --draft does")
        add("--quote", action="store_true", help="print the cost and create nothing")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        self.check_pay(options)
        asked = self.common(project, options["batch"], options)
        if options["marketplace"]:
            asked["marketplace"] = marketplace_named(project, options["marketplace"])
        if options["checks"]:
            sources = [dataset_named(project, source) for source in dict.fromkeys(options["checks"])]
            asked["checks"] = {"percent": 10, **given_settings(options, RULE), "datasets": sources}
        batch = self.made(
            project,
            options["batch"],
            lambda name: create_batch(project, parse(project, asked | {"name": name})),
            launching=not options["quote"],
        )
        if options["quote"]:
            return self.quoted(batch)
        if options["draft"]:
            return {"batch": batch.slug, "hits": 0}
        result = self.launch(batch)
        if batch.on_marketplace:
            marketplaces().send(batch)
        return {"batch": batch.slug, **result}

    def check_pay(self, options: dict[str, Any]) -> None:
        """Exit with code 2 for a reward or approval time without --paid, or the other way round."""
        given = [name for name in ("reward", "auto_approve_days") if options[name] is not None]
        if given and not options["paid"]:
            self.usage(f"--{given[0].replace('_', '-')} applies to paid batches only; add --paid")
        if options["paid"] and options["reward"] is None and not estimates.pays_itself(options["task"]):
            self.usage("--paid needs --reward, because this task sets no reward itself")

    def quoted(self, batch: Batch) -> dict[str, Any]:
        """The cost of the draft, which is deleted."""
        try:
            found = estimates.estimate(batch, progress=self.progress_printer("items"))
        finally:
            if not batch.models.exists():  # as a draft of this name may have that was there before
                batch.delete()
        if found.count.problem:
            raise Refused(found.count.problem)
        if found.lacking:
            self.warn(f"The budget is too small to launch this. Add ${found.lacking} to the budget.")
        if found.below_floor:
            self.warn(f"This pays ${found.least_an_hour} an hour, below the project's minimum of ${found.floor}.")
        return estimates.as_json(found)
