"""Create a payout: a file of what a project owes its workers."""

from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.flow.errors import Refused
from annotation.flow.money import payouts
from annotation.management.json_command import JSONCommand, integer_between, project_of
from annotation.models import Payout, Project


class Command(JSONCommand):
    help = "Create a payout of everything that a project owes its workers, or write the file of one again."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("--out", type=Path, required=True, metavar="FILE", help="CSV file to write; contains workers' names")
        again = "create nothing, but write the file of this payout, with its lines as they are now"
        add("--number", type=integer_between(1, 2**31 - 1), metavar="N", help=again)

    def act(self, **options: Any) -> dict[str, Any]:
        project, file = project_of(options), options["out"].absolute()
        draft = file.with_name(f".{file.name}.part")  # what a killed command left is replaced
        try_out(draft, file)  # before any money moves
        try:
            payout = stored(project, options["number"]) if options["number"] else new(project)
            write(draft, file, payout)
        finally:
            draft.unlink(missing_ok=True)
        sums = payouts.sums(payouts.lines_of(payout))
        return {"payout": payout.number, "lines": payout.lines.count(), "total": str(sums["total"]), "file": str(file)}


def try_out(draft: Path, file: Path) -> None:
    """Make the draft, private from the start. Raises OSError if it cannot be written, or the file exists."""
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600, exist_ok=False)
    if file.exists():
        draft.unlink()
        raise FileExistsError(17, "File exists", str(file))


def write(draft: Path, file: Path, payout: Payout) -> None:
    """Write the payout's file, whole or not at all. Raises Refused."""
    try:
        draft.write_text(payouts.as_csv(payout), encoding="utf-8", newline="")
        draft.replace(file)
    except OSError as broken:
        why = f"Payout {payout.number} is stored, but its file could not be written: {broken.strerror}."
        raise Refused(f"{why} {way(payout)}") from broken


def stored(project: Project, number: int) -> Payout:
    found = Payout.objects.filter(project=project, number=number).first()
    if found is None:
        raise Refused(f"There is no payout {number} in project {project.slug}.")
    return found


def new(project: Project) -> Payout:
    """A new payout. Raises Refused if nothing is owed, and says then how to get the file of the last one."""
    try:
        return payouts.make_payout(project)
    except Refused as refusal:
        last = Payout.objects.filter(project=project).order_by("-number").first()
        raise Refused(f"{refusal} {way(last)}" if last else str(refusal)) from None


def way(payout: Payout) -> str:
    command = f"{settings.PROGRAM} make_payout --project {payout.project.slug} --number {payout.number} --out FILE"
    return f"To write the file of payout {payout.number} again: {command}"
