"""HITs of other programs for the tests: a HIT type with HITs of each kind of question."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from annotation.flow.money import ledger
from annotation.models import Hit
from annotation.mturk_api.flow import hit_creation
from tests.pure.test_mturk_xml import asked, external, form, html, selection

FORM = form(asked("colour", selection()) + asked("town", "<FreeTextAnswer/>", required="false"))
EXTERNAL = external("https://survey.example/start?study=7&amp;lang=é", "450")
HTML = html('<form id="mturk_form" action="https://workersandbox.mturk.com/mturk/externalSubmit"></form>')


def hit_type(project: Any, **terms: Any) -> Any:
    """A HIT type, and money in the project's budget for its HITs."""
    ledger.deposit(project, Decimal(1000), key=f"test-{project.pk}-{terms.get('title')}")
    result = {"title": "Name the ferry", "description": "Look, then type.", "reward": Decimal("0.25"), "duration": 600}
    return hit_creation.hit_type_of(project, hit_creation.Terms(**(result | terms)))


def hit_of(kind: Any, question: str = EXTERNAL, **wish: Any) -> Hit:
    """One HIT of the type, for an hour."""
    return hit_creation.list_hit(kind, hit_creation.HitRequest(question=question, lifetime=3600, **wish)).hit


def accepted(worker: Any, hit: Hit) -> Any:
    """The worker's assignment on the HIT."""
    from annotation.flow.work import built_in_marketplace

    return built_in_marketplace.accept(worker.user, hit)
