"""The pages on asking models: nothing is sent before the requester has seen to whom, and how much."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.judges import plugin
from annotation.judges.models import ModelRun
from annotation.models import Project
from tests.judges.conftest import KEY
from tests.judges.double import Double


@pytest.fixture
def requester(client: Client, alice: Any) -> Client:
    client.force_login(alice)
    return client


def at(name: str, *more: Any) -> str:
    return reverse(name, args=["wells", "rated", *more])


def filled(double: Double, **more: Any) -> dict[str, Any]:
    usual = {"endpoint": double.url, "model": "oracle-1", "secret": KEY, "prompt": "Rate it.", "most_calls": 50}
    return usual | {"samples": 1, "concurrency": 4, "most_tokens": 256} | more


def test_a_run_is_drafted_confirmed_and_done(requester: Client, rated: Any, double: Double) -> None:
    form = requester.get(at("model-runs")).content.decode()
    assert "Read it twice." in form, "the prompt can be read and edited"
    made = requester.post(at("model-runs"), filled(double), follow=True).content.decode()
    run = ModelRun.objects.get()
    for said in ("127.0.0.1", "oracle-1", "4, in 4 requests", "not recorded", "Rate it."):
        assert said in made, said
    assert KEY not in made
    jobs.run_due_work()
    assert not double.requests, "not confirmed yet"
    requester.post(at("model-run-send", run.public_id))
    jobs.run_due_work()
    assert "4 answered, 0 did not fit" in requester.get(at("model-run", run.public_id)).content.decode()
    fragment = requester.get(at("model-run", run.public_id), headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "4 of 4" in fragment


def test_a_run_is_paused_and_resumed(requester: Client, rated: Any, double: Double) -> None:
    requester.post(at("model-runs"), filled(double))
    run = ModelRun.objects.get()
    requester.post(at("model-run-send", run.public_id))
    requester.post(at("model-run-pause", run.public_id))
    jobs.run_due_work()
    assert not double.requests
    assert "Resume" in requester.get(at("model-run", run.public_id)).content.decode()
    requester.post(at("model-run-send", run.public_id))
    jobs.run_due_work()
    assert len(double.requests) == 4


def test_a_page_offers_to_send_only_what_can_be_sent(
    requester: Client, project: Any, rated: Any, double: Double
) -> None:
    requester.post(at("model-runs"), filled(double))
    page = at("model-run", ModelRun.objects.get().public_id)
    assert "Send to 127.0.0.1" in requester.get(page).content.decode()
    requester.post(at("model-run-send", ModelRun.objects.get().public_id))
    jobs.run_due_work()
    assert "Send to" not in requester.get(page).content.decode(), "all is settled"
    requester.post(at("model-runs"), filled(double, prompt="Rate it twice.", name="second"))
    Project.objects.filter(pk=project.pk).update(ask_models=False)
    forbidden = requester.get(at("model-run", ModelRun.objects.get(name="second").public_id)).content.decode()
    assert ("Send to" in forbidden, "Discard" in forbidden) == (False, True)


def test_a_draft_is_discarded_with_its_key(requester: Client, rated: Any, double: Double) -> None:
    requester.post(at("model-runs"), filled(double))
    requester.post(at("model-run-discard", ModelRun.objects.get().public_id))
    assert not ModelRun.objects.exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"endpoint": "http://models.example.org/v1"}, "https"),
        ({"most_calls": ""}, "ceiling"),
        ({"most_calls": "", "most_cost": "5"}, "prices"),
        ({"temperature": "9"}, "2"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], says: str, requester: Client, rated: Any, double: Double) -> None:
    reply = requester.post(at("model-runs"), filled(double, **given))
    assert reply.status_code == 422
    assert says in str(reply.context["form"].errors)
    assert not ModelRun.objects.exists()


def test_a_project_that_forbids_it_offers_no_form(requester: Client, project: Any, rated: Any) -> None:
    requester.post(reverse("project-settings", args=["wells"]), {"title": "Wells"})
    page = requester.get(at("model-runs")).content.decode()
    assert "do not allow" in page
    assert "id_endpoint" not in page


def test_the_page_of_models_leads_here_if_the_app_is_there(
    requester: Client, rated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = f'<a class="button" href="{at("model-runs")}">Ask a model</a>'
    assert link in requester.get(at("model-predictions")).content.decode()
    monkeypatch.setattr(plugin, "TABS", [])
    assert at("model-runs") not in requester.get(at("model-predictions")).content.decode()
