"""Take together what is owed to a project's workers, as a file for whoever pays them."""

from pathlib import Path
from typing import Any

from annotation.flow import paying_out
from annotation.management.door import Door, project_of


class Command(Door):
    help = "Make a payout of everything that a project owes its workers, and write its file."

    def add(self, parser: Any) -> None:
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the CSV file; it holds names")

    def act(self, **options: Any) -> dict[str, Any]:
        file = options["out"]
        with file.open("x", encoding="utf-8", newline="") as out:  # before any money moves
            file.chmod(0o600)
            try:
                payout = paying_out.make_payout(project_of(options))
            except BaseException:
                file.unlink()
                raise
            out.write(paying_out.as_csv(payout))
        sums = paying_out.sums(paying_out.lines_of(payout))
        return {"payout": payout.number, "lines": payout.lines.count(), "total": str(sums["total"]), "file": str(file)}
