"""Two projects that must not see each other, with something behind every address of the site.

`wells`: Alice owns it, Quinn is a requester, Rita a reviewer, Bob and Carol answer. `springs`: Dave owns it, Erin
answers. Frank has an account, no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from annotation import jobs
from annotation.bridges.models import BrokenBridge
from annotation.flow.batches import batch_launch, experiments
from annotation.flow.data import dataset_import, dataset_removal
from annotation.flow.money import ledger, payouts
from annotation.flow.notifications import announcements, worker_messages
from annotation.flow.people import members, qualification_rounds, qualification_types
from annotation.flow.projects import api_tokens
from annotation.flow.reports import preregistration
from annotation.flow.reports.model_predictions import store_predictions
from annotation.flow.review import comments, problem_reports, review_samples, worker_feedback
from annotation.judges import runs as model_runs
from annotation.marketplaces.flow import arrivals, connections
from annotation.marketplaces.models import Difference, PanelStudy
from annotation.models import Assignment, Dataset, Hit, Job, Member, Project, User, Worker
from annotation.mturk_api.flow import access_keys
from annotation.studies import folders
from annotation.studies.launch import begin
from annotation.templatetags.external_question_tags import QUESTION
from annotation.webhooks import deliveries, subscriptions
from tests.batches import create_batch, create_round
from tests.conftest import write_records
from tests.flow.compositions import compose, compose_batch
from tests.marketplaces.frames import publish
from tests.mturk_api import external_hits
from tests.views.console import answer, take

OF_WORKERS = ("batch-start", "batch-instructions", "batch-done", "practice", "practice-done", "practice-live")
OF_READING = ("review-answer", "review-undo", "review-choose", "review-feedback")
OF_HITS = (
    "hit",
    "hit-open",
    "hit-exclude",
    "hit-restore",
    "adjudicate-hit",
    "adjudicate-undo",
    "gold-item",
    "gold-undo",
)
IN_FRAME = "consent instructions feedback practice practice-done submit draft extend report-problem return"
ACTS_IN_FRAME = [f"frame-{act}" for act in IN_FRAME.split()]
OF_FRAMES = ["frame", "frame-preview-live", "frame-live", "frame-practice-live", *ACTS_IN_FRAME]
OF_LISTED = ["marketplace-hit", "marketplace-accept"]
OF_WEBHOOKS = ["webhook", *(f"webhook-{act}" for act in ("test", "active", "rotate", "remove")), "delivery-again"]
TYPE_ACTS = ["edit", "delete", "restore", "grant", "rule", "revoke", "undo", "requests", "ask"]
OF_TYPES = ["qualification", "qualification-test", *(f"qualification-{act}" for act in TYPE_ACTS)]
PREDICTED = "canary of a model's prediction"
ROLES = ["anonymous", "frank", "bob", "carol", "alice", "quinn", "rita", "erin", "dave"]
REPRESENTATIVES = {"anonymous", "bob", "alice"}  # a stranger, a worker, an owner
# What holds of a page whoever looks at it is asked as an owner and a stranger in every run, and as the others in the
# soak.
SOME_ROLES = [role if role in {"anonymous", "alice"} else pytest.param(role, marks=pytest.mark.soak) for role in ROLES]

# what stands in addresses whatever the project
WORDS: dict[str, Any] = {
    "study.name": "musique-human-score",  # the same in every project
    "study-scores.name": "musique-human-score",
    "position": 0,
    "version": 1,
    "format": "jsonl",
    "move": "pause",
    "live.name": "search",
    "report-table.name": "human-performance",  # of every report of answers
    "report-table.suffix": "csv",
    "report-export.form": "latex",
    "dataset-table.table": "figures-1",
    "dataset-table.suffix": "csv",
    "compare-table.name": "batches",
    "compare-table.suffix": "csv",
    "document": "datasheet",
    "preview-live.name": "search",
    "practice-live.name": "search",
    "number": 1,
    "preview-live.seed": 0,
}


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
    dataset_import.import_dataset(project, path, format="jsonl", name=name)
    return Dataset.objects.get(project=project, slug=name)


def build(folder: Path) -> World:
    """Both projects, filled."""
    wells, in_wells = _project(folder, "wells", requester="alice", workers=["bob", "carol"])
    springs, in_springs = _project(folder, "springs", requester="dave", workers=["erin"])
    account("frank")
    for name, role in (("quinn", Member.Role.REQUESTER), ("rita", Member.Role.REVIEWER)):
        Member.objects.create(project=wells, user=account(name), role=role)
    users = {user.username: user for user in User.objects.all()}
    secrets = [wells.pseudonym_key, springs.pseudonym_key]
    return World(users, in_wells, in_springs, secrets)


def _project(folder: Path, slug: str, *, requester: str, workers: list[str]) -> tuple[Any, dict[str, Any]]:
    project = Project.objects.create(slug=slug, title=f"Canary {slug}", consent=f"Canary consent of {slug}.")
    boss = account(requester)
    Member.objects.create(project=project, user=boss)
    people = [worker(project, name) for name in workers]
    held = dataset(project, folder, f"{slug}-set")
    batch = create_batch(
        project, f"{slug}-1", task="answer", datasets=[held], instructions="Canary guide.", assignments_per_hit=2
    )
    batch_launch.launch(batch)
    preregistration.register(batch, {"hypotheses": f"canary hypothesis of {slug}", "analysis": "A paired test."})
    create_batch(project, f"{slug}-draft", task="answer", datasets=[held], instructions="Read.")
    published = _published(project, held)
    found = WORDS | _people(project, boss, people) | _keys(project, boss)
    found |= {
        "slug": project.slug,
        "name": held.slug,
        "report-chart.name": f"measures-{held.slug}",
        "batch": batch.slug,
        "item": Hit.objects.filter(batch=batch).first().item_id,
        "notice-open.pk": _told(project, batch, people[0]),
    }
    found |= {f"{name}.public_id": published.public_id for name in OF_FRAMES}
    found |= {"frame-preview-live.k": arrivals.signature(published), "frame-feedback.pk": 1}
    found |= {f"{name}.name": "search" for name in OF_FRAMES}
    found |= _members(project)
    found |= _marketplaces(project, published)
    found |= _webhooks(project)
    found["study-run.run"] = found["study-scores.run"] = _study_run(project)
    found["broken-bridge-undo.pk"] = _broken_bridge(project, batch)
    found |= _model_run(batch) | _predicted(batch)
    found |= _qualified(project, people)
    found |= (
        _work(project, batch, people) | _compositions(project, held, people[0], boss) | _jobs(project, folder, boss)
    )
    found |= _money(project, people[0])
    found |= _listed(project, batch)
    found |= _commented(batch, boss)
    found |= _round(project, held, people[0])
    return project, found | _experiment(project, held)


def _model_run(batch: Any) -> dict[str, Any]:
    """A model that was not asked yet."""
    made = model_runs.draft(batch, endpoint="https://models.example.org/v1", model="canary-model", most_calls=5)
    pages = ("model-run", *(f"model-run-{act}" for act in ("send", "pause", "discard")))
    return {f"{page}.run": made.public_id for page in pages}


def _predicted(batch: Any) -> dict[str, Any]:
    """A model's prediction for each item."""
    answer = {"kind": "answer", "text": PREDICTED, "support": [0]}
    rows = [{"item": item.pk, "run": 1, "answer": answer, "cost": "0.001"} for item in batch.datasets.get().items.all()]
    store_predictions(batch, "canary-judge", rows)
    return {"api-batch-model.pk": batch.models.get().pk}


