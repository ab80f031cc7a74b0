"""A client for the MTurk API, with boto3. The only module that imports boto3; it does not use models.

It takes nothing from the environment: no credentials, profile, region or proxy. A call is tried once; callers decide on
retries, because only they know whether a retry is safe.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, Final

import boto3
import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from annotation.guarded_connections import NotPublic
from annotation.marketplaces import base
from annotation.marketplaces.mturk import protocol

PAGE: Final = 100
MAKING: Final = threading.Lock()  # boto3's session is not thread-safe
FROM_ENVIRONMENT: Final = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
    "ca_bundle": (None, None, None, None),
}


class MTurk(base.HitMarketplace):
    """A marketplace with the MTurk API."""

    def __init__(self, endpoint: base.Endpoint) -> None:
        self._client = _client(endpoint)

    def _call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        try:
            reply: dict[str, Any] = getattr(self._client, operation)(**arguments)
        except ParamValidationError as invalid:
            raise base.Denied(str(invalid)) from None
        except ClientError as refusal:
            raise protocol.meaning(dict(refusal.response)) from None
        except (BotoCoreError, OSError, ValueError) as broken:
            inside = getattr(broken, "kwargs", {}).get("error")
            if isinstance(inside, NotPublic):
                raise base.Denied(str(inside)) from None
            raise base.TryAgain(f"{type(broken).__name__}: {broken}"[:500]) from None
        return reply

    def _pages(self, operation: str, member: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Rows of all pages. Marketplaces end the list in two ways: without a token, or with an empty page."""
        token: dict[str, str] = {}
        while True:
            reply = self._call(operation, MaxResults=PAGE, **arguments, **token)
            rows = protocol.required(reply, member)
            yield from rows
            if not rows or not reply.get("NextToken"):
                return
            token = {"NextToken": reply["NextToken"]}

    def balance(self) -> base.Funds:
        return base.Funds(Decimal(protocol.required(self._call("get_account_balance"), "AvailableBalance")))

    def ensure_type(self, terms: base.Terms) -> str:
        reply = self._call(
            "create_hit_type",
            Title=terms.title,
            Description=terms.description,
            Keywords=terms.keywords,
            Reward=f"{terms.reward:.2f}",
            AssignmentDurationInSeconds=terms.duration,
            AutoApprovalDelayInSeconds=terms.auto_approval,
            QualificationRequirements=[protocol.requirement(one) for one in terms.requirements],
        )
        return str(protocol.required(reply, "HITTypeId"))

    def publish(self, offer: base.Offer) -> str:
        reply = self._call(
            "create_hit_with_hit_type",
            HITTypeId=offer.type_id,
            MaxAssignments=offer.places,
            LifetimeInSeconds=offer.lifetime,
            Question=protocol.external_question(offer.url),
            RequesterAnnotation=offer.annotation,
            UniqueRequestToken=offer.token,
        )
        return str(protocol.required(protocol.required(reply, "HIT"), "HITId"))

    def look(self, external_id: str) -> base.HitStatus:
        return protocol.hit_status(protocol.required(self._call("get_hit", HITId=external_id), "HIT"))

    def list_hits(self) -> Iterator[base.HitStatus]:
        for row in self._pages("list_hits", "HITs"):
            yield protocol.hit_status(row)

    def extend(self, external_id: str, to: int, *, token: str) -> None:
        more = to - self.look(external_id).places
        if more <= 0:
            return
        terms = {"HITId": external_id, "NumberOfAdditionalAssignments": more, "UniqueRequestToken": token}
        with suppress(base.AlreadyThere):
            self._call("create_additional_assignments_for_hit", **terms)

    def expire(self, external_id: str, when: datetime) -> None:
        with suppress(base.AlreadyThere):  # the same time sent twice "has already been processed"
            self._call("update_expiration_for_hit", HITId=external_id, ExpireAt=when)

    def assignments(self, external_id: str) -> Iterator[base.Work]:
        for row in self._pages("list_assignments_for_hit", "Assignments", HITId=external_id):
            yield protocol.work(row)

    def _state_of(self, assignment: str) -> str:
        """The state of an assignment that an operation refused; "" if it is not submitted."""
        try:
            reply = self._call("get_assignment", AssignmentId=assignment)
            return str(protocol.required(protocol.required(reply, "Assignment"), "AssignmentStatus"))
        except base.WrongState:
            return ""

    def approve(self, assignment: str, *, text: str = "", override: bool = False) -> None:
        more = {"RequesterFeedback": text[:1024]} if text else {}
        try:
            self._call("approve_assignment", AssignmentId=assignment, OverrideRejection=override, **more)
        except base.WrongState as conflict:
            self._accept_only(assignment, "Approved", conflict)

    def reject(self, assignment: str, *, text: str) -> None:
        try:
            self._call("reject_assignment", AssignmentId=assignment, RequesterFeedback=text[:1024])
        except base.WrongState as conflict:
            self._accept_only(assignment, "Rejected", conflict)

    def _accept_only(self, assignment: str, wanted: str, conflict: base.WrongState) -> None:
        """Accept a refusal if the assignment already has the wanted state; a submission may still be under way."""
        state = self._state_of(assignment)
        if not state:
            raise base.TryAgain(f"not submitted there yet: {conflict}")
        if state != wanted:
            raise conflict

    def pay_bonus(self, bonus: base.Bonus) -> None:
        self._call(
            "send_bonus",
            WorkerId=bonus.worker,
            AssignmentId=bonus.assignment,
            BonusAmount=f"{bonus.amount:.2f}",
            Reason=bonus.full_reason,
            UniqueRequestToken=bonus.token,
        )

    def has_bonus(self, assignment: str, reference: str) -> bool:
        rows = self._pages("list_bonus_payments", "BonusPayments", AssignmentId=assignment)
        return any(row.get("Reason", "").endswith(f"(ref {reference})") for row in rows)

    def ensure_qualification(self, name: str, description: str) -> str:
        if found := self.qualification_named(name):
            return found
        try:
            reply = self._call(
                "create_qualification_type", Name=name, Description=description, QualificationTypeStatus="Active"
            )
        except base.AlreadyThere:
            if found := self.qualification_named(name):
                return found
            raise base.TryAgain(f"the qualification {name} exists and is not listed yet") from None
        return str(protocol.required(protocol.required(reply, "QualificationType"), "QualificationTypeId"))

    def qualification_named(self, name: str) -> str:
        which = {"MustBeRequestable": False, "MustBeOwnedByCaller": True}
        rows = self._pages("list_qualification_types", "QualificationTypes", **which)
        return next((str(row["QualificationTypeId"]) for row in rows if row.get("Name") == name), "")

    def holders(self, type_id: str) -> dict[str, int]:
        which = {"QualificationTypeId": type_id, "Status": "Granted"}
        rows = self._pages("list_workers_with_qualification_type", "Qualifications", **which)
        return {str(row["WorkerId"]): int(row.get("IntegerValue", 1)) for row in rows}

    def grant(self, type_id: str, worker: str, value: int) -> None:
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=type_id,
            WorkerId=worker,
            IntegerValue=value,
            SendNotification=False,
        )

    def revoke(self, type_id: str, worker: str) -> None:
        with suppress(base.Gone, base.WrongState):  # the goal is reached if it is not held (any more)
            self._call("disassociate_qualification_from_worker", QualificationTypeId=type_id, WorkerId=worker)

    def message(self, workers: Sequence[str], subject: str, text: str) -> dict[str, str]:
        reply = self._call("notify_workers", Subject=subject, MessageText=text, WorkerIds=list(workers))
        failed = reply.get("NotifyWorkersFailureStatuses") or []
        return {row["WorkerId"]: row.get("NotifyWorkersFailureMessage", "") for row in failed}


@cache
def _session() -> Any:
    """One session for all clients, because loading the service's model is slow. It holds no keys."""
    return boto3.session.Session(botocore_session=botocore.session.Session(session_vars=FROM_ENVIRONMENT))


@lru_cache(maxsize=16)
def _client(endpoint: base.Endpoint) -> Any:
    """The boto3 client for an endpoint; clients are thread-safe once made."""
    config = Config(
        retries={"total_max_attempts": 1, "mode": "standard"},
        connect_timeout=min(endpoint.timeout, 10.0),
        read_timeout=endpoint.timeout,
        proxies={},
        ignore_configured_endpoint_urls=True,
    )
    keys = {"aws_access_key_id": endpoint.key_id, "aws_secret_access_key": endpoint.secret}
    with MAKING:
        client = _session().client(
            "mturk", endpoint_url=endpoint.endpoint_url, region_name=endpoint.region, config=config, **keys
        )
    client.meta.events.register("before-parse.mturk", protocol.must_be_json)
    if endpoint.guarded:
        protocol.guard(client)
    return client


MARKETPLACE = MTurk
