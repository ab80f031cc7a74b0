"""Create and launch a batch."""

from typing import Any

from annotation.flow import checking, eligibility, estimating
from annotation.flow.batching import create_batch
from annotation.jobs import send_batch
from annotation.management.commands.marketplace import marketplace_named
from annotation.management.door import (
    dataset_named,
    dollars,
    minutes,
    pair,
    percent,
    project_of,
    slug,
    whole,
    words,
)
from annotation.management.launching import LaunchDoor
from annotation.models import Batch
from annotation.pure.requirements import GUARDED
from annotation.registry import default_guide, kinds, task_type


class Command(LaunchDoor):
    help = "Create a batch from datasets and open it for its annotators."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--task", required=True, choices=[kind for kind, _title in kinds()])
        parser.add_argument("--dataset", required=True, action="append", type=slug, metavar="NAME")
        count = whole(1, 10**9)
        parser.add_argument("--assignments", type=count, help=f"different annotators for each HIT ({_usual()})")
        drawn = "items from each dataset (default: all); of tasks that judge groups together, whole groups"
        parser.add_argument("--sample", type=count, help=drawn)
        parser.add_argument("--seed", type=whole(0, 2**62), default=0)
        parser.add_argument("--title", type=words(200), help="what annotators read (default: the name)")
        parser.add_argument("--minutes", type=minutes, help="expected time for one HIT")
        parser.add_argument("--meeting", choices=Batch.Meeting.values, help="may members of a group meet one worker?")
        parser.add_argument("--purpose", choices=Batch.Purpose.values)
        self.add_apart(parser)
        unseen = "only items that no other batch of this task asked about"
        parser.add_argument("--unseen-only", action="store_true", help=unseen)
        parser.add_argument("--marketplace", type=slug, metavar="NAME", help="publish it there (default: the house)")
        checked = "items with known answers to mix in, hidden; repeatable"
        parser.add_argument("--checks", action="append", type=slug, default=[], metavar="NAME", help=checked)
        parser.add_argument("--check-share", type=percent, default=0.1, metavar="PERCENT", help="of a worker's items")
        parser.add_argument("--check-after", type=whole(1, 1000), default=5, metavar="N", help="checks before the rule")
        parser.add_argument("--warn-below", type=percent, metavar="PERCENT", help="warn on a lower mean grade")
        parser.add_argument("--pause-below", type=percent, metavar="PERCENT", help="pause on a lower mean grade")
        parser.add_argument("--option", action="append", type=pair, default=[], metavar="K=V", help="of the task")
        how = 'what annotators must hold: "Round 2 >= 80", "country in US,DE", "Round 2", "not Seen it"; repeatable'
        parser.add_argument("--require", action="append", type=words(300), default=[], metavar="WHAT", help=how)
        parser.add_argument("--paid", action="store_true", help="what is approved is paid, out of the project's budget")
        parser.add_argument("--reward", type=dollars, metavar="DOLLARS", help="for an approved assignment")
        days = "what nobody decided on by then is approved (default: 7)"
        parser.add_argument("--auto-approve-days", type=whole(0, 30), metavar="DAYS", help=days)
        parser.add_argument("--quote", action="store_true", help="say what it would cost and tell; create nothing")
        parser.add_argument("--guard", choices=list(GUARDED), default="Accept", help="of what else to keep others out")

    def act(self, **options: Any) -> dict[str, Any]:
        if len(dict(options["option"])) < len(options["option"]):
            self.usage("--option names the same option twice; give each once")
        pay = self.pay(options)
        project = project_of(options)
        asked = [eligibility.from_words(project, what, guard=options["guard"]) for what in options["require"]]
        batch = create_batch(
            project,
            options["batch"],
            task=options["task"],
            datasets=[dataset_named(project, name) for name in dict.fromkeys(options["dataset"])],
            options=dict(options["option"]),
            guide=default_guide(options["task"]),
            assignments_per_hit=options["assignments"],
            requirements=eligibility.column(project, asked),
            **pay,
            expected_seconds=max(1, round(60 * options["minutes"])) if options["minutes"] else None,
            connection=marketplace_named(project, options["marketplace"]) if options["marketplace"] else None,
            **{name: options[name] for name in ("sample", "seed", "title", "meeting", "purpose")},
            **{name: options[name] for name in ("disjoint", "fresh_only", "unseen_only")},
        )
        if options["checks"]:
            rule = checking.Rule(options["check_after"], options["warn_below"], options["pause_below"])
            sources = [dataset_named(project, name) for name in dict.fromkeys(options["checks"])]
            self.check(batch, datasets=sources, share=options["check_share"], rule=rule)
        if options["quote"]:
            return self.quoted(batch)
        result = self.launch(batch)
        if batch.connection_id:
            send_batch(batch)
        return {"batch": batch.slug, **result}

    def pay(self, options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch that say what it pays; a reward or a time without --paid is a mistake."""
        asked = [name for name in ("reward", "auto_approve_days") if options[name] is not None]
        if not options["paid"]:
            if asked:
                self.usage(f"--{asked[0].replace('_', '-')} says what a paid batch does; give --paid as well")
            return {}
        if options["reward"] is None and not estimating.pays_itself(options["task"]):
            self.usage("--paid needs --reward, because this task does not say what an answer earns")
        days = 7 if options["auto_approve_days"] is None else options["auto_approve_days"]
        return {"reward": options["reward"], "auto_approval": 24 * 3600 * days}

    def check(self, batch: Batch, **terms: Any) -> None:
        """Mix hidden gold into the draft; the draft goes where that cannot be."""
        try:
            checking.set_up(batch, **terms)
        except BaseException:
            batch.delete()
            raise

    def quoted(self, batch: Batch) -> dict[str, Any]:
        """What the draft would cost; the draft goes."""
        try:
            found = estimating.estimate(batch, tell=self.teller("items"))
        finally:
            batch.delete()
        if found.lacking:
            self.warn(f"The budget lacks ${found.lacking}.")
        if found.below_floor:
            self.warn(f"This pays ${found.least_an_hour} an hour, below the floor of ${found.floor}.")
        return estimating.told(found)


def _usual() -> str:
    """How many assignments a HIT gets unless told, by task."""
    tasks: dict[int, list[str]] = {}
    for kind, _title in kinds():
        tasks.setdefault(task_type(kind).assignments, []).append(kind)
    return "default: " + "; ".join(f"{number} for {', '.join(some)}" for number, some in sorted(tasks.items()))
