"""A person's own keys: one page for all tasks, where two actions of a task never share one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.flow.people import shortcuts
from annotation.registry import task_types

KEYS = "/accounts/keys/"
PREFERENCES = "/accounts/preferences/"
pytestmark = pytest.mark.django_db


def keys_of(user: Any) -> dict[str, str]:
    user.refresh_from_db()
    return dict(user.shortcuts.get("keys", {}))


@pytest.mark.parametrize("kind", task_types())
def test_no_task_has_a_default_key_twice(kind: str) -> None:
    keys = [key.key for key in task_types()[kind].keys.values()]
    assert len(keys) == len(set(keys))


def test_the_page_lists_every_action_of_every_task_once(client: Client, alice: Any) -> None:
    client.force_login(alice)
    text = client.get(KEYS).content.decode()
    wanted = {k.action for task in task_types().values() if task.launched for k in task.keys.values() if not k.fixed}
    for action in wanted:
        assert text.count(f'name="key-{action}"') == 1


def test_a_key_that_another_action_of_the_same_task_has_is_refused_beside_its_field(client: Client, alice: Any) -> None:
    client.force_login(alice)
    response = client.post(KEYS, {"single": "on", "key-tick": "f"})
    text = response.content.decode()
    assert response.status_code == 422
    error = text.split('id="id_key-tick_error"')[1].split("</div>")[0]
    assert "“f” is already the key for “Fold or unfold the paragraph” (Answer questions)." in error
    assert keys_of(alice) == {}


@pytest.mark.parametrize("key", ["5", "⏎x"])
def test_a_key_that_is_no_single_sign_is_refused(client: Client, alice: Any, key: str) -> None:
    client.force_login(alice)
    response = client.post(KEYS, {"single": "on", "key-tick": key})
    assert response.status_code == 422
    assert "Please choose a single letter or symbol." in response.content.decode()


def test_actions_of_different_tasks_may_share_a_key_and_two_may_swap_theirs(client: Client, alice: Any) -> None:
    client.force_login(alice)
    chosen = {"key-sufficient": "h", "key-next": "k", "key-previous": "j"}
    assert client.post(KEYS, {"single": "on", **chosen}).status_code == 303
    assert keys_of(alice) == {"sufficient": "h", "next": "k", "previous": "j"}


def test_defaults_are_not_stored_keys_of_other_pages_stay_and_a_reset_takes_all(client: Client, alice: Any) -> None:
    client.force_login(alice)
    shortcuts.save(alice, off=False, keys={"pay-approve": "q"})
    client.post(KEYS, {"key-tick": "x", "key-fold": "ö"})
    assert keys_of(alice) == {"pay-approve": "q", "fold": "ö"}
    assert alice.shortcuts["off"]
    assert client.post(KEYS, {"reset": "1"}).status_code == 303
    assert (keys_of(alice), alice.shortcuts["off"]) == ({}, False)


def test_the_dialog_of_one_task_refuses_what_another_task_uses(client: Client, alice: Any) -> None:
    client.force_login(alice)
    body = json.dumps({"off": False, "keys": {"undo-bridge": "q", "fold": "e"}})
    refused = client.post(PREFERENCES, body, content_type="application/json")
    assert refused.status_code == 409
    assert "Examples for this shape" in refused.json()["problem"]
    assert keys_of(alice) == {}
