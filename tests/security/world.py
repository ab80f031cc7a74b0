"""Two projects that must not see each other, with something behind every address of the site.

`wells`: Alice runs it, Bob and Carol answer. `springs`: Dave runs it, Erin answers. Frank has an account, no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.tokens import default_token_generator
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation import jobs
from annotation.flow import batching, flagging, importing, joining, removing, sampling, telling
from annotation.models import Dataset, Hit, Job, Member, Project, User, Worker
from tests.conftest import write_records
from tests.flow.compositions import compose, compose_batch
from tests.views.console import answer, take

OF_WORKERS = ("batch-start", "batch-guide", "batch-done", "practice", "practice-done", "practice-live")
OF_READING = ("review-answer", "review-undo", "review-choose", "review-feedback")
OF_HITS = ("hit", "hit-void", "hit-restore", "adjudicate-hit", "adjudicate-undo", "gold-item", "gold-undo")
ROLES = ["anonymous", "frank", "bob", "carol", "alice", "erin", "dave"]


@dataclass(frozen=True)
class World:
    """`users` by role, and what stands in the addresses of each project: {parameter or route.parameter: value}."""

    users: dict[str, Any]
    wells: dict[str, Any]
    springs: dict[str, Any]
    secrets: list[str] = field(default_factory=list)


def account(name: str) -> Any:
    return User.objects.create_user(name, password="a long enough phrase", display_name=name.title())


def worker(project: Any, name: str) -> Any:
    return Worker.objects.create(project=project, user=account(name), consented_version=1)


def dataset(project: Any, folder: Path, name: str, *, size: int = 3) -> Any:
    path = write_records(folder / f"{project.slug}-{name}.jsonl", size)
    importing.import_dataset(project, path, format="jsonl", name=name)
    return Dataset.objects.get(project=project, slug=name)


def build(folder: Path) -> World:
    """Both projects, filled."""
    wells, in_wells = _project(folder, "wells", requester="alice", workers=["bob", "carol"])
    springs, in_springs = _project(folder, "springs", requester="dave", workers=["erin"])
    account("frank")
    users = {user.username: user for user in User.objects.all()}
    secrets = [wells.pseudonym_key, springs.pseudonym_key]
    return World(users, in_wells, in_springs, secrets)


def _project(folder: Path, slug: str, *, requester: str, workers: list[str]) -> tuple[Any, dict[str, Any]]:
    project = Project.objects.create(slug=slug, title=f"Canary {slug}", consent=f"Canary consent of {slug}.")
    boss = account(requester)
    Member.objects.create(project=project, user=boss)
    people = [worker(project, name) for name in workers]
    held = dataset(project, folder, f"{slug}-set")
    batch = batching.create_batch(
        project, f"{slug}-1", task="answer", datasets=[held], guide="Canary guide.", assignments_per_hit=2
    )
    batching.launch(batch)
    batching.create_batch(project, f"{slug}-draft", task="answer", datasets=[held], guide="Read.")
    invited = joining.invite(project, role="worker", by=boss, places=9, note=f"canary note of {slug}")
    forgetful = account(f"forgetful-{slug}")  # never signs in, so that the link stays good
    found = {
        "slug": project.slug,
        "name": held.slug,
        "position": 0,
        "format": "jsonl",
        "batch": batch.slug,
        "move": "pause",
        "token": invited.token,
        "item": Hit.objects.filter(batch=batch).first().item_id,
        "worker-active.pk": people[0].pk,
        "invite-revoke.pk": invited.pk,
        "password-link.pk": people[0].user_id,
        "password-reset.uidb64": urlsafe_base64_encode(force_bytes(forgetful.pk)),
        "password-reset.token": default_token_generator.make_token(forgetful),
        "live.name": "search",
        "document": "datasheet",
        "preview-live.name": "search",
        "practice-live.name": "search",
        "number": 1,
        "preview-live.seed": 0,
    }
    found |= (
        _work(project, batch, people) | _compositions(project, held, people[0], boss) | _jobs(project, folder, boss)
    )
    return project, found


def _work(project: Any, batch: Any, people: list[Any]) -> dict[str, Any]:
    """The first worker answered once and has an assignment; the last one reported a problem."""
    answered = answer(people[0], batch)
    mine = take(people[0], batch)
    other = answered if len(people) == 1 else take(people[-1], batch)
    noted = flagging.flag(other, reason="unclear", text=f"canary report of {project.slug}")
    jobs.enqueue("score_batch", project=project, title="Report", arguments={"batch": batch.pk})
    jobs.work_off()
    of_batch = {f"{name}.pk": batch.pk for name in OF_WORKERS}
    of_flag = {f"{name}.pk": noted.pk for name in ("flag-keep", "flag-void", "flag-reopen")}
    of_hit = {f"{name}.public_id": answered.hit.public_id for name in OF_HITS}
    return {"public_id": mine.public_id, "answered": answered.public_id} | of_batch | of_flag | of_hit


def _compositions(project: Any, held: Any, composer: Any, boss: Any) -> dict[str, Any]:
    """One worker composed a question, which was drawn; a requester wrote to them about it."""
    batch = compose_batch(project, held, f"{project.slug}-composed")
    row = compose(composer, batch)
    sampling.draw(batch, user=boss)
    note = f"canary note of {project.slug}"
    told = telling.feedback(composer, batch, text=note, author=boss, assignment=row)
    of_answer = {f"{name}.public_id": row.public_id for name in OF_READING}
    of_batch = {f"{name}.batch": batch.slug for name in (*OF_READING, "review", "review-draw", "review-withdraw")}
    return of_answer | of_batch | {"feedback.pk": told.pk, "review-withdraw.pk": told.pk}


def _jobs(project: Any, folder: Path, boss: Any) -> dict[str, Any]:
    """A failed import, and a removal that can be undone."""
    arguments = {"path": str(folder / "gone"), "file_name": "f.jsonl", "format": "jsonl", "name": "later"}
    failed = Job.objects.create(
        project=project, kind="import_dataset", title="Import", arguments=arguments, due_at=timezone.now(),
        state=Job.State.FAILED, ended_at=timezone.now() - timedelta(minutes=1),
    )  # fmt: skip
    hidden = removing.begin(dataset(project, folder, f"{project.slug}-hidden", size=1), user=boss)
    ids = {f"{name}.public_id": failed.public_id for name in ("job", "job-again", "job-import")}
    return ids | {"dataset-restore.public_id": hidden.public_id}
