"""What the browser tests need from the installation's own database: `python -m tests.browser.server_side`.

Runs beside the web server in the installation's environment (annotation.settings). Each line of its input is
{"number", "verb", "given"}, each line of its output {"number", "found"} or {"number", "problem"}.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import traceback
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db import transaction  # noqa: E402
from django.template.loader import render_to_string  # noqa: E402
from django.urls import reverse  # noqa: E402
from django_otp.oath import totp  # noqa: E402

from annotation import jobs  # noqa: E402
from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.people import consent, members, two_factor  # noqa: E402
from annotation.flow.reports import batch_scores  # noqa: E402
from annotation.flow.reports.model_predictions import store_predictions  # noqa: E402
from annotation.flow.review import review_samples  # noqa: E402
from annotation.flow.work import next_assignment  # noqa: E402
from annotation.marketplaces.flow import arrivals  # noqa: E402
from annotation.models import (  # noqa: E402
    Assignment,
    Batch,
    Dataset,
    Hit,
    Job,
    Member,
    Participation,
    PrefetchedHit,
    Project,
    Review,
    User,
    Worker,
    WorkerResponse,
)
from annotation.pure.people import consent_text  # noqa: E402
from annotation.pure.people.consent_text import COUNTING, SUGGESTING  # noqa: E402
from annotation.registry import default_instructions, task_type  # noqa: E402
from annotation.tasktype import capabilities  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.browser import ablated, graphs, rated, records, sub_questions, two_paragraphs  # noqa: E402
from tests.conftest import answer_to  # noqa: E402
from tests.flow import acting  # noqa: E402
from tests.flow import compositions as compositions_by_hand  # noqa: E402
from tests.flow.suggesting import MODEL, choose  # noqa: E402
from tests.marketplaces import frames, panel  # noqa: E402
from tests.waiting import until  # noqa: E402

KINDS = records.KINDS | graphs.KINDS | two_paragraphs.KINDS | sub_questions.KINDS | ablated.KINDS | rated.KINDS
INSTRUCTIONS = "# Read, then answer\n\nSelect the *answer* and tick what it rests on."
fresh = count()


def session_of(user: Any) -> str:
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def batch(
    *,
    kind: str,
    options: dict[str, Any],
    task: str = "answer",
    predicted: Any = None,
    explained: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """An open batch over the records of a kind, in a project of its own.

    `predicted`: what it suggests for each; `explained`: with the task's own instructions.
    """
    slug = f"{kind}-{next(fresh)}"
    said = "We keep **what you answer**." + (f"\n\n{COUNTING}" if settings.get("counts_pasting") else "")
    said += f"\n\n{SUGGESTING}" if predicted else ""
    project = Project.objects.create(slug=slug, title=f"Project {slug}", consent=said)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "records.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in KINDS[kind]()), encoding="utf-8")
        dataset_import.import_dataset(project, file, format="jsonl", name="records")
    held = Dataset.objects.get(project=project)
    made = create_batch(
        project,
        "study",
        task=task,
        datasets=[held],
        instructions=default_instructions(task) if explained else INSTRUCTIONS,
        options={"own_words": "allow"} | options if kind == "canary" else options,
        title="A study",
        **{"same_order": True, **settings},
    )
    if predicted:
        rows = [{"item": pk, "run": 1, "answer": predicted} for pk in held.items.values_list("pk", flat=True)]
        store_predictions(made, MODEL, rows)
        choose(made)
    batch_launch.launch(made)
    return {"project": slug, "batch": made.pk}


def publish(*, batch: int, origin: str) -> list[tuple[str, str]]:
    """Put a batch on the marketplace of that origin; for each HIT its frame's address and its id there."""
    frames.publish(Batch.objects.get(pk=batch), origin=origin)
    hits = Hit.objects.filter(batch=batch).select_related("publication").order_by("ticket")
    return [(arrivals.frame_path(hit), hit.publication.external_id) for hit in hits]


def study(*, batch: int, hits: int) -> str:
    """Make a batch a study of a panel with a link; the path of its participants' link."""
    return panel.put_on_panel(Batch.objects.get(pk=batch), hits=hits)


def person(*, batch: int, password: str = "", ready: bool = True) -> dict[str, Any]:
    """A new annotator with a session and practice behind them; if `ready`, consent is given, the guide read and an
    assignment taken."""
    of = Batch.objects.get(pk=batch)
    user = User.objects.create_user(f"reader-{next(fresh)}", password=password or None, display_name="Reader")
    worker = Worker.objects.create(project=of.project, user=user)
    found = {"name": user.username, "session": session_of(user), "batch": batch, "project": of.project.slug}
    worker_page = next_assignment.join_batch(worker, of)
    Participation.objects.filter(pk=worker_page.pk).update(practised=99)
    if not ready:
        return found
    consent.give(worker, version=of.project.consent_version)
    next_assignment.read_instructions(worker_page, version=of.instructions.version)
    return found | {"assignment": next_assignment.claim(next_assignment.join_batch(worker, of)).public_id}


