"""A model's predictions come before no worker, at no address."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ModelPrediction
from tests.security.routes import urls
from tests.security.test_secrets_in_sight import told
from tests.security.world import PREDICTED, World

MODEL = "canary-judge"


def said(world: World, role: str) -> str:
    """What every address of the site answers to one person."""
    client = Client(raise_request_exception=False)
    if role != "anonymous":
        client.force_login(world.users[role])
    return "\n".join(told(client.get(address)) for name, address in urls(world).items() if name != "sign-out")


@pytest.mark.parametrize("role", ["bob", pytest.param("carol", marks=pytest.mark.soak), "anonymous"])
def test_no_worker_and_no_stranger_sees_a_prediction_or_its_model(role: str, world: World) -> None:
    assert ModelPrediction.objects.filter(model__batch__slug="wells-1").exists()
    seen = said(world, role)
    assert PREDICTED not in seen
    assert MODEL not in seen
    assert "canary-model" not in seen, "nor that one was asked"


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
