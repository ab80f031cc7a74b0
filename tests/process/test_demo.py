"""The demo, set up twice by its command: believable work, and nothing doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.process import wheels

ROOT = Path(__file__).resolve().parent.parent.parent
PROBE = """
import json
from annotation.flow.batches import batch_progress
from annotation.flow.money import ledger_audit, wages
from annotation.flow.reports import batch_scores
from annotation.models import *
project = Project.objects.get()
study, graphs = (Batch.objects.get(slug=slug) for slug in ("vennory-first-study", "vennory-composing"))
reports = [batch_scores.kept_report(batch) for batch in (study, graphs)]
hours = [count for _hour, count in batch_progress.by_hour(study) if count]
print(json.dumps({
    "faults": len(ledger_audit.audit(project)),
    "wage": float(wages.summary(wages.of_batch(study)).median or 0),
    "hours": len(hours), "busiest": max(hours),
    "fresh": [batch_scores.is_fresh(study, reports[0]), batch_scores.is_fresh(graphs, reports[1])],
    "adjudicate": study.activity.to_adjudicate,
    "problems": batch_progress.open_problem_reports(study).count(),
    "passed": Attempt.objects.filter(passed=True).count(), "failed": Attempt.objects.filter(passed=False).count(),
    "undecided": study.assignments.filter(state="submitted", approval="").count(),
    "counts": [model.objects.count() for model in (
        Assignment, Payment, Entry, Payout, Qualification, Message, Invite, Dataset, Batch, User, Review, Feedback)],
}))
"""


def manage(var: Path, *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    more = wheels.elsewhere({"HOPSCRIBE_VAR": str(var)})
    done = subprocess.run(command, cwd=ROOT, env=more, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout + done.stderr


def world(var: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manage(var, "shell", "-v0", "-c", PROBE).splitlines()[0])
    return found


@pytest.mark.soak
def test_the_demo_is_full_of_believable_work_and_completes_once(tmp_path: Path) -> None:
    said = manage(tmp_path, "demo", "--no-serve")
    assert "6 of 6" in said
    found = world(tmp_path)
    assert found["faults"] == 0
    assert 8 < found["wage"] < 25
    assert found["hours"] >= 6
    assert found["busiest"] <= 60
    assert found["fresh"] == [True, True]
    assert found["adjudicate"] >= 1
    assert found["problems"] == 1
    assert (found["passed"], found["failed"]) == (3, 1)
    assert found["undecided"] > 0
    assert all(found["counts"])
    assert " of " not in manage(tmp_path, "demo", "--no-serve")
    assert world(tmp_path) == found
