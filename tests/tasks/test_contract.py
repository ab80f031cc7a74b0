"""What every folder in tasks/ promises, tried with the examples that lie in it (tasks/README.md)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from django.template.loader import render_to_string

from annotation import registry
from annotation.pure.data.example import Example, Hop
from annotation.pure.setting_fields import read
from annotation.tasktype import CAPABILITIES, GivenResponse, HitWithResponses, Problem, TaskType, capabilities
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.templatetags import item_tags
from tests.batches import create_batch

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = sorted(registry.task_types())
JSON = dict[str, Any]


def cases() -> list[Any]:
    """(kind, case) of every entry of every examples.json."""
    found = []
    for kind in KINDS:
        entries = json.loads((ROOT / "tasks" / kind / "examples.json").read_text())
        found += [pytest.param(kind, entry, id=f"{kind}-{entry['example']['id']}") for entry in entries]
    return found


every_kind = pytest.mark.parametrize("kind", KINDS)
every_case = pytest.mark.parametrize(("kind", "case"), cases())


def first_of_each(rows: list[Any]) -> list[Any]:
    """The cases, of which those behind a task's first one are for the soak."""
    kinds = [row.values[0] for row in rows]
    later = [kind in kinds[:k] for k, kind in enumerate(kinds)]
    marked = zip(rows, later, strict=True)
    return [pytest.param(*row.values, id=row.id, marks=[pytest.mark.soak] * soak) for row, soak in marked]


a_case = pytest.mark.parametrize(("kind", "case"), first_of_each(cases()))


def prepared(kind: str, case: JSON) -> tuple[TaskType, Example, Any, JSON]:
    task = registry.task_type(kind)
    example, options = Example.from_json(case["example"]), task.options(case["options"])
    payload = task.prepare(example, options, Random(1))
    assert payload is not None, "an example of the folder was skipped"
    return task, example, options, json.loads(json.dumps(payload, allow_nan=False))


@every_kind
def test_a_folder_holds_the_five_files_and_states_conformity(kind: str) -> None:
    folder = ROOT / "tasks" / kind
    names = ["task.py", "form.py", "page.html", "instructions.md", "examples.json"]
    if isinstance(registry.task_type(kind), DecisionTask):
        names.remove("form.py")  # needed for further fields only
    for name in names:
        assert (folder / name).is_file(), f"{kind} has no {name}"
    assert re.fullmatch(r"TASK: TaskType = \w+\(\)", (folder / "task.py").read_text().splitlines()[-1])
    assert registry.task_type(kind).kind == kind


@every_kind
def test_a_task_names_the_capabilities_whose_pieces_it_has(kind: str) -> None:
    """What the engine never asks for would lie unused."""
    task = registry.task_type(kind)
    own = {name for base in type(task).__mro__ if base.__module__.startswith("tasks.") for name in vars(base)}
    for capability in CAPABILITIES:
        pieces = {name for name in {*vars(capability), *vars(capability).get("__annotations__", ())} if name[0] != "_"}
        if own & pieces:
            assert isinstance(task, capability), f"{kind} has {', '.join(own & pieces)}: {capability.__name__}"


@every_kind
def test_a_page_says_on_top_which_variables_it_takes(kind: str) -> None:
    for file in (ROOT / "tasks" / kind).glob("*.html"):
        assert "{% comment %}" in "".join(file.read_text().splitlines()[:2]), f"{file.name} lists no variables on top"


@every_kind
def test_there_are_at_least_three_examples_with_good_and_failing_answers(kind: str) -> None:
    entries = json.loads((ROOT / "tasks" / kind / "examples.json").read_text())
    assert len(entries) >= 3
    assert all(entry["answers"] and entry["must_fail"] for entry in entries)


@every_kind
def test_unknown_and_unfit_options_are_refused_by_name(kind: str) -> None:
    with pytest.raises(ValueError, match="no_such_option"):
        read(registry.task_type(kind).Options, {"no_such_option": 1})


@every_case
def test_a_payload_is_the_same_for_the_same_seed(kind: str, case: JSON) -> None:
    task, example, options, payload = prepared(kind, case)
    assert task.prepare(example, options, Random(1)) == payload


@every_case
def test_good_answers_pass_and_bad_ones_are_told_at_their_control(kind: str, case: JSON) -> None:
    task, _, _, payload = prepared(kind, case)
    for answer in case["answers"]:
        assert task.check(payload, answer) == []
    for bad in case["must_fail"]:
        problems = task.check(payload, bad["answer"])
        assert bad["field"] in {problem.field for problem in problems}, bad
        assert all(isinstance(p, Problem) and p.message % p.values for p in problems)


