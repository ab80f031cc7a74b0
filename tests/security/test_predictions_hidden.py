"""A model's predictions come before no worker: not with their item, nor at any address (test_access.py)."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.models import ModelPrediction
from tests.security.world import PREDICTED, World

MODEL = "canary-judge"


def test_a_worker_who_works_on_its_item_sees_none(world: World) -> None:
    client, project = Client(), world.wells["slug"]
    client.force_login(world.users["carol"])
    batch: Any = ModelPrediction.objects.filter(model__batch__project__slug=project).first().model.batch
    page = client.post(reverse("batch-start", args=[batch.pk]), follow=True).content.decode()
    assert "Tower" in page, "the item is there"
    assert PREDICTED not in page
    assert MODEL not in page


def test_members_see_the_model(world: World) -> None:
    for role in ("alice", "quinn", "rita"):
        client = Client()
        client.force_login(world.users[role])
        page = client.get(reverse("model-predictions", args=["wells", "wells-1"])).content.decode()
        assert MODEL in page
        assert ("Import predictions" in page) is (role != "rita")
