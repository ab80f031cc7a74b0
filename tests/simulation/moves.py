"""Every move of every state machine: those that the product may make, which a history met, and why others cannot be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from annotation.marketplaces.models import PanelStudy, Publication, Visit, VisitBonus
from annotation.models import Assignment, Batch, Job, Payment, PayoutLine
from annotation.pure.batches import lifecycle
from annotation.webhooks.models import Delivery
from tests.simulation.world import World

Moves = Mapping[str, Collection[str]]
NEW: Final = "new"
MACHINES: dict[type[Any], Moves] = {
    Assignment: {NEW: {"accepted"}, **lifecycle.ASSIGNMENT_MOVES},
    Batch: {NEW: {"draft"}, **lifecycle.BATCH_MOVES},
    Job: {
        NEW: {"waiting"},
        "waiting": {"running"},
        "running": {"done", "failed", "waiting"},
        "failed": {"waiting"},
    },
    Payment: {
        NEW: {"due", "paid"},
        "due": {"sending", "paid", "failed"},
        "sending": {"paid", "failed"},
        "failed": {"due", "paid"},
    },
    PayoutLine: {NEW: {"open"}, "open": {"paid", "failed"}},
    Publication: {
        NEW: {"waiting"},
        "waiting": {"sending", "published"},
        "sending": {"published", "failed"},
        "failed": {"waiting", "published"},
    },
    PanelStudy: {
        NEW: {"settled"},
        "settled": {"waiting"},
        "waiting": {"sending"},
        "sending": {"settled", "failed", "waiting"},
        "failed": {"waiting"},
    },
    Visit: {NEW: {"live"}, "live": {"done", "ended"}},
    VisitBonus: {
        NEW: {"intended"},
        "intended": {"prepared", "refused", "unclear"},
        "prepared": {"called", "intended"},
        "called": {"paid", "unclear", "refused", "prepared"},
        "unclear": {"paid", "not_paid"},
    },
    Delivery: {NEW: {"due"}, "due": {"delivered", "failed"}, "failed": {"due"}},
}


def table(model: type[Any]) -> str:
    return str(model._meta.model_name)


def begin(world: World) -> None:
    """Note the states with which a history begins."""
    list(unknown(world))
    world.moved.clear()


def unknown(world: World, tables: Collection[str] | None = None) -> Iterator[str]:
    """Note the moves since the last look; a sentence for each that its machine does not have."""
    for model, machine in MACHINES.items():
        name = table(model)
        if tables is not None and name not in tables:
            continue
        before = world.states.get(name, {})
        now = dict(model._base_manager.values_list("pk", "state"))
        for pk, state in now.items():
            since = before.get(pk, NEW)
            if since == state:
                continue
            world.moved[f"{name}: {since} to {state}"] += 1
            if state not in (_reachable(machine, since) if world.is_ending else machine.get(since, ())):
                yield f"{name} {pk} went from {since} to {state}"
        world.states[name] = now


def _reachable(machine: Moves, since: str) -> set[str]:
    """Where any number of moves leads: nobody looks between them while everything settles."""
    found, new = set[str](), {since}
    while new:
        new = {to for state in new for to in machine.get(state, ())} - found
        found |= new
    return found


def known() -> list[str]:
    """Every move, as histories name it."""
    found = []
    for model, rows in MACHINES.items():
        found += [f"{table(model)}: {since} to {to}" for since in rows for to in sorted(rows[since])]
    return found
