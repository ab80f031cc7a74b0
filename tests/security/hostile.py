"""A project in which every text is hostile: every field of every record, every name, note, guide and answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_import
from annotation.flow.notifications import worker_messages
from annotation.flow.people import members, qualification_types
from annotation.flow.review import problem_reports, response_import
from annotation.flow.work import submissions
from annotation.models import (
    Batch,
    Dataset,
    Invite,
    Job,
    Member,
    Message,
    ProblemReport,
    Project,
    QualificationChange,
    QualificationRequest,
    QualificationType,
    User,
    Worker,
)
from tests.batches import create_batch
from tests.security.payloads import TEXTS, chunks
from tests.views.console import take


def record(text: str, k: int) -> dict[str, Any]:
    """A record with the text in each of its fields."""
    return {
        "id": f"{text}{k}",
        "question": f"{text}?",
        "paragraphs": [
            {"title": text, "sentences": [f"{text} is here.", f"And {text}."]},
            {"title": f"{text} 2", "sentences": [f"Not {text}.", "Tower 1 is white."]},
        ],
        "answers": [text, f"{text} too"],
        "supports": [0, 1],
        "facts": [[0, 0], [1, 0]],
        "hops": [{"question": f"{text} #1?", "answer": text, "support": 0}, {"question": f"#1 {text}", "answer": text}],
        "options": [text, f"{text} or not"],
        "group": f"{text}{k}",
        "extra": {text: {text: [text]}},
        "shape": text[:60],
    }


def write(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps(record(text, k)) + "\n" for k, text in enumerate(texts)))
    return path


@dataclass(frozen=True)
class Hostile:
    """The project, its people and its one batch."""

    project: Any
    alice: Any
    bob: Any
    carol: Any
    batch: Any


def build(folder: Path, texts: list[str] = TEXTS) -> Hostile:
    everything = "\n\n".join(TEXTS)
    project = Project.objects.create(slug="hostile", title="Project", consent=everything)
    alice = User.objects.create_user("alice", shortcuts={"off": False, "keys": {t: t for t in TEXTS}})
    Member.objects.create(project=project, user=alice)
    bob, carol = (
        Worker.objects.create(project=project, user=User.objects.create_user(n), consented_version=1)
        for n in ("b", "c")
    )
    User.objects.filter(workers__isnull=False).update(shortcuts={"off": False, "keys": {t: t for t in TEXTS}})
    dataset_import.import_dataset(project, write(folder / "hostile.jsonl", texts), format="jsonl", name="set")
    batch = create_batch(
        project, "one", task="answer", datasets=[Dataset.objects.get()], instructions=everything, assignments_per_hit=2
    )
    batch_launch.launch(batch)
    members.invite(project, role="worker", by=alice)
    _crowd(project, bob, carol)
    hostile = Hostile(project, User.objects.get(pk=alice.pk), bob, carol, batch)
    _jobs(folder, hostile)
    return hostile


def _crowd(project: Project, bob: Any, carol: Any) -> None:
    """A qualification that one worker holds and the other was refused, and a letter."""
    kind = qualification_types.create_type(project, "Round", description="x")
    qualification_types.grant(kind, bob, 80, source="hand", reason="x")
    qualification_types.reject_request(qualification_types.request(kind, carol), reason="x")
    worker_messages.send(bob, "x", "x")


def _jobs(folder: Path, hostile: Hostile) -> None:
    """An import that is refused with every text in its report."""
    path = folder / "bad.jsonl"
    path.write_text("".join(json.dumps({"id": text, "question": text, text: text}) + "\n" for text in TEXTS))
    wanted = {"path": str(path), "format": "jsonl", "name": "bad", "file_name": TEXTS[0]}
    jobs.enqueue("import_dataset", project=hostile.project, title=TEXTS[0], arguments=wanted)
    jobs.run_due_work()


def answer(hostile: Hostile, worker: Any) -> Any:
    """The worker's next assignment, with a hostile draft; None when nothing is left."""
    row = take(worker, hostile.batch)
    if row is not None:
        text = row.hit.payload["question"][:-1]
        given = {"kind": "text", "text": text, "paragraph": None, "start": None, "end": None, "option": None}
        submissions.save_draft(row, given | {"support": [0], "facts": []}, version=0, active_seconds=1)
    return row


def submit(row: Any) -> None:
    row.refresh_from_db()
    submissions.submit(row, row.draft, key=f"0.{row.pk}", base=0, active_seconds=1)


def judge(hostile: Hostile, folder: Path, texts: list[str]) -> None:
    """Judgments of workers with these names, read from a file."""
    rows = [
        {"dataset": "set", "item": 0, "worker": text[:190], "answer": {"text": text, "support": [0]}} for text in texts
    ]
    path = folder / "responses.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    response_import.import_responses(hostile.batch, path)


def report(hostile: Hostile, row: Any, text: str) -> None:
    problem_reports.report_problem(row, reason="other", text=text)
    problem_reports.exclude(row.hit, reason=text[:500])


def rename(hostile: Hostile, text: str) -> None:
    """Put a text of at most 150 characters wherever a name or a note may stand."""
    Project.objects.update(title=text)
    User.objects.update(display_name=text)
    Dataset.objects.update(file_name=text, licence=text, source=f"http://a.example/{text}")
    Batch.objects.update(title=text)
    Invite.objects.update(note=text)
    Job.objects.update(title=text, error=text)
    ProblemReport.objects.update(text=text)
    QualificationType.objects.update(name=text, description=text, keywords=text)
    QualificationRequest.objects.update(reason=text)
    QualificationChange.objects.update(reason=text)
    Message.objects.update(subject=text, text=text)


def names() -> list[str]:
    return chunks(150)


def pages_of_the_requester() -> list[str]:
    """Every page that shows names, but for those of single items and HITs."""
    of_project = ["project", "project-settings", "datasets", "dataset-new", "people", "batches", "batch-new"]
    of_batch = [
        "batch",
        "hits",
        "batch-workers",
        "problem-reports",
        "batch-decide",
        "report",
        "instructions",
        "batch-settings",
        "batch-assignments",
    ]
    found = [reverse(name, args=["hostile"]) for name in of_project]
    found += [reverse(name, args=["hostile", "one"]) for name in [*of_batch, "batch-preview"]]
    found.append(reverse("problem-reports", args=["hostile", "one"]) + "?show=decided")
    found.append(reverse("dataset", args=["hostile", "set"]))
    kind = QualificationType.objects.get()
    of_type = ["qualification", "qualification-edit", "qualification-rule", "qualification-requests"]
    found += [reverse(name, args=["hostile", kind.public_id]) for name in of_type]
    found.append(reverse("qualifications", args=["hostile"]))
    return found + [reverse("job", args=["hostile", job.public_id]) for job in Job.objects.all()]


def pages_of_the_worker(hostile: Hostile) -> list[str]:
    own = [reverse(name, args=[hostile.batch.pk]) for name in ("batch-instructions", "batch-done")]
    standing = [reverse(name) for name in ("my-qualifications", "my-earnings", "my-messages")]
    return ["/work/", "/work/history/", "/projects/hostile/consent/", *standing, *own]
