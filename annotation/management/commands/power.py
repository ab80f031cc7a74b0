"""What a planned study can find: power, smallest difference, and what a budget buys."""

from typing import Any

from annotation.flow.reports.power_plan import plan
from annotation.management.json_command import (
    JSONCommand,
    batch_named,
    dollars,
    integer_between,
    percent,
    project_of,
    slug,
)
from annotation.pure.reports import tables
from annotation.pure.statistics.power import KINDS, PAIRED


class Command(JSONCommand):
    help = "Compute what a planned comparison, or a rate, can find, by simulation with crossed random effects."

    def add(self, parser: Any) -> None:
        parser.add_argument("--kind", choices=KINDS, default=PAIRED, help="paired: same items (default)")
        parser.add_argument("--items", type=integer_between(2, 20_000), required=True, help="items in each condition")
        parser.add_argument(
            "--assignments", type=integer_between(1, 100), default=3, help="responses to an item (default: 3)"
        )
        parser.add_argument(
            "--workers", type=integer_between(2, 20_000), required=True, help="workers in each condition"
        )
        parser.add_argument("--first", type=percent, help="expected rate of right responses in percent (default: 80)")
        parser.add_argument(
            "--second", type=percent,
            help="rate of the other condition, or the value to compare with (default: 5 points less than the first)",
        )  # fmt: skip
        parser.add_argument("--by-item", type=percent, help="share of the variance between items (default: 50)")
        parser.add_argument("--by-worker", type=percent, help="share of it between workers (default: 5)")
        parser.add_argument(
            "--alike",
            type=percent,
            help="correlation of an item's effects in both conditions, in percent (default: 80)",
        )
        parser.add_argument("--pilot", type=slug, metavar="BATCH", help="take rate and shares from its responses")
        parser.add_argument("--price", type=dollars, help="of a response, with fees")
        parser.add_argument("--budget", type=dollars, help="list what it buys; needs --price")
        parser.add_argument("--seed", type=integer_between(0, 2**53 - 1), default=0)

    def act(self, **options: Any) -> dict[str, Any]:
        pilot = batch_named(project_of(options), options["pilot"]) if options["pilot"] else None
        return plan({**options, "answers": options["assignments"]}, pilot=pilot)

    def lines(self, result: dict[str, Any]) -> list[str]:
        text = " ".join(map(tables.sentence, result["paragraph"]))
        return [text, *(line for table in result["tables"] for line in ["", *tables.lines(table)])]
