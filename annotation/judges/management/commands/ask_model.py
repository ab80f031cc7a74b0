"""Ask a model about the items of a batch or a dataset."""

import json
import os
import sys
from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.flow.batches.batch_drafts import create_batch
from annotation.flow.batches.parsing import parse
from annotation.flow.errors import Refused
from annotation.judges import prompts, runs
from annotation.judges.calls import Stopped
from annotation.judges.models import ModelRun
from annotation.management.json_command import (
    JSONCommand,
    batch_named,
    content,
    dataset_named,
    integer_between,
    pair,
    project_of,
    reader,
    rubric,
    slug,
    words,
)
from annotation.management.setting_options import option_values
from annotation.models import Batch, Project
from annotation.registry import kinds, task_type

KEY = "MODEL_API_KEY"  # a key on the command line could be read by every user of the machine


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except DecimalException:
        raise ValueError(text) from None


dollars = reader(_decimal, lambda amount: amount.is_finite() and 0 <= amount <= 100_000, "dollars, such as 5.00")


class Command(JSONCommand):
    help = f"Ask a model about the items of a batch or a dataset. Its API key is read from the variable {KEY}."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("--batch", type=slug, metavar="NAME", help="a batch: its HITs, or all items of a draft")
        add("--every-item", action="store_true", help="also the items of its datasets that are not in the batch")
        add("--dataset", type=slug, metavar="NAME", help="instead: all items of a dataset, for a new draft")
        add("--task", choices=[kind for kind, _title in kinds()], help="with --dataset: what is asked")
        add("--option", action="append", type=pair, default=[], metavar="K=V", help="with --dataset; repeatable")
        add("--rubric", type=rubric, metavar="FILE", help="the same as --option rubric=@FILE, or a preset's name")
        add("--endpoint", required=True, metavar="URL", help="of chat completions, such as https://host/v1")
        add("--model", required=True, type=words(200), metavar="NAME")
        add("--name", type=words(200), metavar="NAME", help="of its predictions (the model's)")
        add("--prompt", type=content, metavar="FILE", help="instead of the prompt made from the instructions")
        add("--samples", type=integer_between(1, 100), default=1, metavar="K", help="replies for each item (1)")
        add("--temperature", type=reader(float, lambda t: 0 <= t <= 2, "a number from 0 to 2"))
        add("--seed", type=integer_between(0, 2**31 - 1000))
        add("--concurrency", type=integer_between(1, 32), default=8, help="requests at the same time (8)")
        add("--most-tokens", type=integer_between(1, 100_000), default=1024, help="of one reply (1024)")
        add("--price-in", type=dollars, default=Decimal(0), help="dollars for a million tokens that are sent")
        add("--price-out", type=dollars, default=Decimal(0), help="dollars for a million tokens of replies")
        add("--most-cost", type=dollars, metavar="DOLLARS", help="the ceiling; or --most-calls")
        add("--most-calls", type=integer_between(1, 10**9), metavar="N", help="the ceiling in requests")
        add("--terms", type=words(500), default="", help="the provider's terms for the output, for the datasheet")
        add("--out", type=Path, metavar="FILE", help="write the answers there, as JSON lines for import_predictions")
        add("--yes", action="store_true", help="send without asking")
        add("--dry-run", action="store_true", help="print three prompts and the estimate; nothing is sent")

    def act(self, **options: Any) -> dict[str, Any]:
        names = ["endpoint", "model", "name", "every_item", "samples", "temperature", "seed", "concurrency"]
        names += ["most_tokens", "price_in", "price_out", "most_cost", "most_calls", "terms", "prompt"]
        with transaction.atomic():
            batch = self.batch(project_of(options), options)
            options["every_item"] |= bool(options["dataset"])
            run = runs.draft(batch, secret=os.environ.get(KEY, ""), **{name: options[name] for name in names})
            found = runs.outgoing(run)
            if options["dry_run"]:
                transaction.set_rollback(True)  # neither a draft is stored nor a new ceiling of a run under way
                return self.estimate(run, found)
        if run.state == ModelRun.State.DRAFT and not options["yes"] and not self.agreed(run, found):
            raise Refused("Nothing was sent.")
        runs.confirm(run, here=True)
        try:
            runs.carry_on(run, progress=self.progress_printer("Replies"))
        except Stopped:
            self.warn("The run was paused, or another process took it over.")
        except KeyboardInterrupt:
            runs.pause(run)
        run = ModelRun.objects.get(pk=run.pk)
        if run.trouble:
            raise Refused(f"The run paused: {run.trouble} The same command continues it.")
        if options["out"]:
            lines = (json.dumps(answer, ensure_ascii=False) + "\n" for answer in runs.answers(run))
            options["out"].write_text("".join(lines), encoding="utf-8")
        return self.result(run)

    def batch(self, project: Project, options: dict[str, Any]) -> Batch:
        """The batch that is named, or a draft for the dataset, the same one if the command runs again."""
        if bool(options["batch"]) == bool(options["dataset"]):
            self.usage("give either --batch or --dataset")
        if options["batch"]:
            if options["task"] or options["option"] or options["rubric"]:
                self.usage("--task, --option and --rubric go with --dataset; a batch has its own")
            return batch_named(project, options["batch"])
        if not options["task"]:
            self.usage("--dataset needs --task")
        dataset = dataset_named(project, options["dataset"])
        if options["rubric"]:
            options["option"] = [*options["option"], ("rubric", f"@{options['rubric']}")]
        given = option_values(options["option"], task_type(options["task"]).Options)
        name = f"{dataset.slug[:60]}-{options['task']}-{prompts.version_of(json.dumps(given, sort_keys=True))[:6]}"
        if old := project.batches.filter(slug=name).first():
            return old
        asked = {"name": name, "title": name, "task": options["task"], "datasets": [dataset], "options": given}
        return create_batch(project, parse(project, asked))

    def agreed(self, run: ModelRun, found: runs.Outgoing) -> bool:
        """Say what will leave this machine, and ask whether it may."""
        for line in summary(run, found):
            self.stderr.write(line)
        if not sys.stdin.isatty():
            raise Refused("Nothing was sent. Look at this with --dry-run, then add --yes.")
        self.stderr.write("Send it? [y/N] ", ending="")
        return input().strip().lower() in {"y", "yes"}

    def estimate(self, run: ModelRun, found: runs.Outgoing) -> dict[str, Any]:
        """What would be sent."""
        return {"summary": summary(run, found), "prompts": list(found.prompts), "prompt_version": run.version}

    def result(self, run: ModelRun) -> dict[str, Any]:
        counted = runs.counts(run)
        shown = {name: getattr(run, name) for name in ("model", "name", "state")}
        shown |= {"batch": run.batch.slug, "prompt": run.version}
        return shown | counted | {"calls": run.calls_made, "cost": f"{run.spent:.8f}".rstrip("0").rstrip(".")}

    def lines(self, result: dict[str, Any]) -> list[str]:
        if "prompts" not in result:
            return super().lines(result)
        return [*(text for body in result["prompts"] for text in (body, "")), *result["summary"]]


def summary(run: ModelRun, found: runs.Outgoing) -> list[str]:
    """What would leave this machine, in lines."""
    licences = "; ".join(f"{name}: {licence or 'not recorded'}" for name, licence in found.licences)
    ceilings = [f"${run.most_cost:.2f}"] if run.most_cost is not None else []
    ceilings += [f"{run.most_calls:,} requests"] if run.most_calls is not None else []
    worst = f"at most ${found.worst:.4f}" if found.worst is not None else "unknown without prices"
    lines = [
        f"host:     {found.host}",
        f"model:    {found.model}",
        f"fields:   {', '.join(found.fields)}",
        f"items:    {found.items:,} ({found.requests:,} requests, about {found.size:,} bytes)",
        f"licence:  {licences}",
        f"cost:     {worst}, without repeated requests",
        f"ceiling:  {', '.join(ceilings)}",
    ]
    return lines + [
        f"warning:  {name} seems to be a test split; models may be trained on what they are sent"
        for name in found.tests
    ]