def requester(*, batch: int, password: str = "") -> dict[str, Any]:
    """A new requester of the batch's project with a session."""
    user = User.objects.create_user(f"boss-{next(fresh)}", password=password or None, display_name="Boss")
    Member.objects.create(project=Batch.objects.get(pk=batch).project, user=user)
    return {"name": user.username, "session": session_of(user)}


def newcomer(*, password: str) -> str:
    """The name of somebody who owns an empty project and nothing else."""
    number = next(fresh)
    user = User.objects.create_user(f"new-{number}@lab.example", password=password)
    project = Project.objects.create(slug=f"new-{number}", title="New", consent=consent_text.DEFAULT)
    Member.objects.create(project=project, user=user, role=Member.Role.OWNER)
    return str(user.username)


def joined(*, token: str, disagreed: str = "") -> int:
    """As many people as an invite link has places for join by it, and answer all that is open to them; responses.

    Each answers the question `disagreed` by another word of the first paragraph.
    """
    invited, count = members.usable_invite(token), 0
    while invited:
        user = User.objects.create_user(f"reader-{next(fresh)}")
        members.accept_invite(invited, user)
        worker = Worker.objects.get(project=invited.project, user=user)
        consent.give(worker, version=invited.project.consent_version)
        for open_batch in Batch.objects.filter(project=invited.project, state=Batch.State.OPEN):
            while assignment := acting.take(worker, open_batch):
                answer = answer_to(assignment) | {"support": []}
                if disagreed and assignment.hit.payload["question"] == disagreed:
                    answer |= word_of(assignment, user.pk)
                acting.submit(assignment, answer)
                count += 1
        invited = members.usable_invite(token)
    return count


def word_of(assignment: Assignment, number: int) -> dict[str, Any]:
    """An answer: one of the first paragraph's longer words."""
    words = list(re.finditer(r"\w{4,}", assignment.hit.payload["paragraphs"][0]["text"]))
    word = words[number % len(words)]
    return {"text": word[0], "paragraph": 0, "start": word.start(), "end": word.end()}


def guarded(*, password: str) -> str:
    """The name of a new person who signs in with a second factor."""
    user, key = User.objects.create_user(f"guarded-{next(fresh)}", password=password), two_factor.proposed_key()
    two_factor.confirm(user, key, f"{totp(bytes.fromhex(key)):06}")
    return str(user.username)


def sign_in(*, name: str) -> str:
    """Another session of the same person."""
    return session_of(User.objects.get(username=name))


def answers(*, batch: int) -> list[dict[str, Any]]:
    """Every stored answer of a batch, the oldest first, with the texts that its offsets point into."""
    rows = WorkerResponse.objects.filter(assignment__batch=batch).select_related("assignment__hit").order_by("pk")
    return [
        {
            "assignment": row.assignment.public_id,
            "revision": row.revision,
            "answer": row.answer,
            "page_counts": row.page_counts,
            "texts": [p["text"] for p in row.assignment.hit.payload.get("paragraphs", ())],
            "titles": [p["title"] for p in row.assignment.hit.payload.get("paragraphs", ())],
        }
        for row in rows
    ]


def launched(*, project: str, name: str) -> dict[str, Any]:
    """A batch that a page made."""
    found = Batch.objects.get(project__slug=project, slug=name)
    return {"batch": found.pk, "options": found.options}


def draft(*, assignment: str) -> dict[str, Any]:
    row = Assignment.objects.get(public_id=assignment)
    return {"draft": row.draft, "version": row.draft_version, "state": row.state, "seconds": row.active_seconds}


def prefetched(*, batch: int) -> int:
    """How many HITs are held for workers."""
    return PrefetchedHit.objects.filter(batch=batch).count()


def change_instructions(*, batch: int) -> int:
    return batch_launch.change_instructions(Batch.objects.get(pk=batch), INSTRUCTIONS + "\n\nAnd breathe.").version


def render(*, template: str, context: dict[str, Any]) -> str:
    """A page that no test can easily bring about, as the server would show it."""
    return render_to_string(template, context)


def furnish() -> dict[str, Any]:
    """A site with something behind every address; sessions by name, and the addresses of the first project."""
    from tests.security import routes, world

    with tempfile.TemporaryDirectory() as folder:
        built = world.build(Path(folder))
    sessions = {name: session_of(user) for name, user in built.users.items() if user is not None}
    return {"sessions": sessions, "urls": routes.urls(built), "answered": built.wells["answered"]}