def _experiment(project: Any, held: Any) -> dict[str, Any]:
    """Two arms that nobody drew yet."""
    arms = []
    for name in ("plain", "hints"):
        terms = {"task": "answer", "datasets": [held], "instructions": "Canary guide.", "sample": 1, "disjoint": False}
        arms.append(create_batch(project, f"{project.slug}-{name}", **terms))
        batch_launch.launch(arms[-1])
    made = experiments.join(project, f"{project.slug}-arms", arms, title=f"Canary note of {project.slug}")
    pages = ("experiment", "experiment-remove", "experiment-scores")
    return {"experiment-start.token": made.token} | {f"{page}.name": made.slug for page in pages}


def _people(project: Any, boss: Any, people: list[Any]) -> dict[str, Any]:
    """An invite, a link that sets a password, and what is done with the first worker."""
    invited = members.invite(project, role="worker", by=boss, places=9, note=f"canary note of {project.slug}")
    forgetful = account(f"forgetful-{project.slug}")  # never signs in, so that the link stays good
    return {
        "token": invited.token,
        "worker-active.pk": people[0].pk,
        "worker-erase.pk": people[0].pk,
        **{f"annotator{verb}.pk": people[0].pk for verb in ("", "-pause", "-resume", "-block", "-unblock")},
        "worker-messages.pk": people[0].pk,
        "worker-unblock.pk": people[0].pk,
        "invite-revoke.pk": invited.pk,
        "session-end.pk": 1,
        "password-link.pk": people[0].user_id,
        "password-reset.uidb64": urlsafe_base64_encode(force_bytes(forgetful.pk)),
        "password-reset.token": default_token_generator.make_token(forgetful),
    }


