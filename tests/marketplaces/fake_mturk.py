"""A marketplace of the tests' own over HTTP: as much of MTurk's protocol as our client uses, tokens included.

It forgets tokens after `memory` seconds, lists every HIT at once, and does what it is told under one lock.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STATE = "This operation can be called with a status of: "


class No(Exception):
    """A refusal of the protocol."""

    def __init__(self, text: str, code: str = "RequestError") -> None:
        super().__init__(text)
        self.code = code


class FakeMTurk:
    """Open it with `with`; `url` is its endpoint. `hits`, `assignments`, `bonuses` are what it holds."""

    def __init__(self, *, memory: float = 86_400.0) -> None:
        self.memory = memory
        self.hits: dict[str, dict[str, Any]] = {}
        self.assignments: dict[str, dict[str, Any]] = {}
        self.bonuses: list[dict[str, Any]] = []
        self.types: dict[str, dict[str, Any]] = {}
        self.qualifications: dict[str, dict[str, Any]] = {}
        self.letters: list[dict[str, Any]] = []
        self.calls: list[str] = []
        self._tokens: dict[tuple[str, str], tuple[float, str]] = {}
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> FakeMTurk:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def answer(self, operation: str, wish: dict[str, Any]) -> dict[str, Any]:
        act: Callable[[dict[str, Any]], dict[str, Any]] = getattr(self, f"do_{operation}")
        with self._lock:
            self.calls.append(operation)
            return act(wish)

    def submit(self, hit: str, worker: str, *, answer: str = "<QuestionFormAnswers/>", name: str = "") -> str:
        """A worker accepts and submits; returns the assignment's id."""
        key = name or self._id("ASSIGNMENT")
        row = {"AssignmentId": key, "WorkerId": worker, "HITId": hit, "AssignmentStatus": "Submitted"}
        self.assignments[key] = row | {"Answer": answer, "SubmitTime": time.time()}
        return key

    def _id(self, what: str) -> str:
        return f"3{what}{next(self._ids):06d}"

    def _once(self, family: str, wish: dict[str, Any], result: str) -> None:
        """Refuse a token that is remembered; `told` has its place for what was made."""
        found = self._tokens.get((family, wish.get("UniqueRequestToken", "")))
        if found and time.monotonic() - found[0] < self.memory:
            raise No(result.format(found[1]))

    def _remember(self, family: str, wish: dict[str, Any], made: str) -> None:
        if "UniqueRequestToken" in wish:
            self._tokens[family, wish["UniqueRequestToken"]] = (time.monotonic(), made)

    def do_GetAccountBalance(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"AvailableBalance": "10000.00", "OnHoldBalance": "0.00"}

    def do_CreateHITType(self, wish: dict[str, Any]) -> dict[str, Any]:
        same = json.dumps(wish, sort_keys=True)
        found = [key for key, row in self.types.items() if row["same"] == same]
        key = found[0] if found else self._id("TYPE")
        self.types[key] = {"same": same, **wish}
        return {"HITTypeId": key}

    def do_CreateHITWithHITType(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._once("hit", wish, 'The HIT with ID "{}" already exists. (1700000000000)')
        if wish["HITTypeId"] not in self.types:
            raise No(f"HITType {wish['HITTypeId']} does not exist.")
        key, now = self._id("HIT"), time.time()
        self.hits[key] = {
            "HITId": key,
            "HITTypeId": wish["HITTypeId"],
            "Title": self.types[wish["HITTypeId"]]["Title"],
            "MaxAssignments": wish["MaxAssignments"],
            "Question": wish["Question"],
            "RequesterAnnotation": wish["RequesterAnnotation"],
            "CreationTime": now,
            "Expiration": now + wish["LifetimeInSeconds"],
        }
        self._remember("hit", wish, key)
        return {"HIT": self._told(key)}

    def _told(self, key: str) -> dict[str, Any]:
        if key not in self.hits:
            raise No(f"Hit {key} does not exist. (1700000000000)")
        hit = self.hits[key]
        mine = [a for a in self.assignments.values() if a["HITId"] == key]
        done = sum(a["AssignmentStatus"] in {"Approved", "Rejected"} for a in mine)
        counts = {"Pending": 0, "Available": hit["MaxAssignments"] - len(mine), "Completed": done}
        over = hit["Expiration"] <= time.time() or not counts["Available"]
        return {**hit, "HITStatus": "Reviewable" if over else "Assignable", "QualificationRequirements": []} | {
            f"NumberOfAssignments{name}": number for name, number in counts.items()
        }

    def do_GetHIT(self, wish: dict[str, Any]) -> dict[str, Any]:
        return {"HIT": self._told(wish["HITId"])}

    def do_ListHITs(self, wish: dict[str, Any]) -> dict[str, Any]:
        return self._page("HITs", [self._told(key) for key in sorted(self.hits)], wish)

    def _page(self, member: str, rows: list[dict[str, Any]], wish: dict[str, Any]) -> dict[str, Any]:
        """As the real one: a token on every page that has rows, and an empty page without one at the end."""
        start = int(wish.get("NextToken", "0"))
        some = rows[start : start + wish.get("MaxResults", 10)]
        return {"NumResults": len(some), member: some} | ({"NextToken": str(start + len(some))} if some else {})

    def do_ListAssignmentsForHIT(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._told(wish["HITId"])
        mine = [a for a in self.assignments.values() if a["HITId"] == wish["HITId"]]
        return self._page("Assignments", mine, wish)

    def _assignment(self, wish: dict[str, Any]) -> dict[str, Any]:
        if wish["AssignmentId"] not in self.assignments:
            raise No(f"Assignment {wish['AssignmentId']} does not exist.")
        return self.assignments[wish["AssignmentId"]]

    def do_GetAssignment(self, wish: dict[str, Any]) -> dict[str, Any]:
        found = self._assignment(wish)
        return {"Assignment": found, "HIT": self._told(found["HITId"])}

    def do_ApproveAssignment(self, wish: dict[str, Any]) -> dict[str, Any]:
        found = self._assignment(wish)
        fit = {"Submitted", "Rejected"} if wish.get("OverrideRejection") else {"Submitted"}
        if found["AssignmentStatus"] not in fit:
            raise No(f"{STATE}Submitted (1700000000000)")
        found |= {"AssignmentStatus": "Approved", "ApprovalTime": time.time()}
        found["approvals"] = found.get("approvals", 0) + 1
        found["feedback"] = wish.get("RequesterFeedback", "")
        return {}

    def do_RejectAssignment(self, wish: dict[str, Any]) -> dict[str, Any]:
        found = self._assignment(wish)
        if found["AssignmentStatus"] != "Submitted":
            raise No(f"{STATE}Submitted")
        found |= {"AssignmentStatus": "Rejected", "RejectionTime": time.time(), "told": wish["RequesterFeedback"]}
        return {}

    def do_SendBonus(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._once("bonus", wish, 'The idempotency token "{}" has already been processed.')
        if self._assignment(wish)["WorkerId"] != wish["WorkerId"]:
            raise No("The worker did not do this assignment.")
        self.bonuses.append({**wish, "GrantTime": time.time()})
        self._remember("bonus", wish, wish.get("UniqueRequestToken", ""))
        return {}

    def do_ListBonusPayments(self, wish: dict[str, Any]) -> dict[str, Any]:
        names = ("WorkerId", "BonusAmount", "AssignmentId", "Reason", "GrantTime")
        mine = [b for b in self.bonuses if b["AssignmentId"] == wish["AssignmentId"]]
        return self._page("BonusPayments", [{name: b[name] for name in names} for b in mine], wish)

    def do_UpdateExpirationForHIT(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._told(wish["HITId"])
        self.hits[wish["HITId"]]["Expiration"] = max(float(wish["ExpireAt"]), 1.0)
        return {}

    def do_CreateAdditionalAssignmentsForHIT(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._once("places", wish, "The request {} has already been processed.")
        self.hits[wish["HITId"]]["MaxAssignments"] += wish["NumberOfAdditionalAssignments"]
        self._remember("places", wish, "REQUEST")
        return {}

    def do_CreateQualificationType(self, wish: dict[str, Any]) -> dict[str, Any]:
        if any(row["Name"] == wish["Name"] for row in self.qualifications.values()):
            raise No("You have already created a QualificationType with this name. A QualificationType's name …")
        key = self._id("QUALIFICATION")
        self.qualifications[key] = {"QualificationTypeId": key, "holders": {}, **wish}
        return {
            "QualificationType": {name: wish[name] for name in ("Name", "Description")} | {"QualificationTypeId": key}
        }

    def do_ListQualificationTypes(self, wish: dict[str, Any]) -> dict[str, Any]:
        names = ("QualificationTypeId", "Name", "Description")
        rows = [{name: row[name] for name in names} for row in self.qualifications.values()]
        return self._page("QualificationTypes", rows, wish)

    def do_ListWorkersWithQualificationType(self, wish: dict[str, Any]) -> dict[str, Any]:
        held = self.qualifications[wish["QualificationTypeId"]]["holders"]
        return self._page("Qualifications", [{"WorkerId": w, "IntegerValue": v} for w, v in held.items()], wish)

    def do_AssociateQualificationWithWorker(self, wish: dict[str, Any]) -> dict[str, Any]:
        self.qualifications[wish["QualificationTypeId"]]["holders"][wish["WorkerId"]] = wish["IntegerValue"]
        return {}

    def do_DisassociateQualificationFromWorker(self, wish: dict[str, Any]) -> dict[str, Any]:
        if self.qualifications[wish["QualificationTypeId"]]["holders"].pop(wish["WorkerId"], None) is None:
            raise No(f"{STATE}Granted")
        return {}

    def do_NotifyWorkers(self, wish: dict[str, Any]) -> dict[str, Any]:
        self.letters.append(wish)
        return {"NotifyWorkersFailureStatuses": []}


def _handler(elsewhere: FakeMTurk) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body sent after its headers would wait 40 ms for their acknowledgement

        def do_POST(self) -> None:
            wish = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            operation = self.headers["X-Amz-Target"].rpartition(".")[2]
            try:
                status, result = 200, elsewhere.answer(operation, wish)
            except No as no:
                status, result = 400, {"__type": no.code, "Message": str(no)}
            body = json.dumps(result).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    return Handler
