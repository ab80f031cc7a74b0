"""Who may do what at which address: the table that the access tests hold the site to.

A row names who is let in and what they get: the status per method. Whoever is not let in gets 404, as if nothing
were there; who is not signed in is sent to sign in (401 where a script asks); any other method gets 405.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, get_resolver, reverse

from tests.security.world import ACTS_IN_FRAME, ROLES, World

EVERYBODY = frozenset(ROLES)
SIGNED_IN = EVERYBODY - {"anonymous"}
OWNER = frozenset({"bob"})
WORKERS = frozenset({"bob", "carol"})
OWNERS = frozenset({"alice"})
REQUESTER = OWNERS | {"quinn"}
MEMBERS = REQUESTER | {"rita"}  # a reviewer; what else a member may not do is said to them: 403
LOOK_ONLY = {"rita": {"GET": 200, "HEAD": 200, "POST": 403}}


@dataclass(frozen=True)
class Row:
    """`statuses` {method: what those let in get}; `anonymous` is what the others get who are not signed in."""

    allowed: frozenset[str]
    statuses: dict[str, int]
    body: dict[str, Any] = field(default_factory=dict)
    anonymous: int = 302
    own: dict[str, dict[str, int]] = field(default_factory=dict)  # {role: its statuses}, where they differ


def look(allowed: frozenset[str], status: int = 200, **more: Any) -> Row:
    return Row(allowed, {"GET": status, "HEAD": status}, **more)


def act(allowed: frozenset[str], status: int = 303, **more: Any) -> Row:
    return Row(allowed, {"POST": status}, **more)


def fill(allowed: frozenset[str], status: int = 422, *, get: int = 200, **more: Any) -> Row:
    """A page with a form; `status` is what an empty POST gets, or `body`."""
    return Row(allowed, {"GET": get, "HEAD": get, "POST": status}, **more)


# They know their askers by a signature in the request: a session gives nothing there, so nothing can be forged.
SIGNED = {"mturk-api", "mturk-api-bare", "external-submit", "mturk-queue", "marketplace-events"}
WITHOUT_COOKIES = SIGNED | set(ACTS_IN_FRAME)


def act_in_frame() -> Row:
    """An act inside a marketplace's frame: whoever is signed in, nothing is taken without the frame's own token."""
    return Row(EVERYBODY, {"POST": 403})


HOME = {"bob": {"GET": 302, "HEAD": 302}}
for _name, _like in (
    ("carol", "bob"),
    ("erin", "bob"),
    ("alice", "bob"),
    ("dave", "bob"),
    ("quinn", "bob"),
    ("rita", "bob"),
):
    HOME[_name] = HOME[_like]
JOINED = {role: {"GET": 302, "HEAD": 302, "POST": 302} for role in WORKERS}
SENT_HOME = {role: {"GET": 302, "HEAD": 302, "POST": 302} for role in SIGNED_IN}

TABLE: dict[str, Row] = {
    "healthz": look(EVERYBODY),
    "readyz": look(EVERYBODY),
    "metrics": look(EVERYBODY),  # of this machine, as the tests are; who else: tests/process/test_metrics.py
    "mturk-api": fill(EVERYBODY, 400, own={"anonymous": {"GET": 302, "HEAD": 302, "POST": 400}}),
    "mturk-api-bare": fill(EVERYBODY, 400, own={"anonymous": {"GET": 302, "HEAD": 302, "POST": 400}}),
    "mturk-queue": fill(EVERYBODY, 400, get=404),
    "glossary": look(EVERYBODY),
    "figures": look(EVERYBODY),
    "home": look(SIGNED_IN, own=HOME),
    "sign-in": fill(EVERYBODY, 200, own=SENT_HOME),
    "sign-out": act(EVERYBODY, 302),
    "password-reset": fill(EVERYBODY, 302, get=302),
    "account": fill(SIGNED_IN, 303),
    "keys": fill(SIGNED_IN, 303),
    "password-change": fill(SIGNED_IN),
    "account-delete": fill(SIGNED_IN),
    "session-end": act(SIGNED_IN, 404),  # one's own: tests/views/people/test_sessions.py
    "sessions-end": act(SIGNED_IN),
    "sign-in-code": fill(EVERYBODY, 302, get=302),  # nobody has come half-way
    "second-factor": fill(SIGNED_IN),
    "second-factor-codes": act(SIGNED_IN),
    "second-factor-remove": act(SIGNED_IN),
    "worker-erase": fill(OWNERS),
    "preferences": act(SIGNED_IN, 400, anonymous=401),
    "set-language": act(EVERYBODY),
    "join": fill(EVERYBODY, 422, own={role: {"POST": 302} for role in SIGNED_IN} | JOINED),
    "consent": fill(WORKERS, 302, body={"version": "1"}),
    "work": look(SIGNED_IN),
    "history": look(SIGNED_IN),
    "batch-start": fill(WORKERS, 303, get=302),
    "experiment-start": fill(WORKERS, 303),
    "batch-instructions": fill(WORKERS, 303),
    "batch-done": look(WORKERS),
    "practice": fill(WORKERS),
    "practice-done": act(WORKERS),
    "practice-live": look(WORKERS, anonymous=401),
    "feedback": fill(OWNER, 303),
    "assignment": look(OWNER),
    "submit": act(OWNER, 422),
    "draft": act(OWNER, 200, anonymous=401),
    "return": act(OWNER),
    "skip": act(OWNER),
    "prefetch": act(OWNER, 204, anonymous=401),
    "take-up": act(OWNER),
    "extend": act(OWNER, 200, anonymous=401),
    "report-problem": act(OWNER),
    "back": look(OWNER, 302),
    "live": look(OWNER, anonymous=401),
    # only a guest has a visit, and only a study's own link makes one: tests/marketplaces/test_visits
    "visit": Row(EVERYBODY, {"GET": 404, "HEAD": 404}),
    "visit-leave": Row(EVERYBODY, {"POST": 404}),
    "visit-arrival": Row(EVERYBODY, {"GET": 404, "HEAD": 404}),
    "frame": Row(EVERYBODY, {"GET": 404}),  # unsigned; tests/marketplaces/test_frame shows it signed
    "frame-preview-live": Row(EVERYBODY, {"GET": 200, "OPTIONS": 204}),
    "frame-live": Row(EVERYBODY, {"GET": 403, "OPTIONS": 204}),
    "frame-practice-live": Row(EVERYBODY, {"GET": 403, "OPTIONS": 204}),
    **{act: act_in_frame() for act in ACTS_IN_FRAME},
    "project": look(MEMBERS),
    "project-new": fill(REQUESTER | {"dave"}),
    "project-now": look(MEMBERS),
    "search": look(MEMBERS),
    "dataset-example": act(REQUESTER),
    "project-settings": fill(OWNERS),
    "access-keys": fill(OWNERS, 200),
    "access-key-revoke": act(OWNERS),
    "tokens": fill(MEMBERS),
    "token-revoke": act(MEMBERS, own={"quinn": {"POST": 404}, "rita": {"POST": 404}}),  # her own
    "webhooks": fill(OWNERS),
    "webhook": fill(OWNERS),
    **{f"webhook-{verb}": act(OWNERS) for verb in ("test", "active", "remove")},
    "webhook-rotate": act(OWNERS, 200),
    "delivery-again": act(OWNERS),
    "marketplaces": fill(OWNERS),
    "marketplace-keys": fill(OWNERS),
    "marketplace-test": act(OWNERS),
    "marketplace-remove": act(OWNERS),
    "batch-marketplace": look(MEMBERS),
    "batch-marketplace-act": act(REQUESTER),
    "batch-study-act": act(REQUESTER),
    "batch-visit-preview": fill(MEMBERS, 303),
    "batch-study-pay-file": look(REQUESTER),
    "batch-differences": look(MEMBERS),
    "batch-compare": act(REQUESTER),
    "batch-difference-act": act(REQUESTER, body={"act": "noted", "text": "Seen."}),
    "marketplace-events": Row(EVERYBODY, {"POST": 404}),  # nobody subscribed; tests/marketplaces/prolific/test_events
    "datasets": look(MEMBERS),
    "dataset-new": fill(REQUESTER),
    "dataset-columns": fill(REQUESTER, 303, get=303),  # no upload; tests/views/data/test_column_mapping.py
    "dataset": look(MEMBERS),
    "item": look(MEMBERS),
    "dataset-export": look(MEMBERS),
    "dataset-derive": fill(REQUESTER),
    "dataset-document": look(MEMBERS),
    "dataset-table": look(MEMBERS, 404),  # only of derived ones: tests/views/data/test_dataset_tables.py
    "dataset-remove": act(REQUESTER),
    "dataset-describe": act(REQUESTER),
    "dataset-archive": act(REQUESTER),
    "item-open": act(MEMBERS),
    "item-edit": fill(REQUESTER),
    "item-versions": look(MEMBERS),
    "item-restore": act(REQUESTER),
    "item-archive": act(REQUESTER),
    "dataset-restore": act(REQUESTER),
    "people": fill(REQUESTER, body={"role": ""}),
    "invite-revoke": act(REQUESTER),
    "member-role": act(OWNERS),
    "member-remove": act(OWNERS),
    "member-restore": act(OWNERS),
    "log": look(REQUESTER),
    "log-file": look(REQUESTER),
    "bin": look(REQUESTER),
    "batch-remove": act(REQUESTER),
    "batch-restore": act(REQUESTER),
    "batch-erase": fill(OWNERS),
    "dataset-erase": fill(OWNERS),
    "project-remove": fill(OWNERS),
    "project-restore": Row(frozenset(), {"POST": 404}),  # it is not deleted
    "project-erase": Row(frozenset(), {"GET": 404, "HEAD": 404, "POST": 404}),
    "worker-active": act(REQUESTER),
    "annotator": look(MEMBERS),
    **{f"annotator-{verb}": act(REQUESTER) for verb in ("pause", "resume", "block", "unblock")},
    "hours": look(REQUESTER),
    "messages": look(REQUESTER),
    "thread": fill(MEMBERS),
    "worker-messages": fill(REQUESTER),
    "my-thread": fill(OWNER),
    "password-link": act(REQUESTER, 200),
    "job": look(MEMBERS),
    "job-again": act(REQUESTER),
    "job-import": act(REQUESTER),
    "batches": look(MEMBERS),
    "experiments": fill(MEMBERS, own=LOOK_ONLY),
    "experiment": look(MEMBERS),
    "experiment-remove": act(REQUESTER),
    "experiment-scores": act(MEMBERS),
    "batch-new": fill(REQUESTER),
    "batch-consequences": act(REQUESTER, 200),
    "instructions-preview": act(REQUESTER, 200),
    "batch": look(MEMBERS),
    "batch-edit": fill(REQUESTER, 302, get=302),
    "batch-launch": act(REQUESTER),
    "batch-preview": fill(MEMBERS),
    "preview-live": look(MEMBERS),
    "batch-move": act(REQUESTER),
    "batch-invite": act(REQUESTER),
    "batch-discard": act(REQUESTER),
    "batch-clone": act(REQUESTER),
    "batch-next": fill(REQUESTER),
    "batch-reserve": fill(REQUESTER),
    "batch-release": act(REQUESTER),
    "batch-responses": act(REQUESTER),
    "model-predictions": fill(MEMBERS, own=LOOK_ONLY),
    "model-predictions-delete": act(REQUESTER),
    "batch-add-assignments": act(REQUESTER),
    "batch-assignments": look(MEMBERS),
    "hits": look(MEMBERS),
    "hit": look(MEMBERS),
    "hit-open": act(MEMBERS),
    "hit-exclude": act(MEMBERS),
    "hit-restore": act(MEMBERS),
    "dry_runs": fill(MEMBERS, own=LOOK_ONLY),
    "model-runs": fill(MEMBERS, own=LOOK_ONLY),
    "model-run": look(MEMBERS),
    **{f"model-run-{verb}": act(REQUESTER) for verb in ("send", "pause", "discard")},
    "broken-bridges": look(MEMBERS),
    "broken-bridge-undo": act(REQUESTER),
    "studies": look(MEMBERS),
    "study": fill(MEMBERS, own=LOOK_ONLY),
    "study-scores": act(MEMBERS),
    "review": look(MEMBERS),
    "review-draw": act(MEMBERS),
    "review-answer": fill(MEMBERS, 409),
    "review-undo": act(MEMBERS),
    "review-choose": act(MEMBERS),
    "review-feedback": act(MEMBERS),
    "review-withdraw": act(MEMBERS),
    "adjudicate": look(MEMBERS),
    "adjudicate-hit": fill(MEMBERS),
    "adjudicate-undo": act(MEMBERS),
    "gold": look(MEMBERS),
    "gold-correct": act(REQUESTER),
    "gold-item": fill(MEMBERS),
    "gold-undo": act(MEMBERS),
    "approvals": look(REQUESTER),
    "approvals-decide": act(REQUESTER),
    "approvals-file": look(REQUESTER),
    "approval": fill(REQUESTER),
    "batch-decide": look(MEMBERS),
    "batch-workers": look(MEMBERS),
    "comment-add": act(MEMBERS, 422),
    "comment-erase": act(MEMBERS, own={role: {"POST": 403} for role in ("quinn", "rita")}),  # of their owner
    "problem-reports": look(MEMBERS),
    "problem-report-keep": act(MEMBERS),
    "problem-report-exclude": act(MEMBERS),
    "problem-report-reopen": act(MEMBERS),
    "report": look(MEMBERS),
    "report-open": act(MEMBERS),
    "report-refresh": act(MEMBERS),
    "report-follow-up": act(REQUESTER, 404),
    "report-progress": look(MEMBERS),
    "power": look(MEMBERS),
    "preregistration": fill(MEMBERS, own=LOOK_ONLY),
    "preregistration-file": look(MEMBERS),
    "compare": look(MEMBERS),
    "compare-by-job": act(MEMBERS, 404),  # nothing large is chosen
    "compare-chart": look(MEMBERS, 404),  # nothing is chosen
    "compare-table": look(MEMBERS, 404),
    "report-table": look(MEMBERS),
    "report-chart": look(MEMBERS),
    "report-export": look(MEMBERS),
    "instructions": fill(MEMBERS, own=LOOK_ONLY),
    "batch-settings": fill(REQUESTER),
    "money": look(REQUESTER),
    "money-move": fill(OWNERS),
    "money-floor": act(OWNERS),
    "money-ledger": look(REQUESTER),
    "ledger-file": look(REQUESTER),
    "payout-new": act(REQUESTER),
    "payout": look(REQUESTER),
    "payout-file": look(REQUESTER),
    "payout-line": act(REQUESTER),
    "payout-read": act(REQUESTER),
    "batch-quote": act(REQUESTER),
    "batch-floor": fill(REQUESTER, 303),
    "results-dataset-new": act(REQUESTER),
    "results-dataset-kept": look(MEMBERS),
    "round-new": fill(REQUESTER),
    "round-chances": act(REQUESTER, 200),
    "round": look(MEMBERS),
    "round-edit": fill(REQUESTER),
    "round-grant": act(REQUESTER),
    "round-undo": act(REQUESTER),
    "round-file": look(MEMBERS),
    "round-again": act(WORKERS),
    "batch-worker": look(MEMBERS),
    "batch-worker-resume": act(REQUESTER),
    "batch-export": look(MEMBERS),
    "qualifications": look(REQUESTER),
    "qualification-new": fill(REQUESTER),
    "qualification": look(REQUESTER),
    "qualification-edit": fill(REQUESTER),
    "worker-unblock": act(REQUESTER),
    "qualification-delete": act(REQUESTER),
    "qualification-restore": act(REQUESTER),
    "qualification-grant": act(REQUESTER, 422),
    "qualification-rule": fill(REQUESTER),
    "qualification-revoke": act(REQUESTER),
    "qualification-undo": act(REQUESTER),
    "qualification-requests": fill(REQUESTER, 303),
    "marketplace": look(SIGNED_IN),
    "marketplace-group": look(WORKERS),
    "marketplace-start": act(WORKERS),
    "marketplace-hit": look(WORKERS),
    "marketplace-accept": act(WORKERS),
    "marketplace-automatic": act(SIGNED_IN, 302),
    "marketplace-by-id": look(SIGNED_IN, 404),  # nothing of that id
    "qualification-test": fill(WORKERS, 303),
    "external-submit": Row(
        EVERYBODY, {"GET": 400, "POST": 400}
    ),  # without an assignment; with one: tests/mturk_api/test_external_question.py
    "html-question": look(EVERYBODY),  # signed, and shown in an origin of its own
    "assignment-state": look(OWNER, anonymous=401),
    "my-qualifications": look(SIGNED_IN),
    "qualification-ask": act(WORKERS),
    "my-earnings": look(SIGNED_IN),
    "my-messages": look(SIGNED_IN),
    "message-write": act(WORKERS),
    "my-details": fill(WORKERS, 303),
    "claim-mturk-id": act(WORKERS, 422),
    "import-mturk-ids": fill(REQUESTER),
    "notices": look(SIGNED_IN),
    "notices-read": act(SIGNED_IN),
    "notices-kinds": act(SIGNED_IN),
    "notice-open": act(OWNER),
    "open-join": Row(frozenset(), {"GET": 404, "HEAD": 404, "POST": 404}, anonymous=404),  # by invite only
}


def patterns() -> list[URLPattern]:
    """Every address of the site, included ones too."""
    waiting, found = list(get_resolver().url_patterns), []
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, URLPattern):
            found.append(entry)
        else:
            waiting.extend(entry.url_patterns)
    return found


def parameters(name: str) -> dict[str, Any]:
    """{parameter: its converter} of a route."""
    entry = next(e for e in patterns() if e.name == name)
    return dict(entry.pattern.converters)


def url(name: str, things: dict[str, Any]) -> str:
    """The address of a route, its parameters taken from `World.wells` or `.springs`."""
    given = {p: things.get(f"{name}.{p}", things.get(p)) for p in parameters(name)}
    return reverse(name, kwargs=given)


def urls(world: World) -> dict[str, str]:
    return {name: url(name, world.wells) for name in TABLE}