@every_case
def test_the_answers_add_up_to_the_aggregate(kind: str, case: JSON) -> None:
    task, _, _, payload = prepared(kind, case)
    assert json.loads(json.dumps(task.aggregate(payload, case["answers"]), allow_nan=False)) == case["aggregate"]


@every_case
def test_a_aggregate_of_no_answers_can_be_told_and_changes_no_dataset(kind: str, case: JSON) -> None:
    task, example, _, payload = prepared(kind, case)
    aggregate = task.aggregate(payload, [])
    json.dumps(aggregate, allow_nan=False)
    assert all(isinstance(made, Example) for made in task.export(example, aggregate))


@every_case
def test_every_answer_has_a_grade_and_a_distance(kind: str, case: JSON) -> None:
    task, example, _, payload = prepared(kind, case)
    assert all(0 <= task.grade(payload, answer, example) <= 1 for answer in case["answers"])
    found = task.differences(payload, case["answers"])
    assert found is None if len(case["answers"]) == 1 and kind == "rate" else 0 <= found <= 1
    assert task.differences(payload, case["answers"][:1] * 3) == pytest.approx(0)


@every_case
def test_a_report_can_be_kept_as_json_and_is_the_same_for_the_same_seed(kind: str, case: JSON) -> None:
    task, example, options, payload = prepared(kind, case)
    given = tuple(GivenResponse(f"worker {k}", answer) for k, answer in enumerate(case["answers"]))
    judged = HitWithResponses("hit", "wells", "jsonl", example, payload, given)
    reports = [json.dumps(task.report([judged], options, seed=1), allow_nan=False) for _ in range(2)]
    assert reports[0] == reports[1]
    assert json.loads(reports[0])["task"] == kind


@every_case
def test_a_report_without_a_single_answer_is_no_error(kind: str, case: JSON) -> None:
    task, example, options, payload = prepared(kind, case)
    json.dumps(task.report([], options, seed=1), allow_nan=False)
    json.dumps(
        task.report([HitWithResponses("hit", "wells", "jsonl", example, payload, ())], options, seed=1), allow_nan=False
    )


@every_case
def test_the_exported_examples_keep_their_id_and_survive_json(kind: str, case: JSON) -> None:
    task, example, _, _ = prepared(kind, case)
    for made in task.export(example, case["aggregate"]):
        assert Example.from_json(json.loads(json.dumps(made.as_json()))) == made
        assert made.id


@every_case
def test_the_order_of_an_assignment_is_made_by_its_seed_alone(kind: str, case: JSON) -> None:
    task, _, _, payload = prepared(kind, case)
    before = json.dumps(payload)
    shown = [capabilities.arrange(task, payload, Random(seed)) for seed in (5, 5, 6, 7, 8)]
    assert shown[0] == shown[1]
    assert json.dumps(payload) == before, "arrange changed the payload at rest"


GOLD = "CANARY"


def with_other_gold(example: Example, shown: frozenset[str] = frozenset()) -> Example:
    """The same question and context with every gold field, id and unknown field that is not shown replaced."""
    hops = tuple(Hop(f"{GOLD}-question-{k}", f"{GOLD}-answer-{k}", None, f"{GOLD}-id-{k}") for k in range(4))
    return replace(
        example,
        id=f"{GOLD}-2hop",
        answers=example.answers if shown & {"answer", "answers"} else (f"{GOLD}-answer", f"{GOLD}-alias"),
        supports=tuple(range(len(example.paragraphs)))[:1],
        facts=None,
        hops=hops,
        answerable=not example.answerable,
        group=f"{GOLD}-group",
        shape=f"{GOLD}-shape",
        extra={f"{GOLD}-key": f"{GOLD}-value"} | {key: example.extra[key] for key in shown if key in example.extra},
    )


@every_case
def test_gold_is_not_in_the_payload_and_leaves_no_trace_in_it(kind: str, case: JSON) -> None:
    task, example, options, payload = prepared(kind, case)
    if task.shows:
        pytest.skip(f"{kind} shows gold by design: {', '.join(sorted(task.shows))}")
    other = task.prepare(with_other_gold(example, frozenset(task.shown_fields(options))), options, Random(1))
    assert GOLD not in json.dumps(other)
    assert other == payload


@every_case
def test_the_fragments_render_from_the_payload_as_shown(kind: str, case: JSON) -> None:
    task, _, _, payload = prepared(kind, case)
    shown = capabilities.arrange(task, payload, Random(3))
    for name, function in capabilities.live(task).items():
        for asked in ({}, {"q": "the"}, {"q": "\ud83d%00<'\""}):
            assert render_to_string(f"{kind}/_{name}.html", function(shown, asked)).strip()


