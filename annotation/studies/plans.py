"""What a study needs, in words and as JSON: people, assignments, hours and cost."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Batch, Project
from annotation.pure.studies.definition import Definition
from annotation.pure.studies.plan import Plan, plan_of
from annotation.registry import task_type
from annotation.studies.launch import batches_of
from annotation.studies.models import StudyRun

WAGE = 12.0  # dollars an hour, where the project has no minimum wage


def _terms(task: str) -> tuple[int, bool]:
    kind = task_type(task)
    return kind.assignments, kind.meeting == Batch.Meeting.ONE


def of_study(study: Definition, *, scale: float = 1.0) -> Plan:
    """The plan of a study that is not launched."""
    return plan_of(study, _terms, scale=scale)


def of_run(run: StudyRun) -> Plan:
    """The plan of a run, with the HITs of its batches as launched."""
    hits = {name: batch.size for name, batch in batches_of(run).items() if batch.size}
    return plan_of(run.definition, _terms, scale=run.scale, hits=hits)


def wage_of(project: Project) -> float:
    """Dollars an hour to reckon with: the project's minimum, or WAGE."""
    return WAGE if project.wage_floor is None else float(project.wage_floor)


def as_json(plan: Plan, wage: float) -> dict[str, Any]:
    """The plan with its cost at an hourly wage; None where something is not known before the data is there."""
    cost = plan.cost(wage)
    return {
        "workers": plan.workers,
        "people_a_question": plan.a_question,
        "assignments": plan.assignments,
        "hours": None if plan.hours is None else round(plan.hours, 1),
        "wage": wage,
        "cost": None if cost is None else round(cost, 2),
        "batches": [
            {"name": row.name, "hits": row.hits, "assignments": row.assignments, "most_per_worker": row.most}
            for row in plan.batches
        ],
    }


def lines(plan: dict[str, Any]) -> list[str]:
    """The plan as phrases: people, assignments, hours and cost, as far as they are known, and the limits."""
    people = plan["people_a_question"]
    words = ngettext("%(n)s different person for each question", "%(n)s different people for each question", people)
    found = [words % {"n": people}]
    if plan["workers"] > people:
        found.append(_("at least %(n)s workers in all") % {"n": plan["workers"]})
    if plan["assignments"] is not None:
        number = plan["assignments"]
        found.append(ngettext("%(n)s assignment", "%(n)s assignments", number) % {"n": f"{number:,}"})
    if plan["hours"] is not None:
        cost = {"hours": f"{plan['hours']:,.0f}", "cost": f"{plan['cost']:,.0f}", "wage": f"{plan['wage']:.2f}"}
        found.append(_("%(hours)s hours of work, $%(cost)s at $%(wage)s an hour, without fees") % cost)
    limits = [f"{row['name']} {row['most_per_worker']}" for row in plan["batches"] if row["most_per_worker"]]
    if limits:
        found.append(_("HITs that one worker may have: %(limits)s") % {"limits": ", ".join(limits)})
    return found
