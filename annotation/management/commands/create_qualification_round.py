"""Create and launch a qualification round."""

import argparse
from datetime import datetime, time
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date

from annotation.flow.people.qualification_rounds import SETTLED, chances, parse_round, rule_in_words, store_round
from annotation.flow.people.round_attempts import pool_of
from annotation.management.json_command import integer_between, minutes, project_of, slug, words
from annotation.management.launch_summary import LaunchCommand
from annotation.models import Batch, QualificationRound
from annotation.pure.people.round_rules import clause_of


class Command(LaunchCommand):
    help = "Create a qualification round from datasets, print the chances of passing, and open it."

    left_out = (*SETTLED, "sample")

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("round", type=slug)
        self.add_common(parser)
        add("--per-worker", required=True, type=integer_between(1, 1000), metavar="N", help="items per worker")
        pool = "items of each dataset reserved for the round to draw from (default: all)"
        add("--pool", type=integer_between(1, 10**9), metavar="N", help=pool)
        add("--grants", required=True, type=words(200), metavar="NAME", help="qualification that passing grants")
        rule = "condition such as answer_f1>75@each; repeatable, all must hold"
        add("--clause", action="append", type=clause, metavar="RULE", help=rule)
        graded = "grade by gold or by the requester's reviews"
        add("--grading", "--judgment", choices=QualificationRound.Grading.values, help=graded)
        add("--attempts", type=integer_between(1, 10), default=1)
        add("--time-limit", type=minutes, metavar="MINUTES", help="from the first item on")
        add("--ends", type=day, metavar="DATE", help="last day, as 2027-01-31")
        add("--draft", action="store_true", help="do not launch it")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        name = options["round"]
        asked = self.common(project, name, options) | {
            "per_worker": options["per_worker"],
            "grants": options["grants"],
            "rule": options["clause"],
            "grading": options["grading"],
            "attempts": options["attempts"],
            "seconds": round(60 * options["time_limit"]) if options["time_limit"] else None,
            "closes_at": options["ends"],
            "sample": options["pool"],
        }

        def make(other: str) -> Batch:
            return store_round(project, *parse_round(project, asked | {"name": other})).batch

        batch = self.made(project, name, make)
        made = QualificationRound.objects.select_related("batch__project").get(batch=batch)
        by_skill = {
            f"{100 * one.skill:g}": {"passes": round(one.value, 4), "at_most": round(one.most, 4)}
            for one in chances(made)
        }
        self._rule = rule_in_words(made)
        launched = {"hits": 0} if options["draft"] else self.launch(made.batch)
        pool = pool_of(made.batch)
        return {"round": made.batch.slug, "pool": pool, **launched, "rule": made.rule, "chances": by_skill}

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The pool, the rule and the chances as sentences, after the lines of every launch."""
        if "chances" not in result:  # the report of a refusal
            return super().lines(result)
        plain = {key: value for key, value in result.items() if key not in ("pool", "rule", "chances")}
        pool = ", ".join(f"{count} items of {name}" for name, count in result["pool"].items())
        chances = [_chance(skill, one["passes"], one["at_most"]) for skill, one in result["chances"].items()]
        return [*super().lines(plain), f"pool: {pool}", *(f"to pass: {clause}" for clause in self._rule), *chances]


def _chance(skill: str, passes: float, at_most: float) -> str:
    """A sentence on a worker of this skill; `at_most` holds if the figures rise and fall together."""
    cases = f"{100 * passes:.0f}" + (f" to {100 * at_most:.0f}" if at_most - passes > 0.005 else "")
    return f"A worker whose long-run figures are {skill} percent passes in {cases} of 100 cases."


def clause(text: str) -> dict[str, Any]:
    """Parse an argument of a rule's clause."""
    try:
        return clause_of(text)
    except ValueError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def day(text: str) -> datetime:
    """Parse a date argument into the end of that day."""
    try:
        found = parse_date(text)
    except ValueError:
        found = None
    if found is None:
        raise argparse.ArgumentTypeError(f"{text[:40]!r}: write a date as 2027-01-31")
    return timezone.make_aware(datetime.combine(found, time.max))
