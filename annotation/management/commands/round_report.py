"""Say what came out of a qualification round, and grant by it."""

from __future__ import annotations

from typing import Any

from annotation.flow import attempts, round_results, rounds
from annotation.flow.refusal import Refused
from annotation.management.door import Door, batch_named, percent, project_of, slug
from annotation.models import Project, Round


class Command(Door):
    help = "Print a round's results: workers, what each mark would give, and the chances that it gave beforehand."

    def add(self, parser: Any) -> None:
        parser.add_argument("round", type=slug)
        parser.add_argument("--mark", type=percent, help="choose by this score in percent instead of by the rule")
        parser.add_argument("--grant", action="store_true", help="grant the qualification to those who are chosen")

    def act(self, **options: Any) -> dict[str, Any]:
        found = self._round(project_of(options), options["round"])
        results = round_results.results(found)
        chosen = round_results.above(found, results, options["mark"])
        wanted = {one.worker: round_results.percent(one.score or 0) for one in chosen}
        granted = 0
        if options["grant"]:
            granted = round_results.grant(found, wanted, reason=f"Round {found.batch.slug}", user=None)
        return {
            "round": found.batch.slug,
            "rule": found.rule,
            "workers": [_told(result) for result in results],
            "chosen": [{"worker": worker.pseudonym, "value": value} for worker, value in wanted.items()],
            "granted": granted,
            "marks": [_prospect(found, one) for one in round_results.prospects(found, results)],
        }

    def _round(self, project: Project, name: str) -> Round:
        batch = batch_named(project, name)
        found = attempts.round_of(batch)
        if found is None:
            raise Refused(f"{name} is a batch, but no qualification round.")
        return found

    def lines(self, result: dict[str, Any]) -> list[str]:
        """A worker a line, then a mark a line."""
        if "workers" not in result:
            return super().lines(result)
        lines = [
            f"{one['worker']}  {one['answered']}/{one['items']}  score {one['score']}  passed {one['passed']}"
            for one in result["workers"]
        ]
        lines += [f"mark {one['mark']:g}: {one['workers']} workers, {one['quality']}" for one in result["marks"]]
        return [*lines, f"chosen: {len(result['chosen'])}", f"granted: {result['granted']}"]


def _told(result: round_results.Result) -> dict[str, Any]:
    return {
        "worker": result.worker.pseudonym,
        "attempt": result.attempt.number,
        "answered": result.answered,
        "items": len(result.cells),
        "score": result.score,
        "passed": result.passed,
        "figures": result.figures,
    }


def _prospect(found: Round, one: round_results.Prospect) -> dict[str, Any]:
    names = dict.fromkeys(clause.figure for clause in rounds.rule_of(found))
    quality = {
        name: {"expected": outcome.quality, "low": outcome.low, "high": outcome.high}
        for name, outcome in zip(names, one.figures, strict=True)
    }
    return {"mark": round(100 * one.mark, 1), "workers": one.workers, "quality": quality}