def _keys(project: Any, boss: Any) -> dict[str, Any]:
    """What scripts of the requester call with."""
    token, _text = api_tokens.make(boss, project=project, note="canary")
    return {"access-key-revoke.pk": access_keys.make(project, boss).pk, "token-revoke.pk": token.pk}


def _told(project: Any, batch: Any, person: Any) -> int:
    """A notice to a worker."""
    announcements.notify([person.user], "work", project=project, key="canary", batch=batch)
    return int(person.user.notices.get(key="canary").pk)


def _commented(batch: Any, boss: Any) -> dict[str, Any]:
    """The owner's comment on a HIT, on its item and on a response to it."""
    note = f"canary note of {batch.project.slug}"
    done = Assignment.objects.submitted().filter(batch=batch).select_related("hit__item").first()
    made = comments.add(boss, note, hit=done.hit)
    comments.add(boss, note, item=done.hit.item)
    comments.add(boss, note, assignment=done)
    return {"comment-add.kind": "hit", "comment-add.name": done.hit.public_id, "comment-erase.pk": made.pk}


def _round(project: Any, held: Any, person: Any) -> dict[str, Any]:
    """A round that one worker went through, and the draft of another; the worker's quality in the first batch."""
    terms = {"task": "answer", "datasets": [held], "per_worker": 2, "tries": 1, "instructions": "Canary guide."}
    grants = qualification_rounds.grant_type(project, f"Canary readers of {project.slug}")
    free = {"grants": grants, "disjoint": False, "fresh_only": False}
    taken = create_round(project, f"{project.slug}-round", **terms, **free).batch
    drafted = create_round(project, f"{project.slug}-round-draft", **terms, **free).batch
    batch_launch.launch(taken)
    for _item in range(2):
        answer(person, taken)
    of_round = {f"{name}.batch": taken.slug for name in ("round", "round-grant", "round-undo", "round-file")}
    return of_round | {"round-edit.batch": drafted.slug, "round-again.pk": taken.pk, **_named(person)}


def _named(person: Any) -> dict[str, Any]:
    """A worker as pages' addresses have them, and as the API's do."""
    return {"worker": person.pk, "annotator": person.public_id}


def _listed(project: Any, batch: Any) -> dict[str, Any]:
    """HITs of another program: a form, and HTML of its own."""
    kind = external_hits.hit_type(project, title=f"Canary note of {project.slug}", description="Canary guide.")
    page = external_hits.hit_of(external_hits.hit_type(project, title="Canary guide"), external_hits.HTML)
    of_hit = {f"{name}.public_id": external_hits.hit_of(kind, external_hits.FORM).public_id for name in OF_LISTED}
    of_group = {"marketplace-group.pk": kind.batch_id, "marketplace-start.pk": batch.pk}
    return of_hit | of_group | {"html-question.token": signing.dumps(page.pk, salt=QUESTION)}


