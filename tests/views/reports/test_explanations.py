"""The explanations of figures: short, of every table that can be made, and all on the guide's page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import pytest
from django.urls import reverse

from annotation import registry
from annotation.flow.batches import batch_launch, experiments
from annotation.flow.reports import arm_scores
from annotation.pure.reports import explanations
from annotation.pure.reports.answer_tables import MEASURES
from annotation.pure.reports.arm_contrasts import ArmResponse, arm_tables
from annotation.pure.reports.comparison import Measured, answerer_tables, batch_tables
from annotation.pure.reports.explanations import ROWS, WHOM, chapter, found
from tests import figure_guide
from tests.flow.acting import dataset_of, draft
from tests.views.reports.test_figure_notes import HOW, KINDS, ROOT, check_whom, has_any, intervals

SHARED = tuple(map(chapter, explanations.SHARED))


def chapters() -> list[Any]:
    return [
        *SHARED,
        *(registry.explanations_of(task) for task in registry.task_types().values()),
        *(chapter(key) for key in ("comparison", "arms", "plan", "studies")),
    ]


def test_an_explanation_is_four_short_lines_of_known_kinds() -> None:
    for own in chapters():
        for key, one in own.entries.items():
            assert (one.whom in WHOM, one.rows in ROWS) == (True, True), key
            for text in (WHOM[one.whom], one.how, one.changes):
                assert re.fullmatch(r"[A-Z].{0,123}[.?]", text), f"{key}: {text}"
            assert set(one.columns.values()) <= own.entries.keys(), key


MAKERS = ("table", "_table", "tables.table")


def named(file: Path) -> Iterator[tuple[str, str]]:
    """(key, title) of the tables that a module makes: calls of `table` and `_table` with a name and a title."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and len(node.args) > 2 and ast.unparse(node.func) in MAKERS:
            name, title = node.args[0], node.args[1]
            if isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
                yield str(name.values[0].value).rstrip("-"), ast.unparse(title)
            elif isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value, ast.unparse(title)


OF_EVALUATIONS = {"subqa-scores", "subqa", "dire-f1", "dire-an-sp"}  # on no page of a report


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_that_a_task_can_make_is_explained(kind: str) -> None:
    """Also those that none of our batches has."""
    own = registry.explanations_of(registry.task_type(kind))
    for file in sorted((ROOT / "tasks" / kind).glob("*.py")):
        for key, _title in named(file):
            where = f"table {key} of {file.name}"
            assert found((own, *SHARED), key), HOW.format(where=where, key=key, kind=kind)


def test_every_table_that_several_reports_have_is_explained() -> None:
    made = [*(ROOT / "annotation/pure/reports").glob("*.py"), *(ROOT / "annotation/pure/review").glob("*.py")]
    made += [
        ROOT / "annotation/tasktype/helpers/report_tables.py",
        ROOT / "annotation/pure/statistics/distance_agreement.py",
    ]
    known = {
        "comparison.py": (chapter("comparison"),),
        "power_plan.py": (chapter("plan"),),
        "arm_contrasts.py": (chapter("arms"),),
    }
    for file in sorted(made):
        for key, _title in named(file):
            where = f"table {key} of {file.name}"
            if key not in OF_EVALUATIONS:
                assert found(known.get(file.name, SHARED), key), HOW.format(where=where, key=key, kind="KIND")
    for file in sorted((ROOT / "annotation/pure/studies").glob("*.py")):
        for key, _title in named(file):
            assert key in chapter("studies").entries, f"table {key} of {file.name}: add it to figure_texts/studies.toml"


def test_the_guide_has_every_explanation_and_no_other() -> None:
    """`make figures` writes it."""
    guide = (ROOT / figure_guide.GUIDE).read_text()
    assert guide == figure_guide.text(), "run `make figures`"
    assert "](figures.md" in (ROOT / "docs/reports.md").read_text()


def test_the_page_of_the_guide_has_an_anchor_for_each_question_mark(client: Any, db: None) -> None:
    html = client.get(reverse("figures")).content.decode()
    anchors = set(re.findall(r'<h3 id="([^"]+)"', html))
    assert anchors == {own.anchor(key) for own in chapters() for key in own.entries}
    assert len(anchors) == html.count("<h3 ")


def test_the_tables_of_an_experiment_are_explained_with_the_hits_of_its_arms(
    client: Any, alice: Any, project: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [(arm, k) for k in range(12) for arm in ("one", "two")]
    responses = [ArmResponse(arm, f"i{k}", f"w{k % 3}", 1 + k % 2, k, k % 2) for arm, k in places]
    found = arm_tables(responses, [("one", "answer"), ("two", "answer")])
    assert [(table["name"], table["title"]) for table in found] == [
        (key, one.title) for key, one in chapter("arms").entries.items()
    ]
    arms = [draft(project, name, dataset_of(project, tmp_path, name=name, size=2)) for name in ("one", "two")]
    for arm in arms:
        batch_launch.launch(arm)
    made = experiments.join(project, "both", arms, each="one", title="Read")
    computed = SimpleNamespace(result={"tables": found}, ended_at=None)
    monkeypatch.setattr(arm_scores, "last_computed", lambda _experiment: computed)
    client.force_login(alice)
    shown = client.get(reverse("experiment", args=[project.slug, made.slug])).context["tables"]
    for table in shown:
        assert [rows["text"] for rows in table["why"]["rows"]] == ["one", "two"]
        assert [client.get(rows["url"]).status_code for rows in table["why"]["rows"]] == [200, 200]


def measured(label: str, seed: int) -> Measured:
    """Thirty items with two grades each, which are the same for every seed; it draws who of nine workers gave them."""
    rng, scores, without = Random(f"{label}{seed}"), {}, {}
    for k in range(30):
        grades, workers = (float(k % 4 > 0), float((k + len(label)) % 3 > 0)), rng.sample(range(9), 2)
        scores[k] = fmean(grades)
        without[k] = {f"w{who}": other for who, other in zip(workers, reversed(grades), strict=True)}
    return Measured(label, label, scores, answers=60, without={"scores": without}, report=REPORT)


FIGURE = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 30}
REPORT = {"k": 2, "datasets": {"d": {"n": 30, "answer": {m: {"f1": FIGURE} for m in MEASURES}}}}


def test_no_explanation_of_a_comparison_contradicts_what_an_interval_resamples() -> None:
    for make in (batch_tables, answerer_tables):
        own, *others = (make([measured("one", seed), measured("other", seed)]) for seed in range(4))
        assert len(own) > 1
        for k, table in enumerate(own):
            entry = chapter("comparison").entries[table["name"]]
            assert entry.title == table["title"]
            assert has_any(intervals(table)) == (entry.whom != "none"), table["name"]
            check_whom(entry.whom, intervals(table), [intervals(other[k]) for other in others], table["name"])
