"""Create and launch a qualification round."""

from __future__ import annotations

import argparse
from datetime import datetime, time
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.flow.pools import pool_of
from annotation.flow.rounds import chances, create_round
from annotation.management.door import dataset_named, minutes, pair, project_of, slug, whole, words
from annotation.management.launching import LaunchDoor
from annotation.models import Batch, Round
from annotation.registry import default_guide, kinds


class Command(LaunchDoor):
    help = "Create a qualification round from datasets, say how likely which skill passes, and open it."

    def add(self, parser: Any) -> None:
        parser.add_argument("round", type=slug)
        parser.add_argument("--task", required=True, choices=[kind for kind, _title in kinds()])
        parser.add_argument("--dataset", required=True, action="append", type=slug, metavar="NAME")
        parser.add_argument("--per-worker", required=True, type=whole(1, 1000), metavar="N", help="items for each")
        pool = "items of each dataset that the round draws from and holds (default: all)"
        parser.add_argument("--pool", type=whole(1, 10**9), metavar="N", help=pool)
        parser.add_argument("--grants", required=True, type=words(200), metavar="NAME", help="the qualification")
        parser.add_argument(
            "--clause", action="append", type=clause, metavar="RULE", help="such as answer_f1>75@each; all must hold"
        )
        parser.add_argument("--judgment", choices=Round.Judgment.values, help="by gold or by the requester")
        parser.add_argument("--attempts", type=whole(1, 10), default=1)
        parser.add_argument("--time-limit", type=minutes, metavar="MINUTES", help="from the first item on")
        parser.add_argument("--ends", type=day, metavar="DATE", help="the last day, as 2027-01-31")
        parser.add_argument("--seed", type=whole(0, 2**62), default=0)
        parser.add_argument("--title", type=words(200), help="what workers read (default: the name)")
        parser.add_argument("--minutes", type=minutes, help="expected time for one item")
        parser.add_argument("--meeting", choices=Batch.Meeting.values, help="may members of a group meet one worker?")
        self.add_apart(parser)
        parser.add_argument("--option", action="append", type=pair, default=[], metavar="K=V", help="of the task")
        parser.add_argument("--draft", action="store_true", help="do not launch it")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        datasets = [dataset_named(project, name) for name in dict.fromkeys(options["dataset"])]
        made = create_round(
            project,
            options["round"],
            task=options["task"],
            datasets=datasets,
            per_worker=options["per_worker"],
            grants=options["grants"],
            rule=options["clause"],
            judgment=options["judgment"] or "",
            tries=options["attempts"],
            seconds=round(60 * options["time_limit"]) if options["time_limit"] else None,
            closes_at=options["ends"],
            guide=default_guide(options["task"]),
            options=dict(options["option"]),
            expected_seconds=max(1, round(60 * options["minutes"])) if options["minutes"] else None,
            **{name: options[name] for name in ("seed", "title", "meeting", "disjoint", "fresh_only")},
            sample=options["pool"],
        )
        told = {
            f"{100 * one.skill:g}": {"passes": round(one.value, 4), "at_most": round(one.most, 4)}
            for one in chances(made)
        }
        launched = {"hits": 0} if options["draft"] else self.launch(made.batch)
        return {"round": made.batch.slug, "pool": pool_of(made.batch), **launched, "rule": made.rule, "chances": told}


def clause(text: str) -> dict[str, Any]:
    """An argument `figure>percent@dataset` or `figure>=percent`, as it is stored."""
    said, _at, dataset = text.partition("@")
    comparator = ">=" if ">=" in said else ">"
    figure, found, percent = said.partition(comparator)
    try:
        value = float(percent) / 100
    except ValueError:
        found = ""
        value = 0.0
    if not found or not figure.strip() or not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text[:60]!r}: write figure>percent@dataset, such as answer_f1>75@each")
    return {"figure": figure.strip(), "comparator": comparator, "value": value, "dataset": dataset.strip()}


def day(text: str) -> datetime:
    """An argument that is a date; its end."""
    try:
        found = parse_date(text)
    except ValueError:
        found = None
    if found is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: write a date as 2027-01-31")
    return timezone.make_aware(datetime.combine(found, time.max))