def retitle(*, titles: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Set the titles of batches and jobs, and the names of datasets; returns those they had.

    {"batches" or "jobs" or "datasets": {primary key: title}}; without primary keys, {"": title}, of all there are. A
    dataset's name ends with its primary key then, since names are unique.
    """
    kinds = {"batches": (Batch, "title"), "jobs": (Job, "title"), "datasets": (Dataset, "slug")}
    before: dict[str, dict[str, str]] = {}
    for kind, given in titles.items():
        model, column = kinds[kind]
        rows = model.objects.all() if "" in given else model.objects.filter(pk__in=given)
        before[kind] = {str(pk): old for pk, old in rows.values_list("pk", column)}
        for pk in before[kind]:
            title = given.get(pk) or (f"{given['']}-{pk}" if kind == "datasets" else given[""])
            model.objects.filter(pk=pk).update(**{column: title})
    return before


def strange_hits(*, questions: list[str], title: str = "Of a stranger") -> dict[str, Any]:
    """HITs that another program listed in a project that everybody may join, and a worker of it."""
    from tests.mturk_api import external_hits

    project = Project.objects.create(slug=f"strange-{next(fresh)}", title="Strangers", consent="We keep it.")
    kind = external_hits.hit_type(project, title=title)
    for question in questions:
        external_hits.hit_of(kind, question)
    user = User.objects.create_user(f"reader-{next(fresh)}", display_name="Reader")
    worker = Worker.objects.create(project=project, user=user, consented_version=1)
    return {"session": session_of(user), "batch": kind.batch_id, "worker": worker.public_id}


def compositions(*, batch: int, workers: int, each: int) -> list[str]:
    """New workers compose `each` questions; the workers' sessions, everything drawn to be read."""
    of, sessions = Batch.objects.get(pk=batch), []
    for _ in range(workers):
        user = User.objects.create_user(f"composer-{next(fresh)}", display_name="Composer")
        composer = Worker.objects.create(project=of.project, user=user)
        consent.give(composer, version=of.project.consent_version)
        for _ in range(each):
            compositions_by_hand.compose(composer, of)
        Participation.objects.filter(batch=of, worker=composer).update(practised=99)
        sessions.append(session_of(user))
    review_samples.draw(of)
    return sessions


def reported(*, batch: int, workers: int, models: list[str] | None = None) -> str:
    """New workers do all HITs, mostly right, models predict all, and the report is computed; its path."""
    of, rng = Batch.objects.select_related("project").get(pk=batch), Random(1)
    for _ in range(workers):
        worker = acting.newcomer(of.project, f"reader-{next(fresh)}")
        while row := acting.take(worker, of):
            gold, right = row.hit.item.example, rng.random() < 0.8
            said = capabilities.imitate(task_type(of.task), row.hit.payload, gold, rng, right=right)
            acting.submit(row, said, key=f"0.{row.pk}")
    for model in models or ():
        rows = [
            {"item": hit.item_id, "run": 1, "answer": said}
            for hit in of.hits.select_related("item")
            for said in [capabilities.imitate(task_type(of.task), hit.payload, hit.item.example, rng, right=True)]
        ]
        with transaction.atomic():
            store_predictions(of, model, rows)
    until(lambda: _is_scored(of))
    return reverse("report", args=[of.project.slug, of.slug])


def _is_scored(batch: Batch) -> bool:
    """Whether the report is current: of two runs at once neither counts as such, and one of them is the server's."""
    if batch.project.jobs.filter(kind="score_batch", state__in=[Job.State.WAITING, Job.State.RUNNING]).exists():
        return False
    report = batch_scores.kept_report(batch)
    if report and batch_scores.is_fresh(batch, report):
        return True
    batch_scores.score_batch(batch)
    return False


def decisions(*, batch: int) -> list[dict[str, Any]]:
    """Every row of a review, the oldest first."""
    rows = Review.objects.filter(assignment__batch=batch).order_by("pk")
    result = rows.values("assignment__public_id", "revision", "decision", "marks", "text", "reason")
    return [row | {"assignment": row.pop("assignment__public_id")} for row in result]


def work_off() -> None:
    """Run the jobs that wait."""
    jobs.run_due_work()


VERBS = {
    f.__name__: f
    for f in (
        batch,
        publish,
        study,
        person,
        requester,
        sign_in,
        answers,
        draft,
        launched,
        prefetched,
        change_instructions,
        render,
        furnish,
        retitle,
        strange_hits,
        compositions,
        reported,
        decisions,
        guarded,
        newcomer,
        joined,
        work_off,
    )
}


def reply(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"number": asked["number"], "found": VERBS[asked["verb"]](**asked["given"])}
    except Exception:
        return {"number": asked["number"], "problem": traceback.format_exc()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(reply(json.loads(line))), flush=True)