@pytest.fixture
def opened(project: Any, bob: Any, kind: str, case: JSON, tmp_path: Path) -> Any:
    """Bob's assignment on the case's example, in an open batch with the case's options."""
    from annotation.flow.batches import batch_launch
    from annotation.flow.data import dataset_import
    from annotation.flow.work import next_assignment

    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(case["example"], ensure_ascii=False) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="case")
    batch = create_batch(
        project,
        "case-1",
        task=kind,
        datasets=list(project.datasets.all()),
        options=case["options"],
        instructions="Read.",
    )
    batch_launch.launch(batch)
    participation = next_assignment.join_batch(bob, batch)
    next_assignment.read_instructions(participation, version=1)
    participation.refresh_from_db()
    return next_assignment.claim(participation)


@a_case
def test_a_draft_on_the_page_sent_as_it_stands_is_the_answer(
    kind: str, case: JSON, opened: Any, bob: Any, client: Any
) -> None:
    from annotation.models import Assignment
    from tests.tasks.html_form import read_form

    client.force_login(bob.user)
    for revision, answer in enumerate(case["answers"], 1):
        Assignment.objects.filter(pk=opened.pk).update(draft=answer)
        page = client.get(f"/assignments/{opened.public_id}/")
        assert page.status_code == 200
        action, fields = read_form(page.content.decode())
        assert client.post(action, fields).status_code == 303
        opened.refresh_from_db()
        assert opened.revision == revision
        assert opened.current.answer == answer


@a_case
def test_the_page_of_an_untouched_assignment_submits_nothing(
    kind: str, case: JSON, opened: Any, bob: Any, client: Any
) -> None:
    from tests.tasks.html_form import read_form

    client.force_login(bob.user)
    action, fields = read_form(client.get(f"/assignments/{opened.public_id}/").content.decode())
    refused = client.post(action, fields)
    assert refused.status_code == 422
    opened.refresh_from_db()
    assert opened.revision == 0


@every_case
def test_what_a_form_posts_for_an_answer_is_read_as_that_answer(kind: str, case: JSON) -> None:
    task, _example, _options, payload = prepared(kind, case)
    shown = capabilities.arrange(task, payload, Random(7))
    for answer in case["answers"]:
        posted = QueryDict(mutable=True)
        for name, values in registry.form_class(kind)(shown).posted(answer).items():
            posted.setlist(name, values)
        assert capabilities.stored(task, payload, registry.form_class(kind)(shown, posted).answer()) == answer


@every_case
@pytest.mark.parametrize("right", [True, False])
def test_a_simulated_worker_says_something_that_passes_the_check(kind: str, case: JSON, right: bool) -> None:
    task, example, _options, payload = prepared(kind, case)
    for seed in range(8):
        answer = capabilities.imitate(task, payload, example, Random(seed), right=right)
        assert answer is None or not task.check(payload, answer), (answer, task.check(payload, answer))


@every_case
def test_an_answer_is_told_in_a_few_words(kind: str, case: JSON) -> None:
    task, _example, _options, payload = prepared(kind, case)
    for answer in case["answers"]:
        said = task.brief(payload, answer)
        assert said
        assert "{" not in said


CHANGING = re.compile(r'name="(?:key|csrfmiddlewaretoken)" value="[^"]*"|data-now="[^"]*"')


def other_words(payload: Any) -> Any:
    """A payload of the same shape with other sentences."""
    if isinstance(payload, dict):
        return {name: other_words(value) for name, value in payload.items()}
    if isinstance(payload, list):
        return [other_words(value) for value in payload]
    return f"{payload}~" if isinstance(payload, str) and " " in payload else payload


@pytest.mark.django_db
@a_case
def test_an_item_after_another_is_the_item_rendered_whole(kind: str, case: JSON, opened: Any, rf: Any) -> None:
    """What a page shows outside `per_item` is taken from another item of the batch."""
    from annotation.views.work import task_frame

    if not registry.task_type(kind).launched:
        pytest.skip("its items come as whole pages")
    request, participation = rf.get("/"), task_frame.participation_of(opened.worker, opened.batch)
    request.user, request.session = opened.worker.user, {}
    item_tags._kept.clear()
    task_frame.item_of(request, opened, participation)
    opened.hit.payload = other_words(opened.hit.payload)
    opened.public_id, participation.done = "ANOTHER", 7
    filled = task_frame.item_of(request, opened, participation)
    assert len(item_tags._kept) == 1
    context = task_frame.page_of(request, opened, participation) | {"fragment": True}
    whole = render_to_string(f"{kind}/page.html", context, request)
    same = [item_tags.without_indent(CHANGING.sub("", source)) for source in (filled, whole)]
    assert same[0] == same[1]
