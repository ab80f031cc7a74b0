"""Check that the projects' ledgers balance."""

from typing import Any

from annotation.flow.errors import Refused
from annotation.flow.money import ledger_audit
from annotation.management.json_command import JSONCommand, slug
from annotation.models import Project


class OutOfBalance(Refused):
    """A ledger does not add up. `report`: {"faults": [{"project", "account", "says", "should"}]}."""

    def __init__(self, faults: list[dict[str, str]]) -> None:
        self.report = {"faults": faults}
        super().__init__(f"{len(faults)} balances are wrong. Stop payments, and find out what wrote to the tables.")


class Command(JSONCommand):
    help = "Check that every balance is the sum of its entries and every payment is in the ledger; exits 1 if not."

    def add(self, parser: Any) -> None:
        parser.add_argument("only", nargs="*", type=slug, metavar="PROJECT", help="projects to check (default: all)")

    def act(self, **options: Any) -> dict[str, Any]:
        projects = Project.everything.order_by("slug")
        if options["only"]:
            projects = projects.filter(slug__in=options["only"])
            if missing := set(options["only"]) - set(projects.values_list("slug", flat=True)):
                raise Refused(f"There is no project {', '.join(sorted(missing))}.")
        faults = [
            {"project": project.slug, "account": fault.account, "says": str(fault.says), "should": str(fault.should)}
            for project in projects
            for fault in ledger_audit.audit(project)
        ]
        if faults:
            raise OutOfBalance(faults)
        return {"projects": projects.count(), "faults": []}

    def lines(self, result: dict[str, Any]) -> list[str]:
        """One line per fault, or a line that all is well."""
        line = "{project}: {account} says {says} and should say {should}"
        fine = f"Projects checked: {result.get('projects')}. Every ledger balances."
        return [line.format(**fault) for fault in result["faults"]] or [fine]