def _money(project: Any, payee: Any) -> dict[str, Any]:
    """A budget, of which somebody is owed a part that is in a payout."""
    ledger.deposit(project, Decimal(50), key="canary", note=f"canary note of {project.slug}'s budget")
    ledger.move(project, ledger.AVAILABLE, ledger.owed_to(payee.pk), Decimal(2), kind="bonus", key="c", worker=payee)
    line = payouts.make_payout(project).lines.get()
    return {"payout-line.pk": line.pk, "payout.number": 1, "payout-file.number": 1}


def _members(project: Any) -> dict[str, Any]:
    """Besides its owner a reviewer, and somebody who was removed."""
    for name in ("clerk", "former"):
        members.add_member(project, account(f"{name}-{project.slug}"), "reviewer")
    clerk, former = project.members.filter(role="reviewer").select_related("user").order_by("pk")
    members.remove(former)
    return {"member-role.pk": clerk.pk, "member-remove.pk": clerk.pk, "member-restore.pk": former.user_id}


def _marketplaces(project: Any, published: Hit) -> dict[str, Any]:
    """One that nobody calls, since it is closed, and a batch on another one."""
    closed = connections.add(project, "closed", preset="aws", key_id="AKIACLOSED", secret=f"canary of {project.slug}")
    of_place = {f"marketplace-{act}.pk": closed.pk for act in ("keys", "test", "remove")}
    of_batch = dict.fromkeys(("batch-marketplace.batch", "batch-marketplace-act.batch"), published.batch.slug)
    return of_place | of_batch | {"act": "until"} | _differences(project, closed, published)


def _differences(project: Any, place: Any, published: Hit) -> dict[str, Any]:
    """A study whose books differ from the marketplace's."""
    terms = {"hits_per_visit": 1, "reward": 1, "places": 5, "minutes": 5, "max_minutes": 20}
    study = PanelStudy.objects.create(batch=published.batch, connection=place, **terms)
    facts = {"theirs": "4", "ours": f"canary note of {project.slug}"}
    row = Difference.objects.create(study=study, kind=Difference.Kind.PLACES, facts=facts)
    pages = ("differences", "compare", "difference-act", "study-act", "study-pay-file", "visit-preview")
    of_batch = {f"batch-{name}.batch": published.batch.slug for name in pages}
    of_batch |= {"batch-study-act.act": "paid", "batch-visit-preview.step": "welcome"}
    return of_batch | {"batch-difference-act.pk": row.pk, "marketplace-events.pk": place.pk}


def _webhooks(project: Any) -> dict[str, Any]:
    """One that nobody listens at, and a test that failed."""
    url, note = "http://127.0.0.1:45999/", f"canary note of {project.slug}"
    made = subscriptions.add(project, url=url, kinds=["progress"], note=note)
    delivery = deliveries.test(made)
    return {f"{name}.public_id": made.public_id for name in OF_WEBHOOKS} | {"delivery-again.pk": delivery.pk}


def _study_run(project: Any) -> str:
    """The name of a study's run that nothing was launched of."""
    return begin(project, folders.read(WORDS["study.name"]), {"small": True, "run": f"{project.slug}-run"}).slug


def _broken_bridge(project: Any, batch: Any) -> int:
    words = {"head": "Which well did Ana Brook dig?", "tail": "Which tower stands beside #1?", "entity": "Well 0"}
    found = {"key": "0" * 64, "hit": batch.hits.order_by("pk")[0], "searched_at": timezone.now()}
    return int(BrokenBridge.objects.create(project=project, **found, **words).pk)


def _published(project: Any, held: Any) -> Hit:
    """A HIT on a marketplace."""
    batch = create_batch(project, f"{project.slug}-out", task="answer", datasets=[held], sample=1, instructions="")
    batch_launch.launch(batch)
    publish(batch)
    return Hit.objects.get(batch=batch)


