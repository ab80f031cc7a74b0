"""Behind the “?” at each figure of a report stands whom it is about, how it was computed, from which rows, and what
would change it; the rows are as many as it says.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from annotation import registry
from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.review import problem_reports
from annotation.models import Batch
from annotation.pure.data.example import Example
from annotation.pure.reports import tables
from annotation.pure.reports.explanations import ROWS, found, key_of, table_key
from annotation.pure.reports.report_values import tables_of
from annotation.tasktype import GivenResponse, HitWithResponses, capabilities
from annotation.views.reports.figure_notes import report_chapters
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import newcomer, submit, take
from tests.flow.reports.test_figures import raw
from tests.flow.review.test_response_import import lines
from tests.tasks.test_answerability import twins
from tests.tasks.test_sufficiency import pairs_of
from tests.views.console import answer, at, work_off

JSON = dict[str, Any]
ROOT = Path(__file__).resolve().parents[3]
KINDS = sorted(registry.task_types())
WORKERS = 8
ALIKE = [  # lists behind the figures of every task, opened once
    ("hits", "counted=1"),
    ("hits", "counted=1&only=several"),
    ("hits", "show=excluded"),
    ("batch-workers", ""),
    ("batch-assignments", "show=all"),
    ("batch-assignments", "show=submitted&counted=1"),
]
HOW = (
    "{where} has no explanation: add the entry “{key}” to tasks/{kind}/explained.toml, or to "
    "annotation/pure/reports/figure_texts if reports of several tasks show it; then run `make figures`."
)


def examples_of(kind: str, options: JSON | None = None) -> list[tuple[JSON, list[JSON]]]:
    """Items of a task with responses that its folder knows; groups as its derivation makes them."""
    grouped = {"answerability": twins, "sufficiency": pairs_of}
    if kind in grouped and not {"yes_no", "choices"} & (options or {}).keys():
        return [(example.as_json(), []) for k in range(4) for example in grouped[kind](k)]
    entries = json.loads((ROOT / "tasks" / kind / "examples.json").read_text())
    wanted = entries[0]["options"] if options is None else options
    same = [entry for entry in entries if entry["options"] == wanted]
    return [
        (entry["example"] | {"id": f"{entry['example']['id']}-{k}", "group": ""}, entry["answers"])
        for entry in same
        for k in range(max(2, 6 // len(same)))
    ]


def studied(project: Any, folder: Path, kind: str) -> Batch:
    """A batch of the task: an item with a single response, an excluded one, one without any, several workers."""
    found, rng = examples_of(kind), Random(kind)
    import_dataset(
        project, lines(folder / "case.in", [example for example, _answers in found]), format="jsonl", name="case"
    )
    given = {"task": kind, "datasets": [project.datasets.get(slug="case")], "instructions": "Read.", "meeting": "free"}
    if kind == "rate":
        given["options"] = json.loads((ROOT / "tasks/rate/examples.json").read_text())[0]["options"]
    batch = create_batch(project, "wells-1", assignments_per_hit=3, same_order=True, **given)
    batch_launch.launch(batch)
    task, answers = registry.task_type(kind), {example["id"]: known for example, known in found}
    for k in range(WORKERS):
        worker = newcomer(project, f"w{k}")
        while (row := take(worker, batch)) and rng.random() < 0.8:
            gold = row.hit.item.example
            said = [capabilities.imitate(task, row.hit.payload, gold, rng, right=right) for right in (True, False)]
            known = [one for one in [*said, *answers[gold.id]] if one is not None]
            submit(row, rng.choice(known), key=f"0.{row.pk}")
    problem_reports.exclude(batch.hits.filter(done__gt=1).first(), reason="Two towers")
    return batch


@pytest.fixture
def shown(kind: str, project: Any, alice: Any, client: Any, tmp_path: Path, monkeypatch: Any) -> tuple[Batch, Any]:
    """The batch, and the context of its report's page."""
    monkeypatch.setattr("annotation.flow.reports.score_looks.is_complete", lambda batch: True)
    batch = studied(project, tmp_path, kind)
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    return batch, client.get(at("report"))


