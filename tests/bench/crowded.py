"""A project with as many responses as one likes, multiplied in the database from one of each row that the product made.

For PostgreSQL: rows are copied by INSERT … SELECT over generate_series, so ten million take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import connection, models

from annotation import jobs  # noqa: F401 - names all figures that are kept
from annotation.flow.batches import cached_figures
from annotation.flow.reports import batch_scores
from annotation.models import (
    Assignment,
    Batch,
    BatchActivity,
    BatchReport,
    Dataset,
    Hit,
    Item,
    Member,
    Participation,
    Project,
    User,
    Worker,
    WorkerResponse,
    clock,
)
from tests.flow.acting import dataset_of, launched, newcomer, submit, take

EACH = 10  # responses to a HIT
SAMPLE = 300  # HITs of the small batch, whose report is computed
WORKERS = 2_000
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Crowded:
    """What was made: the person who runs the project, one of its workers, and batches: done, not done, and small."""

    alice: User
    worker: Worker
    done: Batch
    open: Batch
    sample: Batch


def multiply(row: models.Model, series: str, **expressions: str) -> None:
    """Copy a row for every `n` of the series; the columns named get an SQL expression over `n` and `t`, the row."""
    columns, values = [], []
    for field in row._meta.concrete_fields:
        if not field.primary_key and not isinstance(field, models.GeneratedField):
            columns.append(f'"{field.column}"')
            values.append(expressions.get(field.column, f't."{field.column}"'))
    table = row._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ({", ".join(columns)}) SELECT {", ".join(values)} '
            f'FROM "{table}" t, {series} WHERE t.id = {row.pk}'
        )
        cursor.execute(f'ANALYZE "{table}"')  # or checks of foreign keys keep the plan for an empty table


@contextmanager
def _plain_tables(*tables: type[models.Model], tell: Told) -> Iterator[None]:
    """Fill them without foreign keys' checks, and make their indexes afterwards: several times as fast."""
    names = [table._meta.db_table for table in tables]
    with connection.cursor() as cursor:
        cursor.execute(
            "SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off"
        )
        cursor.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s) "
            "AND indexname NOT IN (SELECT conname FROM pg_constraint)",
            [names],
        )
        indexes = cursor.fetchall()
        for name, _definition in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
    yield
    with connection.cursor() as cursor:
        for name, definition in indexes:
            tell(name)
            cursor.execute(definition)
        cursor.execute("RESET session_replication_role; RESET maintenance_work_mem; RESET synchronous_commit")


def crowd(folder: Path, *, batches: int, hits: int, tell: Told = lambda _text: None) -> Crowded:
    """A project of `batches` × `hits` HITs with ten responses each, of which the last batch lacks two.

    Besides them a small batch (0), whose report becomes that of the others.
    """
    seed = _seed(folder)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
    with _plain_tables(Item, Hit, Assignment, WorkerResponse, tell=tell):
        for fill in (_people, _items, _hits, _participations, _assignments, _answers):
            tell(fill.__name__.strip("_"))
            fill(seed, batches, hits)
    newcomer(seed.batch.project, "next-one")
    with connection.cursor() as cursor:
        # as if sweeps had worked everything out: one HIT in fifty is open, one in a hundred has gold in doubt
        cursor.execute(
            "UPDATE annotation_hit SET concluded = changes, standing = done, "
            "open_kind = CASE WHEN id % 50 = 0 THEN 'split' END, in_doubt = id % 100 = 1"
        )
        cursor.execute(f"UPDATE annotation_batch SET state = 'open' WHERE slug = 'many-{batches}'")
        tell("statistics")
        cursor.execute("VACUUM ANALYZE" if connection.get_autocommit() else "ANALYZE")
    tell("counts and reports")
    made = found()
    _reports(made)
    return made


def _reports(made: Crowded) -> None:
    """The small batch's report for every batch: computing theirs would take an hour."""
    content = batch_scores.score_batch(made.sample)
    for batch in made.done.project.batches.filter(slug__startswith="many-").exclude(pk=made.sample.pk):
        BatchReport.objects.create(batch=batch, content=content, stand=batch_scores.version_key(batch))
        BatchActivity.objects.update_or_create(batch=batch, defaults={"counted_at": clock.now()})
        cached_figures.count(batch)


def _people(seed: _Seed, _batches: int, _hits: int) -> None:
    multiply(seed.worker.user, f"generate_series(1, {WORKERS}) n", username="'person-' || n", name_key="'person-' || n")
    users = "(SELECT id AS n FROM annotation_user WHERE username LIKE 'person-%') n"
    multiply(seed.worker, users, user_id="n", public_id="'W' || n")