def _work(project: Any, batch: Any, people: list[Any]) -> dict[str, Any]:
    """The first worker answered once and has an assignment; the last one reported a problem."""
    answered = answer(people[0], batch)
    Assignment.objects.filter(pk=answered.pk).update(auto_approve_at=timezone.now() + timedelta(days=7))
    mine = take(people[0], batch)
    other = answered if len(people) == 1 else take(people[-1], batch)
    noted = problem_reports.report_problem(other, reason="unclear", text=f"canary report of {project.slug}")
    jobs.enqueue("score_batch", project=project, title="Report", arguments={"batch": batch.pk})
    jobs.run_due_work()
    of_batch = {f"{name}.pk": batch.pk for name in OF_WORKERS}
    of_flag = {
        f"{name}.pk": noted.pk for name in ("problem-report-keep", "problem-report-exclude", "problem-report-reopen")
    }
    of_hit = {f"{name}.public_id": answered.hit.public_id for name in OF_HITS}
    own = {"public_id": mine.public_id, "answered": answered.public_id, "approval.public_id": answered.public_id}
    own |= {"thread.public_id": answered.public_id, "my-thread.public_id": mine.public_id}
    return own | of_batch | of_flag | of_hit


def _qualified(project: Any, people: list[Any]) -> dict[str, Any]:
    """A qualification that the first worker holds and the last one asks for; a letter to the first."""
    kind = qualification_types.create_type(project, f"Canary note of {project.slug}", description="Canary guide.")
    qualification_types.grant(kind, people[0], 80, source="hand")
    qualification_types.request(kind, people[-1])
    worker_messages.send(people[0], "", f"canary note of {project.slug}")
    return {f"{name}.public_id": kind.public_id for name in OF_TYPES}


def _compositions(project: Any, held: Any, composer: Any, boss: Any) -> dict[str, Any]:
    """One worker composed a question, which was drawn; a requester wrote to them about it."""
    batch = compose_batch(project, held, f"{project.slug}-composed")
    row = compose(composer, batch)
    review_samples.draw(batch, user=boss)
    note = f"canary note of {project.slug}"
    result = worker_feedback.feedback(composer, batch, text=note, author=boss, assignment=row)
    of_answer = {f"{name}.public_id": row.public_id for name in OF_READING}
    of_batch = {f"{name}.batch": batch.slug for name in (*OF_READING, "review", "review-draw", "review-withdraw")}
    return of_answer | of_batch | {"feedback.pk": result.pk, "review-withdraw.pk": result.pk}


def _jobs(project: Any, folder: Path, boss: Any) -> dict[str, Any]:
    """A failed import, and a removal that can be undone."""
    arguments = {"path": str(folder / "gone"), "file_name": "f.jsonl", "format": "jsonl", "name": "later"}
    failed = Job.objects.create(
        project=project, kind="import_dataset", title="Import", arguments=arguments, due_at=timezone.now(),
        state=Job.State.FAILED, ended_at=timezone.now() - timedelta(minutes=1),
    )  # fmt: skip
    hidden = dataset_removal.begin(dataset(project, folder, f"{project.slug}-hidden", size=1), user=boss)
    ids = {f"{name}.public_id": failed.public_id for name in ("job", "job-again", "job-import")}
    return ids | {"dataset-restore.public_id": hidden.public_id} | _binned(project)


def _binned(project: Any) -> dict[str, Any]:
    """A draft in the bin, beside the dataset that is there; another draft that may be put there."""
    held = Dataset.objects.get(project=project, slug=f"{project.slug}-set")
    name = f"{project.slug}-thrown"
    batch_launch.discard_draft(create_batch(project, name, task="answer", datasets=[held], instructions="Read."))
    of_batch = {"batch-restore.batch": name, "batch-erase.batch": name, "batch-remove.batch": f"{project.slug}-draft"}
    return of_batch | {"dataset-erase.name": f"{project.slug}-hidden"}
