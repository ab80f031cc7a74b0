"""The study of EVOUNA's judgments: its README's lines make data and responses, which replay every figure."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.errors import Refused
from annotation.models import Project
from annotation.registry import presets
from annotation.studies import analysis, folders, report
from annotation.studies.launch import batches_of, begin, launch
from annotation.studies.models import StudyRun
from tests.shared_data import shared_data
from tests.studies.test_studies import own_study, project

__all__ = ["project"]  # the fixture
NAME = "openqa-equivalence"
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
RELEASE = "judges/evouna_nq_200.json"


def replayed(project: Project, source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> StudyRun:
    """A run on the release's file, with the release's judgments, made as the study's README says."""
    shutil.copyfile(source, folder / "NQ.json")
    monkeypatch.chdir(folder)
    study = folders.read(NAME)
    [lines] = re.findall(r"```python\n(.*?)```", study.readme, re.S)
    exec(lines, {})
    files = {"questions": folder / "questions.jsonl"}
    run = begin(project, study, {}, files=files)
    launch(run, study, files=files, say=lambda _text: None)
    assert not any("newbing" in json.dumps(hit.payload) for hit in batches_of(run)["judged"].hits.all())
    report.take_responses(run, {"judged": folder / "judged.jsonl"})
    return run


@pytest.mark.soak  # in every run: the invented release below
@pytest.mark.django_db
def test_the_release_replays_every_figure_of_the_study(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = replayed(project, shared_data(RELEASE), tmp_path, monkeypatch)
    rows = report.compute(run, look=True)
    assert len(rows) == 15
    for row in rows:
        assert row["ours"]["value"] == pytest.approx(row["paper"]["value"]), row["figure"]
        assert row["ours"]["n"] == 200


@pytest.mark.django_db
def test_an_invented_release_has_people_beside_exact_and_lexical_match(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An improper question is left out; each of the systems has one answer that matching and people see otherwise."""
    answers = {"fid": "Pell", "gpt35": "It was Jory Pell.", "chatgpt": "Abel Wray", "gpt4": "Pellet", "newbing": "He"}
    right = {"fid": True, "gpt35": True, "chatgpt": False, "gpt4": False, "newbing": True}
    row = {"question": "Who built it?", "golden_answer": "Jory Pell/Pell", "improper": False}
    row |= {f"answer_{system}": answers[system] for system in SYSTEMS}
    row |= {f"judge_{system}": right[system] for system in SYSTEMS}
    source = tmp_path / "release.json"
    source.write_text(json.dumps([row, row | {"question": "Who else built it?"}, row | {"improper": True}]))
    run = replayed(project, source, tmp_path, monkeypatch)
    found = analysis.compute(run)
    shown = {system: [figure["value"] for figure in figures.values()] for system, figures in found["systems"].items()}
    assert shown == {
        "fid": [1, 1, 1, 1, 1],
        "gpt35": [1, 0, 1, 0, 1],
        "chatgpt": [0, 0, 0, 1, 1],
        "gpt4": [0, 0, 0, 1, 1],
        "newbing": [1, 0, 0, 0, 0],
    }
    [table] = found["tables"]
    assert [line[:2] for line in table["rows"]] == [[system, 2] for system in sorted(SYSTEMS)]
    rows = report.compute(run, look=True)
    assert [row["ours"]["n"] for row in rows] == [2] * 15, "every published figure is one of the analysis"


@pytest.mark.parametrize(
    ("rubric", "why"),
    [
        ("other.yaml", "there is no file and no preset other.yaml. Presets: chain-attribution,"),
        ("wrong.yaml", "wrong.yaml: This is neither JSON nor YAML"),
    ],
)
def test_a_rubric_that_is_not_there_or_not_to_be_read_is_named_with_its_place(
    rubric: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = own_study(tmp_path, study=NAME)
    (root / "mine" / "wrong.yaml").write_text("show: [question\n")
    file = root / "mine" / "study.yaml"
    file.write_text(file.read_text().replace("rubric.yaml", rubric))
    monkeypatch.setattr(folders, "root", lambda: root)
    with pytest.raises(Refused, match=r"studies/mine/study\.yaml: judged\.options\.rubric: ") as refused:
        folders.read("mine")
    assert why in str(refused.value)


@pytest.mark.parametrize("given", ["relevance", {"show": [], "criteria": []}])
def test_a_study_names_a_preset_or_writes_the_rubric_itself(given: Any) -> None:
    folder = folders.read("relevance-multihop")
    [row] = folder.definition.batches
    rubric = folder.options_of(replace(row, options={"rubric": given}))["rubric"]
    assert rubric == (json.loads(presets("rate")[given].read_text()) if isinstance(given, str) else given)
