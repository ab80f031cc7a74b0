"""The studies on real records, as far as those at hand suffice: SubQA's sub-questions and RACE are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.models import Project, User
from annotation.studies import folders, report
from annotation.studies.launch import batches_of, begin, launch
from tests.shared_data import shared_data
from tests.studies.rounds import work_through_rounds
from tests.studies.test_studies import project, responses

__all__ = ["project"]  # the fixture

HOTPOT, ANS = "hotpotqa_dev_distractor_240.json", "musique_ans_dev_130.jsonl"
WIKI = "2wikimultihopqa_dev_150.json"
FILES = {
    "dire-sufficiency": {"questions": HOTPOT},
    "human-dire": {"questions": HOTPOT},
    "min-2019-withheld": {"questions": HOTPOT},
    "musique-ablation": {"questions": ANS, "wikipedia": HOTPOT},
    "musique-composition": {"questions": ANS},
    "musique-full-answerability": {"questions": "musique_full_3_pairs.jsonl"},
    "musique-human-score": {"questions": ANS},
    "musique-table-4": {"hotpotqa": HOTPOT, "2wiki": WIKI, "musique": ANS},
    "relevance-multihop": {"questions": HOTPOT},
    "su-2026": {"questions": WIKI, "decomposed": ANS},
}
WITHOUT = {"capacity-reconstructability", "capacity-solvability", "subqa-1000"}  # their records are not at hand
REPLAYED = {"openqa-equivalence"}  # tests/studies/test_openqa_equivalence.py


def test_each_study_is_tried_or_lacks_its_records() -> None:
    assert FILES.keys() | WITHOUT | REPLAYED == set(folders.names())


@pytest.mark.soak
@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(FILES))
def test_a_study_runs_whole_on_real_records(name: str, project: Project, tmp_path: Path, alice: User) -> None:
    folder, files = folders.read(name), {data: shared_data(file) for data, file in FILES[name].items()}
    run = begin(project, folder, {"run": name, "scale": 0.1}, files=files)
    launch(run, folder, files=files, say=lambda _text: None)
    assert all(batch.size for batch in batches_of(run).values())
    work_through_rounds(run, alice)
    report.take_responses(run, responses(run, tmp_path))
    rows = report.compute(run, look=True)
    pointed = [figure for figure in run.published if figure.batch]
    assert len([row for row in rows if row["ours"] is not None]) == len(pointed), [row["note"] for row in rows]
    assert len(report.lines(rows)) == len(run.published)
