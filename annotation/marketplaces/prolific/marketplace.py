"""Prolific through its API, with urllib3. Study, submission and bonus are its own words."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.marketplaces import base
from annotation.marketplaces.prolific import link_tokens, protocol
from annotation.marketplaces.prolific.client import Client, member
from annotation.marketplaces.study_base import (
    Outcome,
    ReceivedMessage,
    Status,
    StudyEvent,
    StudyMarketplace,
    StudySpec,
    StudyState,
    StudyStatus,
    Submission,
    Subscription,
    Ticket,
)

STUDIES, SUBMISSIONS, GROUPS = "/api/v1/studies/", "/api/v1/submissions/", "/api/v1/participant-groups/"
HOOKS, WORKSPACES = "/api/v1/hooks/", "/api/v1/workspaces/"
MOST_APPROVED, MOST_BONUSES, MOST_MEMBERS = 1000, 200, 500
RETRY_WHILE = {Status.RESERVED, Status.ACTIVE}  # the participant is still on the way back


class Prolific(StudyMarketplace):
    """A workspace on Prolific. `key_id` of the endpoint is the workspace, or empty for the account's first."""

    label = _("Prolific")
    endpoint = "https://api.prolific.com"
    worker_origin = "https://app.prolific.com"
    fees = "pct43"
    fees_source = _("Prolific: 42.8 % by default, which companies pay; universities pay 33.3 % (as of July 2026).")
    option_names: Mapping[str, Any] = {
        "project": _("Prolific's id of the project, or empty"),
        "signed_links": _("yes, if your workspace has signed links, or empty"),
        "partial_payment": _("yes, if your workspace can pay a part of the reward, or empty"),
    }
    codes = tuple(Outcome)
    minimum_hourly = Decimal(8)
    pays_screened_out = True
    smallest_part = 8
    shortest_rejection = 100
    demographics = protocol.DEMOGRAPHICS
    rejection_categories = (
        ("TOO_QUICKLY", _("Answered too quickly")),
        ("TOO_SLOWLY", _("Answered too slowly")),
        ("FAILED_INSTRUCTIONS", _("Did not follow the instructions")),
        ("INCOMP_LONGITUDINAL", _("Did not do all parts of the study")),
        ("FAILED_CHECK", _("Failed fair attention checks")),
        ("LOW_EFFORT", _("Low effort")),
        ("MALINGERING", _("Gave false information on purpose")),
        ("NO_CODE", _("No completion code")),
        ("BAD_CODE", _("Wrong completion code")),
        ("NO_DATA", _("No responses were stored")),
        ("UNSUPP_DEVICE", _("Device that is not supported")),
        ("OTHER", _("Another reason")),
    )

    def __init__(self, endpoint: base.Endpoint) -> None:
        self._endpoint, self._client = endpoint, Client(endpoint)
        self._options = dict(endpoint.options)
        self._workspace = endpoint.key_id

    def ticket(self, query: Mapping[str, str]) -> Ticket:
        return Ticket(query.get("PROLIFIC_PID", ""), query.get("SESSION_ID", ""), query.get("STUDY_ID", ""))

    def check_link(self, query: Mapping[str, str], ticket: Ticket, *, url: str, now: datetime) -> None:
        if "prolific_token" in query:
            given, own = query["prolific_token"], self._workspace
            link_tokens.check(given, ticket, url=url, workspace=own, now=now, client=self._client)
        elif self._signs_links():
            raise base.Denied("the token is missing")

    def parameters(self) -> str:
        return "PROLIFIC_PID={participant}&STUDY_ID={study}&SESSION_ID={submission}"

    def return_url(self, outcome: str, code: str, ticket: Ticket) -> str:
        return f"{self._endpoint.workers}/submissions/complete?cc={code}"

    def workspace(self) -> str:
        """The id of the workspace."""
        if not self._workspace:
            rows = member(self._client.get(WORKSPACES), "results")
            if not rows:
                raise base.Denied("The account has no workspace.")
            self._workspace = str(member(rows[0], "id"))
        return self._workspace

    def balance(self) -> base.Funds:
        left = self._client.get(f"{WORKSPACES}{self.workspace()}/balance/")
        return base.Funds(protocol.units(member(left, "available_balance")))

    # Studies

    def create_study(self, spec: StudySpec) -> str:
        for row in self._client.rows(STUDIES):
            if str(row.get("internal_name") or "").split(" ")[-1] == spec.token:
                raise base.AlreadyThere("The study is there already.", external_id=str(member(row, "id")))
        made = self._client.post(STUDIES, self._study_body(spec))
        return str(member(made, "id"))

    def update_study(self, study: str, spec: StudySpec) -> None:
        self._client.patch(f"{STUDIES}{study}/", self._study_body(spec))

    def _study_body(self, spec: StudySpec) -> dict[str, Any]:
        own = {"is_signed": self._signs_links(), "pays_parts": self.pays_parts(self._options)}
        return protocol.study_body(spec, project=self._options.get("project", ""), **own)

    def _signs_links(self) -> bool:
        return self._options.get("signed_links", "").lower() == "yes"

    def study(self, study: str) -> StudyState:
        return protocol.study_state(self._client.get(f"{STUDIES}{study}/"))

    def publish(self, study: str) -> None:
        self._transition(study, {"action": "PUBLISH"}, StudyStatus.ACTIVE, StudyStatus.STOPPED)

    def schedule(self, study: str, when: datetime) -> None:
        body = {"action": "SCHEDULE_PUBLISH", "publish_at": when.astimezone(UTC).isoformat()}
        self._transition(study, body, StudyStatus.SCHEDULED)

    def unschedule(self, study: str) -> None:
        self._transition(study, {"action": "CANCEL_PUBLISH"}, StudyStatus.DRAFT)

    def pause(self, study: str) -> None:
        self._transition(study, {"action": "PAUSE"}, StudyStatus.PAUSED)

    def start(self, study: str) -> None:
        self._transition(study, {"action": "START"}, StudyStatus.ACTIVE)

    def stop(self, study: str) -> None:
        self._transition(study, {"action": "STOP"}, StudyStatus.STOPPED)

    def _transition(self, study: str, body: dict[str, Any], *reached: StudyStatus) -> None:
        """Transitions are not idempotent: a refusal is fine where the study is in a wanted state already."""
        try:
            self._client.post(f"{STUDIES}{study}/transition/", body)
        except base.Gone:
            raise
        except base.Denied as refused:
            if self.study(study).status not in reached:
                raise base.WrongState(str(refused)) from None

    def set_places(self, study: str, places: int) -> None:
        if self.study(study).places < places:
            self._client.patch(f"{STUDIES}{study}/", {"total_available_places": places})

    def set_screen_out_places(self, study: str, places: int) -> None:
        code, action = protocol.screen_out(self._client.get(f"{STUDIES}{study}/"))
        if code and int(action["slots"]) < places:
            changed = {"code": code, "code_type": "FIXED_SCREENOUT", "actions": [action | {"slots": places}]}
            self._client.patch(f"{STUDIES}{study}/", {"completion_codes": [changed]})

    # Submissions

    def submission(self, submission: str) -> Submission:
        return protocol.submission(self._client.get(f"{SUBMISSIONS}{submission}/"))

    def submissions(self, study: str) -> Iterator[Submission]:
        for row in self._client.rows(SUBMISSIONS, study=study):
            yield protocol.submission(row, study=study)

    def approve(self, submissions: Sequence[str]) -> None:
        if len(submissions) == 1:
            return self._decide(submissions[0], {"action": "APPROVE"}, Status.APPROVED)
        for first in range(0, len(submissions), MOST_APPROVED):
            some = list(submissions[first : first + MOST_APPROVED])
            try:
                self._client.post(f"{SUBMISSIONS}bulk-approve/", {"submission_ids": some})
            except base.Denied:  # one of them cannot be approved, and hides which of the others could
                for one in some:
                    self._decide(one, {"action": "APPROVE"}, Status.APPROVED)
        return None

    @classmethod
    def pays_parts(cls, options: Mapping[str, str]) -> bool:
        return options.get("partial_payment", "").lower() == "yes"

    def approve_in_part(self, submission: str, *, token: str, percent: int, text: str) -> None:
        data = {"percentage_of_reward": percent, "message_to_participant": text}
        body = {"action": "COMPLETE", "completion_code": protocol.part_code(token), "completion_code_data": data}
        self._decide(submission, body, Status.PARTLY_APPROVED)

    def reject(self, submission: str, *, reason: str, category: str) -> None:
        body = {"action": "REJECT", "message": reason, "rejection_category": category}
        self._decide(submission, body, Status.REJECTED)

    def _decide(self, submission: str, body: dict[str, Any], wanted: Status) -> None:
        try:
            self._client.post(f"{SUBMISSIONS}{submission}/transition/", body)
        except base.Gone:
            raise
        except base.Denied as refused:
            status = self.submission(submission).status
            if status in RETRY_WHILE:
                raise base.TryAgain(f"the participant is not back yet: {refused}") from None
            if status != wanted:
                raise base.WrongState(f"{refused}") from None

    def request_return(self, submission: str, *, reason: str) -> None:
        try:
            self._client.post(f"{SUBMISSIONS}{submission}/request-return/", {"request_return_reasons": [reason]})
        except base.Gone:
            raise
        except base.Denied as refused:
            if self.submission(submission).status != Status.RETURNED:
                raise base.WrongState(str(refused)) from None

    # Bonuses

    def prepare_bonuses(self, study: str, amounts: Sequence[tuple[str, Decimal]]) -> str:
        if not 1 <= len(amounts) <= MOST_BONUSES:
            raise base.Denied(f"Between 1 and {MOST_BONUSES} bonuses can be paid at once.")
        lines = [f"{submission},{protocol.units(protocol.cents(amount))}" for submission, amount in amounts]
        body = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        return str(member(self._client.post(f"{SUBMISSIONS}bonus-payments/", body), "id"))

    def pay_bonuses(self, payment: str) -> None:
        self._client.post(f"/api/v1/bulk-bonus-payments/{payment}/pay/", {})

    # Groups

    def ensure_group(self, name: str) -> str:
        rows = member(self._client.get(GROUPS, workspace_id=self.workspace()), "results")
        found = [str(row["id"]) for row in rows if row.get("name") == name and not row.get("is_deleted")]
        if found:
            return min(found)  # two calls at once may have made two: all use the same one
        made = self._client.post(GROUPS, {"workspace_id": self.workspace(), "name": name})
        return str(member(made, "id"))

    def group_members(self, group: str) -> set[str]:
        rows = member(self._client.get(f"{GROUPS}{group}/participants/"), "results")
        return {str(row["participant_id"]) for row in rows}

    def add_to_group(self, group: str, participants: Sequence[str]) -> None:
        self._change_group("POST", group, participants)

    def remove_from_group(self, group: str, participants: Sequence[str]) -> None:
        self._change_group("DELETE", group, participants)

    def _change_group(self, method: str, group: str, participants: Sequence[str]) -> None:
        for first in range(0, len(participants), MOST_MEMBERS):
            some = list(participants[first : first + MOST_MEMBERS])
            self._client.call(method, f"{GROUPS}{group}/participants/", {"participant_ids": some})

    def message(self, participants: Sequence[str], study: str, text: str) -> None:
        body = {"ids": list(participants), "study_id": study, "body": text}
        self._client.post("/api/v1/messages/bulk/", body)

    def received_messages(self, since: datetime) -> Iterator[ReceivedMessage]:
        own = str(member(self._client.get("/api/v1/users/me/"), "id"))
        listed = self._client.get("/api/v1/messages/", created_after=since.astimezone(UTC).isoformat())
        for row in member(listed, "results"):
            if row.get("sender_id") != own:
                yield ReceivedMessage(str(member(row, "id")), str(member(row, "sender_id")), str(row.get("body", "")))

    # Webhooks

    def subscribe(self, event: str, url: str) -> Subscription:
        secret = self._signing_secret()
        asked = {"workspace_id": self.workspace(), "event_type": event, "target_url": url}
        made, headers = self._client.call("POST", f"{HOOKS}subscriptions/", asked)
        row = made["results"][0] if isinstance(made, dict) and made.get("results") else made
        found = self._subscription(row)
        handshake = str(headers.get("X-Hook-Secret", ""))
        self._client.post(f"{HOOKS}subscriptions/{found.external_id}/", {"secret": handshake})
        return replace(found, enabled=True, secret=secret)

    def _signing_secret(self) -> str:
        """The workspace's secret; it is made only if there is none, because a new one would replace that of others."""
        rows = member(self._client.get(f"{HOOKS}secrets/", workspace_id=self.workspace()), "results")
        row = rows[0] if rows else self._client.post(f"{HOOKS}secrets/", {"workspace_id": self.workspace()})
        return str(member(row, "value"))

    def unsubscribe(self, subscription: str) -> None:
        with suppress(base.Gone):
            self._client.delete(f"{HOOKS}subscriptions/{subscription}/", {})

    def subscriptions(self) -> Iterator[Subscription]:
        for enabled in ("true", "false"):
            listed = self._client.get(f"{HOOKS}subscriptions/", workspace_id=self.workspace(), is_enabled=enabled)
            for row in member(listed, "results"):
                yield self._subscription(row)

    @staticmethod
    def _subscription(row: Any) -> Subscription:
        url, event = str(member(row, "target_url")), str(member(row, "event_type"))
        return Subscription(str(member(row, "id")), event, url, bool(row.get("is_enabled", True)))

    @classmethod
    def verify(cls, secret: str, headers: Mapping[str, str], body: bytes) -> StudyEvent:
        return protocol.event(secret, headers, body)


MARKETPLACE = Prolific
