"""Create a payout: a file of what a project owes its workers."""

from pathlib import Path
from typing import Any

from annotation.flow.money import payouts
from annotation.management.json_command import JSONCommand, project_of


class Command(JSONCommand):
    help = "Create a payout of everything that a project owes its workers, and write it to a file."

    def add(self, parser: Any) -> None:
        parser.add_argument(
            "--out", type=Path, required=True, metavar="FILE", help="CSV file to write; contains workers' names"
        )

    def act(self, **options: Any) -> dict[str, Any]:
        file = options["out"]
        with file.open("x", encoding="utf-8", newline="") as out:  # before any money moves
            file.chmod(0o600)
            try:
                payout = payouts.make_payout(project_of(options))
            except BaseException:
                file.unlink()
                raise
            out.write(payouts.as_csv(payout))
        sums = payouts.sums(payouts.lines_of(payout))
        return {"payout": payout.number, "lines": payout.lines.count(), "total": str(sums["total"]), "file": str(file)}
