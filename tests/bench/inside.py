"""What a comparison measures inside an installation: `python -m tests.bench.inside VERB name=value …` prints JSON."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import django

django.setup()

from django.db import connection, transaction  # noqa: E402
from django.db.models.functions import Now  # noqa: E402

from annotation.flow.data import dataset_import, response_files  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.flow.work import next_assignment  # noqa: E402
from annotation.models import Assignment, Batch, Dataset, Hit, Item, Participation, Worker, WorkerResponse  # noqa: E402

BULK = 2_000
CONTENT = {  # ten paragraphs of a hundred words each, as in HotpotQA
    "id": "x",
    "question": "?",
    "paragraphs": [{"title": f"Tower {k}", "text": f"Tower {k} stands beside the well. " * 17} for k in range(10)],
    "answers": ["Tower 3"],
    "supports": [0, 3],
}
SHORT = CONTENT | {"paragraphs": [{"title": f"Tower {k}", "text": "A tower."} for k in range(10)]}
PAYLOAD = {"question": "?", "paragraphs": [], "options": [], "controls": {}}


def timed(verb: Callable[[], object]) -> float:
    began = time.perf_counter()
    verb()
    return time.perf_counter() - began


def cpu(verb: Callable[[], object]) -> float:
    """Seconds of CPU, with those of the back end."""
    began = time.process_time() + _of_back_end()
    verb()
    return time.process_time() + _of_back_end() - began


def _of_back_end() -> float:
    if connection.vendor == "sqlite":
        return 0.0
    connection.ensure_connection()
    return int(Path(f"/proc/{connection.connection.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9


def floor_table() -> dict[str, Any]:
    key = "INTEGER PRIMARY KEY" if connection.vendor == "sqlite" else "BIGSERIAL PRIMARY KEY"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE bench_floor (id {key}, person BIGINT, body TEXT)")
    return {"first_hit": Hit.objects.order_by("pk").values_list("pk", flat=True).first()}


def make_batch(name: str, size: int, *, wanted: int = 3, content: dict[str, Any] = CONTENT) -> Batch:
    """An open batch of that many small HITs, made in bulk."""
    project = projects.project_named("default")
    dataset = Dataset.objects.create(project=project, slug=name, format="jsonl", sha256="", state="ready", size=size)
    rows = [
        Item(dataset=dataset, position=k, source_id=str(k), group_key=f"{name}:{k}", question="?", content=content)
        for k in range(size)
    ]
    items = Item.objects.bulk_create(rows, batch_size=BULK)
    batch = Batch.objects.create(
        project=project, slug=name, title=name, task="answer", assignments_per_hit=wanted, size=size, next_ticket=size
    )
    hits = [
        Hit(batch=batch, item=item, group_key=item.group_key, payload=PAYLOAD, ticket=k, wanted=wanted)
        for k, item in enumerate(items)
    ]
    Hit.objects.bulk_create(hits, batch_size=BULK)
    for state in ("launching", "open"):
        batch.move(state)
    return batch


def submit_all(batch: Batch, worker: Worker, hits: list[Hit]) -> None:
    """Let a worker have answered HITs, in bulk."""
    rows = [
        Assignment(
            batch=batch,
            hit=hit,
            worker=worker,
            group_key=hit.group_key,
            state="submitted",
            lease_until=Now(),
            submitted_at=Now(),
            revision=1,
        )
        for hit in hits
    ]
    Assignment.objects.bulk_create(rows, batch_size=BULK)
    keys = [hit.pk for hit in hits]
    for start in range(0, len(keys), 500):
        Hit.objects.filter(pk__in=keys[start : start + 500]).update(done=1)
    Participation.objects.filter(batch=batch, worker=worker).update(done=len(hits))


def situations(size: int) -> Iterator[tuple[str, Participation]]:
    """Batches of `size` HITs in each situation, with a participation that claims next.

    Their items are short: a claim reads one of them, and three hundred thousand long ones take ten minutes to fill in.
    """
    project = projects.project_named("default")
    someone = Worker.objects.create(project=project, external_id=f"someone-{size}")
    batch = make_batch(f"fresh-{size}", size, content=SHORT)
    yield "fresh", next_assignment.join_batch(someone, batch)

    batch = make_batch(f"half-{size}", size, content=SHORT)
    hits = list(batch.hits.order_by("ticket").only("pk"))
    finished = Random(1).sample([hit.pk for hit in hits], size // 2)
    for start in range(0, len(finished), 500):
        Hit.objects.filter(pk__in=finished[start : start + 500]).update(done=3)
    yield "half finished", next_assignment.join_batch(someone, batch)

    batch = make_batch(f"mine-{size}", size, content=SHORT)
    participation = next_assignment.join_batch(someone, batch)
    hits = list(batch.hits.order_by("ticket").only("pk", "group_key", "ticket"))
    submit_all(batch, someone, hits[: size // 2])
    Participation.objects.filter(pk=participation.pk).update(
        cursor=hits[size // 2 - 1].ticket, last_group=hits[size // 2 - 1].group_key
    )
    yield "worker who did half", participation


def claims(*, size: int) -> None:
    """Make the situations, then answer each line of stdin, a situation, with the seconds of some claims in it."""
    participations = dict(situations(size))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(json.dumps(list(participations)), flush=True)
    for line in sys.stdin:
        print(json.dumps(list(_claims(participations[line.strip()]))), flush=True)


def _claims(participation: Participation, rounds: int = 25, warm: int = 5) -> Iterator[float]:
    """Seconds of each claim without its commit, which costs the same everywhere; nothing stays."""
    with undone():
        for round in range(rounds + warm):
            began = time.perf_counter()
            assignment = next_assignment.claim(participation)
            seconds = time.perf_counter() - began
            assert assignment is not None
            assert assignment.move("submitted", submitted_at=Now(), revision=1)
            if round >= warm:
                yield seconds


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def import_time(*, file: str, rounds: int) -> dict[str, Any]:
    """Seconds of an import, and of json.load with one bulk insert of the same records as JSON text; best of some."""
    path, project = Path(file), projects.project_named("default")

    def plain() -> None:
        records = json.loads(path.read_bytes())
        with transaction.atomic(), connection.cursor() as cursor:
            rows = ((k, json.dumps(record, ensure_ascii=False)) for k, record in enumerate(records))
            cursor.executemany("INSERT INTO bench_plain (id, body) VALUES (%s, %s)", list(rows))

    ours, yardstick = [], []
    for round in range(rounds):
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS bench_plain")
            cursor.execute("CREATE TABLE bench_plain (id BIGINT PRIMARY KEY, body TEXT)")
        yardstick.append(timed(plain))
        verb = {"format": "hotpotqa", "name": f"round-{round}"}
        ours.append(timed(lambda verb=verb: dataset_import.import_dataset(project, path, **verb)))
    return {"import": min(ours), "plain": min(yardstick)}


def responses(*, hits: int, each: int) -> dict[str, Any]:
    """A batch named `judged` with `hits` × `each` answers of some two hundred bytes."""
    batch = make_batch("judged", hits, wanted=each)
    rows = list(batch.hits.only("pk", "group_key"))
    made = 0
    for number in range(each):
        worker = Worker.objects.create(project=batch.project, external_id=f"judge-{number}")
        submit_all(batch, worker, rows)
        mine = list(Assignment.objects.filter(batch=batch, worker=worker).only("pk"))
        span = {"kind": "span", "text": f"Tower {number}", "paragraph": 3, "start": 10, "end": 20, "option": None}
        answer = span | {"support": [0, 3], "facts": []}
        answers = (WorkerResponse(assignment=a, revision=1, key="0.a", digest="d" * 64, answer=answer) for a in mine)
        made += len(WorkerResponse.objects.bulk_create(answers, batch_size=BULK))
    return {"responses": made}


PLAIN = """
SELECT b.slug, a.public_id, h.public_id, d.slug, d.sha256, i.position, i.source_id, a.worker_id, r.revision,
       a.revision, r.answer, r.instructions_version, a.ticket, a.accepted_at, r.created_at, r.active_seconds, a.late,
       a.counts, h.exclusion_reason, h.excluded_at{}
