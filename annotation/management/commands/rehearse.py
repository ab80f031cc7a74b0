"""What a batch will cost, take and give: simulated workers play it on a throw-away copy."""

from __future__ import annotations

from typing import Any

from annotation.management.door import Door, batch_named, project_of, slug
from annotation.pure.rehearsing import crowd
from annotation.rehearsal.rehearse import MOST_HITS, rehearse


class Command(Door):
    help = "Let simulated workers work through a copy of a batch, and forecast its cost, time and quality."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--workers", type=int, default=40, help="simulated workers (default: 40)")
        parser.add_argument("--model", action="append", default=[], metavar="K=V", help="of the crowd; may be repeated")
        parser.add_argument("--hits", type=int, default=MOST_HITS, help=f"HITs to rehearse (default: {MOST_HITS})")
        parser.add_argument("--seed", type=int, default=0)

    def act(self, **options: Any) -> dict[str, Any]:
        try:
            model = crowd(options["model"])
        except ValueError as unfit:
            self.usage(f"--model: {unfit}")
        batch = batch_named(project_of(options), options["batch"])
        wish = {name: options[name] for name in ("workers", "hits", "seed")}
        return rehearse(batch, crowd=model, tell=self.teller("Answers"), **wish)

    def lines(self, result: dict[str, Any]) -> list[str]:
        return told(result)


def told(result: dict[str, Any]) -> list[str]:
    """The forecast for a person."""
    answers = f"{result['answers']} of {result['asked']} answers by {result['workers']} of {result['people']} workers"
    lines = [f"Rehearsed {result['hits']} of {result['of']} HITs: {answers}", ""]
    if not result["finished"]:
        lines.append("! The crowd did not suffice: HITs stayed unfinished. Time and cost are reckoned to the end.")
    lines += [
        f"  cost      ${_range(result['cost'], 2)}",
        f"  time      {_range(result['hours'], 1)} hours",
        f"  wage      ${_range(result['wage'], 2)} an hour (median worker)",
        f"  quality   {_range(result['quality'], 1, times=100)} (mean grade of an answer)",
    ]
    if result["passed"]:
        lines.append(f"  passed    {_range(result['passed'], 1, times=100)} % of {result['passed']['n']} who finished")
    lines += ["", "  annotations   most are right"]
    for vote in result["votes"]:
        lines.append(f"  {vote['count']:11}   {100 * vote['right']:.1f} %{'' if vote['seen'] else '  (reckoned)'}")
    counts = (
        f"{result['returned']} returned, {result['abandoned']} abandoned, {result['refused']} not taken by the page"
    )
    return [*lines, "", f"  {counts}"]


def _range(figure: dict[str, Any], places: int, *, times: float = 1) -> str:
    ends = [figure[name] for name in ("value", "low", "high") if figure[name] is not None]
    value, *interval = (f"{times * end:.{places}f}" for end in ends)
    return f"{value} [{', '.join(interval)}]" if interval else value
