"""What workers read about pay is what the ledger will pay, and nothing where a batch pays nothing."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.flow.work import next_assignment, submissions
from annotation.models import Batch, Payment, Project, Worker
from annotation.registry import default_instructions
from tests.batches import create_batch
from tests.flow.compositions import composed

MONEY = re.compile(r"\$\d|\b(cents?|dollars?|pays?|paid|reward)\b", re.I)


def opened(project: Project, dataset: Any, **terms: Any) -> Batch:
    ledger.deposit(project, Decimal(50), key="budget")
    made = create_batch(
        project,
        "compositions",
        task="compose",
        datasets=[dataset],
        instructions=default_instructions("compose"),
        **terms,
    )
    batch_launch.launch(made)
    return made


def words(html: str) -> str:
    """What a page shows of the work: its text without tags."""
    main = html[html.index("<main") :] if "<main" in html else html
    return " ".join(re.sub(r"<(script|style|template).*?</\1>|<[^>]*>", " ", main, flags=re.S).split())


def taken(batch: Batch, worker: Worker) -> Any:
    next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=batch.instructions.version)
    row = next_assignment.claim(next_assignment.join_batch(worker, batch))
    assert row is not None
    return row


def test_nothing_speaks_of_money_where_the_batch_pays_nothing(
    client: Any, project: Any, dataset: Any, bob: Worker
) -> None:
    batch = opened(project, dataset)
    client.force_login(bob.user)
    listed = words(client.get(reverse("work")).content.decode())
    began = words(client.get(reverse("batch-start", args=[batch.pk]), follow=True).content.decode())
    page = words(client.get(reverse("assignment", args=[taken(batch, bob).public_id])).content.decode())
    assert "compositions" in listed
    assert "same" in page
    for shown in (listed, began, page):
        assert MONEY.search(shown) is None, shown[max(0, MONEY.search(shown).start() - 60) :][:160]


@pytest.mark.parametrize("bridges", [["same"], ["different"]])
def test_a_page_promises_what_the_ledger_then_pays(
    client: Any, project: Any, dataset: Any, bob: Worker, bridges: list[str]
) -> None:
    batch = opened(project, dataset, auto_approval=3600)
    client.force_login(bob.user)
    assert "up to $0.25 each" in words(client.get(reverse("work")).content.decode())
    row = taken(batch, bob)
    page = words(client.get(reverse("assignment", args=[row.public_id])).content.decode())
    asked, aside = re.search(r"\$([\d.]+) · not composable \$([\d.]+)", page).groups()
    answer = composed("Which tower stands beside the well?") | {"bridges": bridges}
    submissions.submit(row, answer, key=f"0.{row.pk}", base=0, active_seconds=30)
    row.refresh_from_db()
    assignment_approval.approve(row)
    assert Payment.objects.get(assignment=row).amount == Decimal(asked if bridges == ["same"] else aside)