FROM annotation_workerresponse r
JOIN annotation_assignment a ON a.id = r.assignment_id JOIN annotation_hit h ON h.id = a.hit_id
JOIN annotation_item i ON i.id = h.item_id JOIN annotation_dataset d ON d.id = i.dataset_id
JOIN annotation_batch b ON b.id = a.batch_id
WHERE a.batch_id = %s AND a.state = 'submitted' ORDER BY r.id
"""
ON_ITEMS = ", i.question, i.hops, i.shape"  # what stands in columns: neither gold nor what is scored by it


def plainly(batch: Batch, format: str, out: Path, *, ids_only: bool) -> None:
    """Write the same rows as a script would: a cursor, json and csv."""
    with transaction.atomic(), connection.chunked_cursor() as cursor, out.open("w", newline="") as file:
        cursor.execute(PLAIN.format("" if ids_only else ON_ITEMS), [batch.pk])
        rows = chain.from_iterable(iter(lambda: cursor.fetchmany(BULK), []))
        first = next(rows)
        names = [column[0] for column in cursor.description or ()]
        if format == "csv":
            csv.writer(file).writerows(chain([names, first], rows))
        else:
            told = (dict(zip(names, row, strict=True)) for row in chain([first], rows))
            file.writelines(json.dumps(row, default=str) + "\n" for row in told)


def export_rate(*, format: str, out: str, ids_only: int = 0) -> dict[str, Any]:
    """Seconds of CPU of an export, and of `plainly` writing the same rows as CSV, or otherwise as JSON."""
    batch, less = Batch.objects.get(slug="judged"), bool(ids_only)
    ours, plain = [], []
    for _ in range(3):
        ours.append(cpu(lambda: response_files.export_responses(batch, Path(out), format=format, ids_only=less)))
        plain.append(cpu(lambda: plainly(batch, format, Path(f"{out}.plain"), ids_only=less)))
    return {"records": WorkerResponse.objects.count(), "seconds": min(ours), "plain": min(plain)}


VERBS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (floor_table, claims, import_time, responses, export_rate)
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("arguments", nargs="*")
    result = parser.parse_args()
    pairs = (argument.split("=", 1) for argument in result.arguments)
    answer = VERBS[result.verb](**{name: int(v) if v.isdigit() else v for name, v in pairs})
    if answer is not None:
        print(json.dumps(answer))
