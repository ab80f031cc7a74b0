"""Create and launch a batch."""

from typing import Any

from django.db import transaction

from annotation.flow.batches import estimates, hidden_gold
from annotation.flow.batches.batch_launch import create_batch
from annotation.flow.work import eligibility
from annotation.management.json_command import (
    dataset_named,
    dollars,
    integer_between,
    marketplace_named,
    minutes,
    percent,
    project_of,
    slug,
    words,
)
from annotation.management.launch_summary import LaunchCommand
from annotation.models import Batch, Project
from annotation.pure.people.requirements import GUARDED
from annotation.recruitment import marketplaces
from annotation.registry import kinds, task_type


class Command(LaunchCommand):
    help = "Create a batch from datasets, launch it and open it to workers."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("batch", type=slug)
        self.add_common(parser)
        count = integer_between(1, 10**9)
        add("--assignments", type=count, help=f"assignments per HIT, by different workers ({_usual()})")
        drawn = "items from each dataset (default: all); whole groups where the task shows a group in one HIT"
        add("--sample", type=count, help=drawn)
        add("--minutes", type=minutes, help="expected time for one HIT")
        add("--most-per-worker", type=count, metavar="N", help="HITs that one worker may get (default: no limit)")
        add("--purpose", choices=Batch.Purpose.values)
        unseen = "use only items that no other batch of this task uses"
        add("--unseen-only", action="store_true", help=unseen)
        add("--same-order", action="store_true", help="give all workers the HITs in the same order")
        add("--shows-scores", action="store_true", help="show each worker their own scores once the batch is closed")
        counted = "count text pasted from elsewhere and time away from the page; the consent text must say so"
        add("--counts-pasting", action="store_true", help=counted)
        add("--marketplace", type=slug, metavar="NAME", help="publish it there (default: the built-in one)")
        checked = "mix in items of this dataset as hidden gold; repeatable"
        add("--checks", action="append", type=slug, default=[], metavar="NAME", help=checked)
        add("--check-share", type=percent, default=0.1, metavar="PERCENT", help="hidden gold per worker (default: 10)")
        add(
            "--check-after", type=integer_between(1, 1000), default=5, metavar="N", help="apply the rule after N checks"
        )
        add("--warn-below", type=percent, metavar="PERCENT", help="warn a worker below this mean grade")
        add("--pause-below", type=percent, metavar="PERCENT", help="pause a worker below this mean grade")
        how = 'required of workers: "Round 2 >= 80", "country in US,DE", "Round 2", "not Seen it"; repeatable'
        add("--require", action="append", type=words(300), default=[], metavar="WHAT", help=how)
        add("--paid", action="store_true", help="pay approved responses from the project's budget")
        add("--reward", type=dollars, metavar="DOLLARS", help="per approved assignment")
        days = "approve unreviewed responses after so many days (default: 7)"
        add("--auto-approve-days", type=integer_between(0, 30), metavar="DAYS", help=days)
        add("--quote", action="store_true", help="print the cost and create nothing")
        add("--guard", choices=list(GUARDED), default="Accept", help="what workers who lack them may not do")

    def act(self, **options: Any) -> dict[str, Any]:
        if len(dict(options["option"])) < len(options["option"]):
            self.usage("--option names the same option twice; give each once")
        terms, project = self.pay(options), project_of(options)
        terms |= self.common(project, options["batch"], options)
        conditions = [eligibility.from_words(project, what, guard=options["guard"]) for what in options["require"]]
        terms["requirements"] = eligibility.column(project, conditions)
        if options["marketplace"]:
            terms["marketplace"] = marketplace_named(project, options["marketplace"])
        batch = self.made(
            project,
            options["batch"],
            lambda name: self.draft(project, name, options, terms),
            launching=not options["quote"],
        )
        if options["quote"]:
            return self.quoted(batch)
        result = self.launch(batch)
        if batch.on_marketplace:
            marketplaces().send(batch)
        return {"batch": batch.slug, **result}

    @transaction.atomic
    def draft(self, project: Project, name: str, options: dict[str, Any], terms: dict[str, Any]) -> Batch:
        """A draft with its hidden gold, or nothing."""
        own = ("sample", "purpose", "most_per_worker", "unseen_only", "same_order", "shows_scores", "counts_pasting")
        terms = terms | {key: options[key] for key in own} | {"assignments_per_hit": options["assignments"]}
        batch = create_batch(project, name, **terms)
        if options["checks"]:
            rule = hidden_gold.Rule(options["check_after"], options["warn_below"], options["pause_below"])
            sources = [dataset_named(project, source) for source in dict.fromkeys(options["checks"])]
            hidden_gold.set_up(batch, datasets=sources, share=options["check_share"], rule=rule)
        return batch

    def pay(self, options: dict[str, Any]) -> dict[str, Any]:
        """Columns of the batch about pay; exits with code 2 for a reward or approval time without --paid."""
        given = [name for name in ("reward", "auto_approve_days") if options[name] is not None]
        if not options["paid"]:
            if given:
                self.usage(f"--{given[0].replace('_', '-')} applies to paid batches only; add --paid")
            return {}
        if options["reward"] is None and not estimates.pays_itself(options["task"]):
            self.usage("--paid needs --reward, because this task sets no reward itself")
        days = 7 if options["auto_approve_days"] is None else options["auto_approve_days"]
        return {"reward": options["reward"], "auto_approval": 24 * 3600 * days}

    def quoted(self, batch: Batch) -> dict[str, Any]:
        """The cost of the draft, which is deleted."""
        try:
            found = estimates.estimate(batch, progress=self.progress_printer("items"))
        finally:
            batch.delete()
        if found.lacking:
            self.warn(f"The budget is too small to launch this. Add ${found.lacking} to the budget.")
        if found.below_floor:
            self.warn(f"This pays ${found.least_an_hour} an hour, below the project's minimum of ${found.floor}.")
        return estimates.as_json(found)


def _usual() -> str:
    """The default number of assignments per HIT, by task."""
    tasks: dict[int, list[str]] = {}
    for kind, _title in kinds():
        tasks.setdefault(task_type(kind).assignments, []).append(kind)
    return "default: " + "; ".join(f"{number} for {', '.join(some)}" for number, some in sorted(tasks.items()))
