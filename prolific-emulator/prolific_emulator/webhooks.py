"""Webhooks of the emulated API: secrets, subscriptions, and signed deliveries with the faults that are drawn."""

import base64
import hashlib
import hmac
import json
import urllib.error
import urllib.request
from datetime import timedelta
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from prolific_emulator.routing import Call, Reply, operation
from prolific_emulator.world import Event, Problem, Subscription, World, stamp

SECRETS, SUBSCRIPTIONS = "/api/v1/hooks/secrets/", "/api/v1/hooks/subscriptions/"
TYPES = {
    "submission.status.change": "A submission has another status.",
    "study.status.change": "A study has another status.",
    "study.progress.change": "More of a study is done.",
    "study.has_high_return_rate": "Many participants return a study.",
}
MOST_TRIES, MOST_FAILURES = 8, 10
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def announce(world: World, kind: str, resource: str, more: dict[str, Any]) -> None:
    """Store an event for each confirmed subscription of its kind."""
    for one in world.subscriptions.values():
        if one.event_type != kind or not (one.is_confirmed and one.is_enabled):
            continue
        payload = {"resource_id": resource, "event_type": kind, **more}
        now = world.now()
        world.events.append(Event(world.new_id(), one.id, payload, created_at=now, due_at=now))


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Base64 of HMAC-SHA256 over the timestamp and the raw body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def due(world: World) -> list[Event]:
    """Events to be delivered now, taken for this delivery."""
    rows = [event for event in world.events if event.status == "PENDING" and event.due_at <= world.now()]
    for event in rows:
        event.tries += 1
        event.due_at = world.now() + timedelta(seconds=0.2 * 2**event.tries)
    return rows


def deliver(world: World, event: Event) -> None:
    """One try to deliver an event, outside of the lock; a subscription that keeps failing is disabled.

    It is signed with the real time: only our clock was turned, not the receiver's.
    """
    with world.lock:
        target = world.subscriptions.get(event.subscription)
        if target is None or not target.is_enabled:
            event.move("FAILED")
            return
        secret, copies = world.secrets.get(target.workspace_id, ""), event.copies
        body, at = json.dumps(event.payload).encode(), str(int((world.now() - world.ahead).timestamp()))
    headers = {"X-Prolific-Request-Signature": signature(secret, at, body), "X-Prolific-Request-Timestamp": at}
    headers |= {"X-Event-ID": event.id, "Content-Type": "application/json"}
    taken = all(_post(target.target_url, body, headers) for _copy in range(copies))
    with world.lock:
        target.failures = 0 if taken else target.failures + 1
        if taken:
            event.move("SUCCEEDED")
        elif event.tries >= MOST_TRIES:
            event.move("FAILED")
        if target.failures >= MOST_FAILURES:
            target.is_enabled = False


def _post(url: str, body: bytes, headers: dict[str, str]) -> bool:
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")  # noqa: S310  (checked before)
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:  # noqa: S310
            return 200 <= int(reply.status) < 300
    except (OSError, ValueError, HTTPException):  # refused, timed out, or answered with another status
        return False


@operation("GET", "/api/v1/hooks/event-types/")
def event_types(call: Call) -> Reply:
    return Reply(200, {"results": [{"event_type": name, "description": text} for name, text in TYPES.items()]})


@operation("GET", SECRETS)
def secrets(call: Call) -> Reply:
    rows = [_secret(call.world, name) for name in call.world.secrets if name == call.query.get("workspace_id", name)]
    return Reply(200, {"results": rows})


@operation("POST", SECRETS)
def create_secret(call: Call) -> Reply:
    (name,) = call.required("workspace_id")
    call.world.find("workspace", name)
    call.world.secrets[name] = call.world.new_id()
    return Reply(201, _secret(call.world, name))


def _secret(world: World, name: str) -> dict[str, Any]:
    return {"id": hashlib.sha256(name.encode()).hexdigest()[:24], "value": world.secrets[name], "workspace_id": name}


def _subscription(one: Subscription) -> dict[str, Any]:
    names = ("id", "event_type", "target_url", "is_enabled", "workspace_id")
    return {name: getattr(one, name) for name in names}


@operation("GET", SUBSCRIPTIONS)
def subscriptions(call: Call) -> Reply:
    wanted = call.query.get("is_enabled", "true").lower() != "false"
    rows = [one for one in call.world.subscriptions.values() if one.is_enabled == wanted]
    return Reply(200, {"results": [_subscription(one) for one in rows]})


@operation("POST", SUBSCRIPTIONS)
def subscribe(call: Call) -> Reply:
    kind, url, workspace = call.required("event_type", "target_url", "workspace_id")
    if kind not in TYPES:
        raise Problem(400, {"event_type": [f"{kind} is not a valid choice."]})
    _check_target(url)
    if workspace not in call.world.secrets:
        raise Problem(400, "Create a secret for the workspace first.")
    one = Subscription(call.world.new_id(), kind, url, workspace, call.world.new_id())
    call.world.subscriptions[one.id] = one
    return Reply(201, {"results": [_subscription(one)]}, {"X-Hook-Secret": one.hook_secret})


def _check_target(url: str) -> None:
    parts = urlsplit(url)  # ValueError, which is a refusal too
    is_here = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not (parts.hostname and (parts.scheme == "https" or is_here) and url.isascii() and url.isprintable()):
        raise Problem(400, {"target_url": ["The URL must begin with https://."]})


@operation("GET", SUBSCRIPTIONS + "{subscription_id}/")
def subscription(call: Call) -> Reply:
    return Reply(200, _subscription(call.named("subscription")))


@operation("POST", SUBSCRIPTIONS + "{subscription_id}/")
def confirm(call: Call) -> Reply:
    one, (secret,) = call.named("subscription"), call.required("secret")
    if not hmac.compare_digest(secret.encode(), one.hook_secret.encode()):
        raise Problem(400, {"secret": ["This is not the secret of the subscription."]})
    one.is_confirmed = one.is_enabled = True
    return Reply(200, _subscription(one))


@operation("PATCH", SUBSCRIPTIONS + "{subscription_id}/")
def change_subscription(call: Call) -> Reply:
    one = call.named("subscription")
    if call.body.get("is_enabled") and not one.is_confirmed:
        raise Problem(400, "Confirm the subscription first.")
    _check_target(call.body.get("target_url", one.target_url))
    one.is_enabled = bool(call.body.get("is_enabled", one.is_enabled))
    one.target_url = call.body.get("target_url", one.target_url)
    one.failures = 0
    return Reply(200, _subscription(one))


@operation("DELETE", SUBSCRIPTIONS + "{subscription_id}/")
def delete_subscription(call: Call) -> Reply:
    del call.world.subscriptions[call.named("subscription").id]
    return Reply(204, None)


@operation("GET", SUBSCRIPTIONS + "{subscription_id}/events/")
def events(call: Call) -> Reply:
    one, first = call.named("subscription"), int(call.query.get("offset", 0))
    rows = [event for event in call.world.events if event.subscription == one.id]
    shown = [_event(one, event) for event in rows[first : first + int(call.query.get("limit", 100))]]
    return Reply(200, {"results": shown})


def _event(one: Subscription, event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "datetime_created": stamp(event.created_at),
        "datetime_updated": stamp(event.due_at),
        "event_type": one.event_type,
        "resource_id": event.payload["resource_id"],
        "status": event.status,
        "target_url": one.target_url,
        "payload": event.payload,
    }
