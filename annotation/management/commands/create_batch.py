"""Create and launch a batch."""

from typing import Any

from annotation.flow.batching import create_batch, launch
from annotation.flow.queueing import Lost
from annotation.flow.refusal import Refused
from annotation.management.door import Door, dataset_named, minutes, pair, project_of, slug, whole, words
from annotation.models import Batch
from annotation.registry import default_guide, task_types


class Command(Door):
    help = "Create a batch from datasets and open it for its annotators."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--task", required=True, choices=sorted(task_types()))
        parser.add_argument("--dataset", required=True, action="append", type=slug, metavar="NAME")
        count = whole(1, 10**9)
        parser.add_argument("--assignments", type=count, default=3, help="different annotators for each HIT")
        parser.add_argument("--sample", type=count, help="items from each dataset (default: all)")
        parser.add_argument("--seed", type=whole(0, 2**62), default=0)
        parser.add_argument("--title", type=words(200), help="what annotators read (default: the name)")
        parser.add_argument("--minutes", type=minutes, help="expected time for one HIT")
        parser.add_argument("--meeting", choices=Batch.Meeting.values, help="may members of a group meet one worker?")
        parser.add_argument("--purpose", choices=Batch.Purpose.values)
        parser.add_argument("--option", action="append", type=pair, default=[], metavar="K=V", help="of the task")

    def act(self, **options: Any) -> dict[str, Any]:
        if len(dict(options["option"])) < len(options["option"]):
            self.usage("--option names the same option twice; give each once")
        project = project_of(options)
        batch = create_batch(
            project,
            options["batch"],
            task=options["task"],
            datasets=[dataset_named(project, name) for name in dict.fromkeys(options["dataset"])],
            options=dict(options["option"]),
            guide=default_guide(options["task"]),
            assignments_per_hit=options["assignments"],
            expected_seconds=max(1, round(60 * options["minutes"])) if options["minutes"] else None,
            **{name: options[name] for name in ("sample", "seed", "title", "meeting", "purpose")},
        )
        try:
            result = launch(batch, tell=self.teller("HITs"))
        except Lost:
            raise Refused(f"The launch of {batch.slug} was taken over from elsewhere, and goes on there.") from None
        except BaseException:
            batch.delete()
            raise
        for doubt in result["warnings"]:
            self.warn(doubt)
        return {"batch": batch.slug, **result}
