"""Webhooks by the API: the caller makes the secret, which is never told again."""

from __future__ import annotations

import base64
from typing import Any

from annotation.models import ApiRequest, Project
from annotation.webhooks import deliveries
from annotation.webhooks.models import Delivery, Webhook
from tests.api.calling import caller, fields_at_fault, member
from tests.mturk_api.hook import hook

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()


def test_a_webhook_from_its_making_to_its_end(project: Any, alice: Any) -> None:
    api = caller(alice)
    with hook(500) as there:
        made = api.post("webhooks/", key="one", url=there.url, kinds=["job", "progress"], secret=SECRET)
        again = api.post("webhooks/", key="one", url=there.url, kinds=["job", "progress"], secret=SECRET)
        assert (made.status_code, again.json()) == (201, made.json())
        one = made["Location"].removeprefix(api.base)
        assert Project.objects.get().webhook_kinds == "progress job"
        tested = api.post(f"{one}test/")
        assert (tested.status_code, tested.json()["type"]) == (202, "webhook.test")
        deliveries.deliver_due()
        assert api.get(one).json()["trouble"] == "the response was 500"
        delivery = api.get(f"{one}deliveries/").json()["results"][0]
        assert (delivery["state"], delivery["status"], delivery["tries"]) == ("due", 500, 1)
        assert api.get(f"{one}deliveries/", state="due").json()["results"] == [delivery]
        assert api.get(f"{one}deliveries/", state="failed").json()["results"] == []
        assert fields_at_fault(api.get(f"{one}deliveries/", status="failed")) == {"status"}
        assert api.post(f"{one}deliveries/{delivery['id']}/again/").json()["tries"] == 0
        deliveries.deliver_due()
        assert api.post(f"{one}deliveries/{delivery['id']}/again/").status_code == 409
    assert {headers["webhook-id"] for headers, _body in there.letters} == {delivery["event"]}
    changed = api.patch(one, kinds=["batch"], active=False).json()
    assert (changed["kinds"], changed["active"], Project.objects.get().webhook_kinds) == (["batch"], False, "")
    rotated = api.post(f"{one}rotate/", secret="whsec_" + base64.b64encode(b"n" * 32).decode())
    result = [made, tested, rotated, api.get("webhooks/"), api.get(one)]
    assert not any(b"whsec_" in response.content for response in result)
    assert "whsec_" not in str(list(ApiRequest.objects.values()))
    assert api.delete(one).status_code == 204
    assert api.get("webhooks/").json()["results"] == []


def test_what_cannot_be_is_said_beside_its_field(project: Any, alice: Any) -> None:
    api = caller(alice)
    wrong = api.post("webhooks/", url="https://a@b.example/", kinds=["network"], secret="short", also=1)
    assert fields_at_fault(wrong) == {"also"}
    wrong = api.post("webhooks/", url="https://a@b.example/", kinds=["network"], secret="short")
    assert fields_at_fault(wrong) == {"url", "kinds.0", "secret"}
    assert fields_at_fault(api.post("webhooks/")) == {"url", "kinds", "secret"}


def test_a_kind_is_stored_by_its_former_name_which_requests_may_still_use(project: Any, alice: Any) -> None:
    api = caller(alice)
    for given in ("aggregate", "verdict"):
        made = api.post("webhooks/", url="http://127.0.0.1:45998/", kinds=[given], secret=SECRET)
        assert made.json()["kinds"] == ["aggregate"]
    assert list(Webhook.objects.values_list("kinds", flat=True)) == [["verdict"]] * 2  # the release before reads it too
    changed = api.patch(made["Location"].removeprefix(api.base), note="b")
    assert changed.json()["kinds"] == ["aggregate"]
    deliveries.queue_event(Project.objects.get(), "dataset.created", batch="b", dataset="d", items=1)
    deliveries.spread_due()
    assert Delivery.objects.count() == 2


def test_webhooks_are_an_owners(project: Any, alice: Any) -> None:
    assert [member(project, name, name).get("webhooks/").status_code for name in ("requester", "reviewer")] == [
        403,
        403,
    ]
