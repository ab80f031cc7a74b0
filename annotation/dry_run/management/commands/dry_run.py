"""Forecast a batch's cost, time and quality with simulated workers on a temporary copy."""

from typing import Any

from annotation.dry_run.forecast import crowd
from annotation.dry_run.run import MOST_HITS, dry_run
from annotation.management.json_command import JSONCommand, batch_named, project_of, slug


class Command(JSONCommand):
    help = "Forecast cost, time and quality of a batch: simulated workers work through a copy of it."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--workers", type=int, default=40, help="simulated workers (default: 40)")
        parser.add_argument(
            "--model",
            action="append",
            default=[],
            metavar="K=V",
            help="a parameter of the simulated workers; repeatable",
        )
        parser.add_argument("--hits", type=int, default=MOST_HITS, help=f"HITs to simulate (default: {MOST_HITS})")
        parser.add_argument("--seed", type=int, default=0)

    def act(self, **options: Any) -> dict[str, Any]:
        try:
            model = crowd(options["model"])
        except ValueError as invalid:
            self.usage(f"--model: {invalid}")
        batch = batch_named(project_of(options), options["batch"])
        terms = {name: options[name] for name in ("workers", "hits", "seed")}
        return dry_run(batch, crowd=model, progress=self.progress_printer("Responses"), **terms)

    def lines(self, result: dict[str, Any]) -> list[str]:
        return text_lines(result)


def text_lines(result: dict[str, Any]) -> list[str]:
    """The forecast as lines of text."""
    done = f"{result['answers']} of {result['asked']} responses by {result['workers']} of {result['people']} workers"
    lines = [f"Simulated {result['hits']} of {result['of']} HITs: {done}", ""]
    if not result["finished"]:
        lines.append("! There were not enough workers to finish all HITs. Time and cost are extrapolated to the end.")
    lines += [
        f"  cost      ${_range(result['cost'], 2)}",
        f"  time      {_range(result['hours'], 1)} hours",
        f"  wage      ${_range(result['wage'], 2)} an hour (median worker)",
    ]
    if result["quality"]:
        lines.append(f"  quality   {_range(result['quality'], 1, times=100)} (mean grade of a response)")
    else:
        lines.append("  quality   – (no item has gold to grade by)")
    if result["passed"]:
        lines.append(f"  passed    {_range(result['passed'], 1, times=100)} % of {result['passed']['n']} who finished")
    lines += ["", "  assignments   majority is right"] if result["votes"] else []
    for vote in result["votes"]:
        lines.append(f"  {vote['count']:11}   {100 * vote['right']:.1f} %{'' if vote['seen'] else '  (extrapolated)'}")
    counts = f"{result['returned']} returned, {result['abandoned']} abandoned, {result['refused']} refused by the page"
    return [*lines, "", f"  {counts}"]


def _range(figure: dict[str, Any], places: int, *, times: float = 1) -> str:
    ends = [figure[name] for name in ("value", "low", "high") if figure[name] is not None]
    value, *interval = (f"{times * end:.{places}f}" for end in ends)
    return f"{value} [{', '.join(interval)}]" if interval else value
