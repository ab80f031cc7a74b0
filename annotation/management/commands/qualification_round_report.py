"""Print the results of a qualification round, and grant its qualification."""

from typing import Any

from annotation.flow.errors import Refused
from annotation.flow.people import qualification_rounds, round_attempts, round_results
from annotation.management.json_command import JSONCommand, batch_named, percent, project_of, slug
from annotation.models import QualificationRound


class Command(JSONCommand):
    help = "Print the results of a qualification round: its workers, and how many would pass at each mark."

    def add(self, parser: Any) -> None:
        parser.add_argument("round", type=slug)
        parser.add_argument(
            "--mark", type=percent, help="choose workers by this score in percent instead of by the rule"
        )
        parser.add_argument("--grant", action="store_true", help="grant the qualification to the chosen workers")

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["round"])
        found = round_attempts.round_of(batch)
        if found is None:
            raise Refused(f"{batch.slug} is not a qualification round.")
        results = round_results.results(found)
        chosen = round_results.chosen_attempts(found, results, options["mark"])
        wanted = {one.worker: round_results.percent(one.score or 0) for one in chosen}
        granted = 0
        if options["grant"]:
            granted = round_results.grant(found, wanted, reason=f"Round {found.batch.slug}", user=None)
        return {
            "round": found.batch.slug,
            "rule": found.rule,
            "workers": [_result_data(result) for result in results],
            "chosen": [{"worker": worker.pseudonym, "value": value} for worker, value in wanted.items()],
            "granted": granted,
            "marks": [_prospect(found, one) for one in round_results.prospects(found, results)],
        }

    def lines(self, result: dict[str, Any]) -> list[str]:
        """One line per worker, then one per mark."""
        if "workers" not in result:
            return super().lines(result)
        lines = [
            f"{one['worker']}  {one['answered']}/{one['items']}  score {_percent(one['score'])}, {_passed(one)}"
            for one in result["workers"]
        ]
        lines += [
            f"At {one['mark']:g} %: {one['workers']} would pass{_expected(one['quality'])}." for one in result["marks"]
        ]
        return [*lines, f"chosen: {len(result['chosen'])}", f"granted: {result['granted']}"]


def _passed(row: dict[str, Any]) -> str:
    return {True: "passed", False: "failed", None: "not decided"}[row["passed"]]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def _expected(quality: dict[str, dict[str, float | None]]) -> str:
    """The figures that workers above a mark are expected to reach, as the end of a sentence."""
    figures = [
        f"{name} {_percent(one['expected'])} [{_percent(one['low'])}, {_percent(one['high'])}]"
        for name, one in quality.items()
        if one["expected"] is not None
    ]
    return f"; expected {', '.join(figures)}" if figures else ""


def _result_data(result: round_results.Result) -> dict[str, Any]:
    return {
        "worker": result.worker.pseudonym,
        "attempt": result.attempt.number,
        "answered": result.answered,
        "items": len(result.cells),
        "score": result.score,
        "passed": result.passed,
        "figures": result.figures,
    }


def _prospect(qualification_round: QualificationRound, one: round_results.Prospect) -> dict[str, Any]:
    names = dict.fromkeys(clause.figure for clause in qualification_rounds.rule_of(qualification_round))
    quality = {
        name: {"expected": outcome.quality, "low": outcome.low, "high": outcome.high}
        for name, outcome in zip(names, one.figures, strict=True)
    }
    return {"mark": round(100 * one.mark, 1), "workers": one.workers, "quality": quality}
