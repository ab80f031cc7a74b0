"""An example of the body of each operation that takes one, as the schema shows them."""

from __future__ import annotations

from typing import Any, Final

HIT, ANSWER, QUALIFICATION = "pXq3vKZ0T8yJd1mWb6cR2g", "bD9kQm2sVt7RzYx4Hn1LwA", "3U748KXVQNUM76FK5NS67XQ1C5G5KX"
WORKER, OTHER = "c5c5c96a8462901f", "2a60cc437e62fe85"
SECRET = "whsec_" + "aG9wc2NyaWJl" * 3
CLAUSE: Final = {"figure": "answer_f1", "value": 0.75, "comparator": ">", "dataset": "each"}
EXAMPLE: Final = {
    "id": "wells-1",
    "question": "In which year was the tower above the spring built?",
    "answers": ["1851"],
    "paragraphs": [{"title": "Tower", "text": "The tower above the spring was built in 1851."}],
    "supports": [0],
}

EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "acceptQualificationRequests": {"requests": ["7Hq2mZ0T8yJd1mWb6cR2gA"], "value": 80},
    "adjudicateHit": {"assignment": ANSWER, "revision": 1},
    "approveAssignment": {"text": "Thank you."},
    "blockWorker": {"reason": "Answers at random."},
    "changeBatch": {"title": "Which tower?", "expected_minutes": 2.5, "people": []},
    "changeDataset": {"licence": "CC BY 4.0", "source": "https://lab.example/wells"},
    "changeQualification": {"requestable": True, "retry_seconds": 86400},
    "changeRound": {"per_worker": 25, "attempts": 2},
    "changeWebhook": {"active": False},
    "chooseBatchReview": {"revision": 2},
    "cloneBatch": {"name": "second-study"},
    "continueBatch": {"count": 100, "name": "next-hundred"},
    "createBatch": {
        "title": "First study", "task": "answer", "datasets": ["wells"], "sample": 125, "seed": 7,
        "assignments_per_hit": 3, "paid": True, "reward": "0.25", "auto_approve_days": 7,
        "requirements": [{"type": QUALIFICATION, "comparator": "GreaterThanOrEqualTo", "values": [75]}],
    },
    "createInvite": {"role": "worker", "places": 20, "days": 14, "note": "The seminar"},
    "createQualification": {"name": "Reader", "description": "Reads with care.", "requestable": False},
    "createRound": {
        "title": "Readers", "task": "answer", "datasets": ["wells", "towers"], "per_worker": 20, "grants": "Reader",
        "rule": [CLAUSE], "attempts": 1, "seconds": 3600,
    },
    "createWebhook": {"url": "https://lab.example/hook", "kinds": ["progress", "job"], "note": "", "secret": SECRET},
    "decideApprovals": {"assignments": [ANSWER], "act": "bonus", "text": "Very careful.", "amount": "0.50"},
    "decideReview": {"decision": "accepted", "revision": 1, "seen": 0},
    "declineQualificationRequests": {"requests": ["7Hq2mZ0T8yJd1mWb6cR2gA"], "reason": "Not yet."},
    "deriveDataset": {"how": "splits", "source": "wells", "name": "parts", "seed": 7, "options": {}},
    "drawReviews": {"size": 20},
    "editDatasetItem": {"version": 1, "example": EXAMPLE, "note": "The year was wrong."},
    "gatherBatch": {"name": "verified", "least": 2},
    "giveHits": {"hits": [HIT], "workers": [WORKER]},
    "grantByRule": {"batches": ["first-study"], "figure": "grade", "least": 75, "answers": 10, "dry_run": True},
    "grantQualification": {"scores": [{"worker": WORKER, "value": 90}, {"worker": OTHER, "value": 75}]},
    "grantRound": {"mark": 0.7},
    "messageWorker": {"subject": "Your answers", "text": "Thank you for your care."},
    "notePayoutLine": {"worker": WORKER, "state": "paid", "reference": "Transfer 4711"},
    "payBonus": {"amount": "1.50", "reason": "For a second look."},
    "refreshBatchReport": {"dataset": "wells", "hops": 3},
    "rehearseBatch": {"workers": 20, "hits": 50, "seed": 1},
    "rejectAssignment": {"text": "The support is missing."},
    "restoreItems": {"positions": [3]},
    "retireItems": {"positions": [3, 17], "reason": "The paragraph was cut off."},
    "returnAssignment": {"revision": 1, "message": "Please tick the second paragraph too."},
    "revokeQualification": {"workers": [WORKER], "reason": "On their wish."},
    "rotateWebhookSecret": {"secret": SECRET},
    "sendFeedback": {"text": "Good, but please read the last paragraph as well."},
    "takeBackHits": {"given": [12]},
    "topUpBatch": {"only_disagreeing": True},
    "undoGrants": {"step": 42},
    "undoRound": {"step": 42},
    "voidBatchHit": {"reason": "Its paragraph is empty."},
    "writeGuide": {"text": "# What to do\n\nRead the question, then the paragraphs."},
}  # fmt: skip


def with_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook: each operation with a body in JSON shows one."""
    for path in result["paths"].values():
        for operation in path.values():
            told = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if told is not None and operation["operationId"] in EXAMPLES:
                told["example"] = EXAMPLES[operation["operationId"]]
    return result
