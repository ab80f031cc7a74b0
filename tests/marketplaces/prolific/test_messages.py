"""Messages with participants go through the marketplace, each once, in both directions."""

from __future__ import annotations

import pytest
from prolific_emulator import people

from annotation.flow.notifications import worker_messages
from annotation.marketplaces.flow import study_sync
from annotation.models import Message, Worker
from tests.marketplaces.prolific.panel import Panel

pytestmark = pytest.mark.django_db


def test_a_requesters_message_reaches_the_participant_once(panel: Panel) -> None:
    visit = panel.visit()
    worker_messages.send(visit.worker, "Your answers", "They help us a lot.")
    assert study_sync.exchange(panel.session()) == 1
    assert study_sync.exchange(panel.session()) == 0
    (sent,) = panel.emulator.world.messages
    assert (sent["recipient"], sent["body"]) == (visit.participant, "Your answers\n\nThey help us a lot.")
    assert Message.objects.get().read_at is not None


def test_a_participants_message_arrives_once_and_strangers_stay_on_the_marketplace(panel: Panel) -> None:
    visit, world = panel.visit(), panel.emulator.world
    for who in (visit.participant, "f" * 24):
        people.write(world, who, world.owner, "The page is empty.", panel.there)
    assert study_sync.exchange(panel.session()) == 1
    assert study_sync.exchange(panel.session()) == 0
    message = Message.objects.get()
    assert (message.worker_id, message.text, message.from_worker) == (visit.worker_id, "The page is empty.", True)


def test_a_message_to_somebody_who_never_came_waits(panel: Panel) -> None:
    name = f"{panel.connection.pk}:nobody"
    worker = Worker.objects.create(project=panel.batch.project, external_id=name)
    worker_messages.send(worker, "", "Hello.")
    assert study_sync.exchange(panel.session()) == 0
    assert Message.objects.get().read_at is None