def figures_of(context: Any) -> list[tuple[str, Any]]:
    """(where, its explanation) of every headline figure and table of a page, and of every chart without a table."""
    tables_ = [*context["tables"], *(one for study in context["studies"] for one in study["tables"])]
    charts = [one for group in context["subjects"] for one in group["entries"] if one.get("is_chart")]
    charts += [context["lead"]] if context["lead"] else []
    for each in [context["differing"]] if context["differing"] else []:
        tables_, charts = [*tables_, *each["tables"]], [*charts, *each["charts"]]
    found = [(f"headline figure {one['label']}", one["why"]) for one in context["headline"]]
    found += [(f"table {one['name']}", one["why"]) for one in tables_] + [
        (f"chart {one['name']}", one["why"]) for one in charts
    ]
    return found + [("a column", col["why"]) for one in tables_ for col in one["columns"] if col["why"]]


def numbers(batch: Batch) -> dict[str, int]:
    """The rows behind figures by kind, counted from the responses alone."""
    every = raw(batch)
    counted = [row for row in every if row.given and not row.excluded]
    assignments = batch.assignments.all()
    return {
        "hits": len(every),
        "answered": sum(bool(row.given) for row in every),
        "excluded": sum(bool(row.excluded) for row in every),
        "items": len(counted),
        "scored": len(counted),
        "several": sum(len(row.given) > 1 for row in counted),
        "labelled": sum(row.example.answerable is not None for row in counted),
        "answers": sum(row.example.answerable is not False for row in counted),
        "responses": sum(len(row.given) for row in counted),
        "placed": sum(len(row.given) for row in counted),
        "blocked": sum(len(row.given) for row in counted),
        "accepted": len(assignments),
        "began": len({row.worker_id for row in assignments}),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_of_a_report_is_explained_and_its_rows_are_as_many_as_it_says(
    shown: tuple[Batch, Any], kind: str, client: Any
) -> None:
    batch, response = shown
    figures = figures_of(response.context)
    assert len(figures) > 4
    assert [HOW.format(where=where, key=key_of(where.split()[1]), kind=kind) for where, why in figures if not why] == []
    words = {ROWS[name][0 if n == 1 else 1] % {"n": n}: n for name, n in numbers(batch).items()}
    lists: dict[str, int] = {}
    for where, why in figures:
        for rows in why["rows"]:
            assert rows["text"] in words, f"{where} is not from {rows['text']}"
            if rows["url"]:
                lists[rows["url"]] = words[rows["text"]]
    assert len(lists) > 2
    alike = {f"{at(name)}?{query}".removesuffix("?") for name, query in ALIKE} if kind != KINDS[0] else set()
    for url in lists.keys() - alike:
        assert client.get(url).context["page"].paginator.count == lists[url], url
    ids = re.findall(r' id="(why-[^"]+)"', response.content.decode())
    assert len(ids) == len(set(ids)) == len(figures)
    assert sorted(re.findall(r'popovertarget="(why-[^"]+)"', response.content.decode())) == sorted(ids)


# Whom intervals are about


def renamed(rows: list[HitWithResponses], seed: int) -> list[HitWithResponses]:
    """The same responses, given by other workers: an interval over items alone cannot know."""
    names, rng = sorted({given.worker for row in rows for given in row.given}), Random(seed)
    return [
        replace(
            row,
            given=tuple(
                replace(given, worker=name)
                for given, name in zip(row.given, rng.sample(names, len(row.given)), strict=True)
            ),
        )
        for row in rows
    ]


def intervals(table: JSON) -> list[Any]:
    """The ends of a table's intervals, row by row."""
    ends = [k for k, name in enumerate(table["columns"]) if name in ("95 % low", "95 % high")]
    return [
        [*((cell["low"], cell["high"]) for cell in row if tables.is_figure(cell)), *(row[k] for k in ends)]
        for row in table["rows"]
    ]


def has_any(found: list[Any]) -> bool:
    return any(
        end is not None for row in found for each in row for end in (each if isinstance(each, tuple) else [each])
    )


def asked(kind: str, options: JSON) -> list[HitWithResponses]:
    """Items of a task with the responses of three of nine workers each, some of whom are often wrong."""
    rng, known = Random(kind), examples_of(kind, options)
    if len(known) < 12:
        known *= 4
    return [_asked(kind, options, k, *one, rng) for k, one in enumerate(known)]


def _asked(kind: str, options: JSON, k: int, given: JSON, answers: list[JSON], rng: Random) -> HitWithResponses:
    task = registry.task_type(kind)
    example = Example.from_json(given if given.get("group") else given | {"id": f"{given['id']}-{k}"})
    payload = json.loads(json.dumps(task.prepare(example, task.options(options), rng)))
    said = []
    for who in rng.sample(range(9), 3):
        right = rng.random() > who % 3 / 3
        imitated = capabilities.imitate(task, payload, example, rng, right=right)
        some = answers[: 1 if right else None] if imitated is None else [imitated]
        said.append(GivenResponse(f"w{who}", rng.choice(some), rng.uniform(20, 60)))
    return HitWithResponses(f"hit-{k}", "case", "musique", example, payload, tuple(said), wanted=3)


def variants() -> list[Any]:
    """Every task with each of the options in its examples."""
    found: list[Any] = []
    for kind in KINDS:
        entries = json.loads((ROOT / "tasks" / kind / "examples.json").read_text())
        own = {json.dumps(entry["options"], sort_keys=True): entry["options"] for entry in entries}
        marks = ([], [pytest.mark.soak])
        found += [
            pytest.param(kind, options, id=f"{kind}-{k}", marks=marks[k > 0]) for k, options in enumerate(own.values())
        ]
    return found


def check_whom(whom: str, own: list[Any], others: list[list[Any]], name: str) -> None:
    """Whether intervals are of this kind, if `others` are those of the same responses by other workers."""
    if whom == "none":
        assert not has_any(own), f"{name} has intervals"
    if whom == "items":
        assert [own] * len(others) == others, f"{name} is about workers too"
    if whom in ("mixed", "crossed", "compared") and has_any(own):
        assert [own] * len(others) != others, f"{name} does not depend on the workers"


@pytest.mark.parametrize(("kind", "options"), variants())
def test_no_explanation_contradicts_what_an_interval_resamples(kind: str, options: JSON) -> None:
    task, rows = registry.task_type(kind), asked(kind, options)
    other_names = [renamed(rows, k) for k in range(1 if kind == "answer" else 3)]
    contents = [task.report(some, task.options(options), seed=3) for some in (rows, *other_names)]
    before, *after = ({table["name"]: table for table in tables_of(content)} for content in contents)
    for name, table in before.items():
        entry = found(report_chapters(contents[0], kind), table_key(table))
        assert entry is not None, HOW.format(where=f"table {name}", key=table_key(table), kind=kind)
        one, own, others = entry[1], intervals(table), [intervals(each[name]) for each in after]
        assert one.title == table["title"], name
        check_whom(one.whom, own, others, name)


# Other pages


def counted(client: Any, why: JSON) -> list[tuple[str, int]]:
    """(what it says, how many rows the list behind it has) for each link of an explanation."""
    lists = [(rows["text"], client.get(rows["url"]).context["page"].paginator.count) for rows in why["rows"]]
    assert lists
    return lists


def test_an_answerable_question_alone_is_scored_where_its_contrast_has_no_gold(
    project: Any, alice: Any, client: Any, tmp_path: Path
) -> None:
    """Of two pairs and a question without a label three items are scored, and the link leads to these."""
    found = [example.as_json() for k in range(2) for example in twins(k)] + records(1)
    import_dataset(project, lines(tmp_path / "pairs.in", found), format="jsonl", name="pairs")
    given = {"datasets": [project.datasets.get(slug="pairs")], "instructions": "Read.", "meeting": "free"}
    batch = create_batch(project, "wells-1", task="answer", assignments_per_hit=1, **given)
    batch_launch.launch(batch)
    worker = newcomer(project, "w")
    while row := take(worker, batch):
        gold = row.hit.item.example
        submit(row, capabilities.imitate(registry.task_type("answer"), row.hit.payload, gold, Random(1), right=True))
    client.force_login(alice)
    client.post(at("report-refresh"))
    work_off()
    figures = dict(figures_of(client.get(at("report")).context))
    assert counted(client, figures["table measures-pairs"]) == [("3 scored HITs", 3)]
    assert counted(client, figures["headline figure Human score"]) == [("3 scored HITs", 3)]
    assert counted(client, figures["table pairs-pairs"]) == [("4 HITs with a label in the source", 4)]
    assert figures["table alpha-pairs"]["rows"][0]["text"] == "0 HITs with two or more responses"


def test_the_rows_of_a_part_are_those_of_the_part(
    project: Any, alice: Any, client: Any, bob: Any, carol: Any, batch: Any
) -> None:
    answer(bob, batch)
    answer(carol, batch)
    answer(bob, batch)
    client.force_login(alice)
    client.post(at("report-open"))
    client.post(at("report-refresh"))
    work_off()
    figures = dict(figures_of(client.get(at("report")).context))
    assert counted(client, figures["table alpha-wells"]) == [("1 HIT with two or more responses", 1)]
    page = client.get(figures["table alpha-wells"]["rows"][0]["url"])
    assert '<option value="several" selected>' in page.content.decode()
    client.post(at("report-refresh") + "?since=2020-01-01")
    work_off()
    figures = dict(figures_of(client.get(at("report"), {"since": "2020-01-01"}).context))
    assert counted(client, figures["table alpha-wells"]) == [("1 HIT with two or more responses", 1)]
    assert "since=2020-01-01" in figures["table human-performance"]["rows"][0]["url"]
    assert counted(client, figures["table human-performance"]) == [("2 scored HITs", 2)]


def test_comparisons_are_explained_with_the_rows_of_each_batch(
    project: Any, alice: Any, client: Any, tmp_path: Path
) -> None:
    batch = studied(project, tmp_path, "answer")
    client.force_login(alice)
    client.post(at("report-open"))
    query = {"of": "batches", "one": ["wells-1"]}
    [early] = client.get(reverse("compare", args=["wells"], query=query)).context["tables"][0]["why"]["rows"]
    assert early == {"text": "wells-1: 0 HITs that count", "url": ""}, "no list has none of them"
    batch_scores.score_batch(batch)
    context = client.get(reverse("compare", args=["wells"], query=query)).context
    whys = [one["why"] for one in (*context["tables"], context["chart"])]
    assert all(whys)
    items = len([row for row in raw(batch) if row.given and not row.excluded])
    assert counted(client, whys[0]) == [(f"wells-1: {items} HITs that count", items)]
    people = sorted(batch.project.pseudonym(row.worker_id) for row in batch.assignments.submitted())[0]
    query = {"of": "answerers", "batch": "wells-1", "one": [people]}
    tables_ = client.get(reverse("compare", args=["wells"], query=query)).context["tables"]
    assert [table["name"] for table in tables_ if not table["why"]] == []
    query = {"of": "datasets", "one": ["case"]}
    [table] = client.get(reverse("compare", args=["wells"], query=query)).context["tables"]
    assert table["why"]["rows"] == [{"text": "case: 6", "url": reverse("dataset", args=["wells", "case"])}]


def test_tables_of_a_plan_are_explained(client: Any, alice: Any) -> None:
    client.force_login(alice)
    plan = {"kind": "paired", "items": 6, "answers": 1, "workers": 3, "first": 60, "second": 80, "seed": 0}
    shown = client.get(reverse("power", args=["wells"], query=plan)).context["tables"]
    assert [(table["name"], bool(table["why"])) for table in shown] == [("assumptions", True)]