def _items(seed: _Seed, batches: int, hits: int) -> None:
    numbers, name = f"generate_series(0, {batches}) n", "'many-' || n"
    size = f"CASE n WHEN 0 THEN {SAMPLE} ELSE {hits} END"
    multiply(seed.dataset, numbers, slug=name, size=size)
    multiply(seed.batch, numbers, slug=name, size=size, next_ticket=size, state="'closed'")
    places = (
        "(SELECT d.id AS dataset, k FROM annotation_dataset d, generate_series(0, d.size - 1) k "
        "WHERE d.slug LIKE 'many-%') n"
    )
    known = {"source_id": "'many-' || n.k", "group_key": "n.dataset || ':' || n.k"}
    known |= {"question": "t.question || ' ' || md5(n.k::text)"}
    multiply(seed.item, places, dataset_id="n.dataset", position="n.k", **known)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO annotation_batch_datasets (batch_id, dataset_id) SELECT b.id, d.id FROM annotation_batch b "
            "JOIN annotation_dataset d ON d.slug = b.slug WHERE b.slug LIKE 'many-%'"
        )


def _hits(seed: _Seed, batches: int, _hits: int) -> None:
    items = (
        "(SELECT i.id AS item, i.position AS k, i.group_key AS g, b.id AS batch, b.slug = "
        f"'many-{batches}' AS last FROM annotation_item i JOIN annotation_dataset d ON d.id = i.dataset_id "
        "JOIN annotation_batch b ON b.slug = d.slug WHERE b.slug LIKE 'many-%') n"
    )
    counters = {"wanted": str(EACH), "live": "0", "done": f"CASE WHEN n.last THEN {EACH - 2} ELSE {EACH} END"}
    counters |= {"disagreement": "round(random()::numeric, 2)", "score": "round(random()::numeric, 2)"}
    names = {"public_id": "'h' || n.item", "group_key": "n.g", "ticket": "n.k"}
    multiply(seed.hit, items, item_id="n.item", batch_id="n.batch", **counters, **names)


def _participations(seed: _Seed, _batches: int, hits: int) -> None:
    pairs = (
        "(SELECT w.id AS worker, b.id AS batch FROM annotation_worker w, annotation_batch b "
        "WHERE b.slug LIKE 'many-%') n"
    )
    done = {
        "done": str(hits * EACH // WORKERS),
        "worked_at": "now() - ((n.worker + n.batch) % 700) * interval '1 hour'",
    }
    multiply(seed.participation, pairs, batch_id="n.batch", worker_id="n.worker", **done)


def _assignments(seed: _Seed, _batches: int, _hits: int) -> None:
    taken = (
        f"(SELECT h.id AS hit, h.batch_id AS batch, h.group_key AS g, h.id * {EACH} + j AS number, "
        f"first.id + (h.id * 7 + j * 401) % {WORKERS} AS worker, "
        f"now() - (h.id % 700) * interval '1 hour' AS at FROM annotation_hit h, generate_series(0, {EACH - 1}) j, "
        "(SELECT min(id) AS id FROM annotation_worker WHERE public_id LIKE 'W%') first "
        "WHERE h.public_id LIKE 'h%' AND j < h.done) n"
    )
    keys = {"hit_id": "n.hit", "batch_id": "n.batch", "worker_id": "n.worker", "group_key": "n.g"}
    times = {"accepted_at": "n.at", "submitted_at": "n.at + interval '90 seconds'"}
    multiply(seed.assignment, taken, public_id="'3' || lpad(n.number::text, 29, '0')", **keys, **times)


def _answers(seed: _Seed, _batches: int, _hits: int) -> None:
    given = (
        "(SELECT a.id AS assignment, a.submitted_at AS at FROM annotation_assignment a WHERE a.public_id LIKE '30%') n"
    )
    multiply(seed.answer, given, assignment_id="n.assignment", created_at="n.at")


def found() -> Crowded:
    """What `crowd` made in this database."""
    project = Project.objects.get(slug="crowded")
    many = project.batches.filter(slug__startswith="many-")
    worker = project.workers.get(user__username="next-one")
    done, sample = (many.get(slug=slug) for slug in ("many-1", "many-0"))
    return Crowded(User.objects.get(username="alice"), worker, done, many.get(state="open"), sample)


@dataclass(frozen=True, slots=True)
class _Seed:
    alice: User
    worker: Worker
    dataset: Dataset
    item: Item
    batch: Batch
    hit: Hit
    participation: Participation
    assignment: Assignment
    answer: WorkerResponse


def _seed(folder: Path) -> _Seed:
    """One of each row, made by the product's own verbs."""
    project = Project.objects.create(slug="crowded", title="Crowded", consent="We keep what you answer.")
    alice = User.objects.create_user("alice", password=None)
    Member.objects.create(project=project, user=alice)
    dataset = dataset_of(project, folder, name="seed", size=1)
    batch = launched(project, "seed", dataset, assignments_per_hit=EACH)
    worker = newcomer(project, "seed-worker")
    assignment = take(worker, batch)
    assert assignment is not None
    submit(assignment)
    rows = (dataset.items.get(), batch.hits.get(), batch.participations.get(), batch.assignments.get())
    item, hit, participation, assignment = rows
    batch.refresh_from_db()
    return _Seed(alice, worker, dataset, item, batch, hit, participation, assignment, assignment.responses.get())
