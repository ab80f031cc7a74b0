"""The commands that read 2WikiMultihopQA's aliases, and SQuAD 2.0 with predictions missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.models import Dataset
from tests.flow.data.test_aliases import NAMES, RECORD
from tests.flow.review.test_response_import import lines
from tests.management.conftest import Run

pytestmark = pytest.mark.django_db


def test_the_command_takes_the_file_and_says_what_is_wrong_with_it(run: Run, tmp_path: Path) -> None:
    gold, names = lines(tmp_path / "in.jsonl", [RECORD]), lines(tmp_path / "names.jsonl", NAMES)
    result = ["import_dataset", gold, "--name", "isles", "--aliases"]
    assert run(*result, names, "--format", "2wikimultihopqa").code == 0
    assert Dataset.objects.get().items.get().example.answers == ("tin", "stannum")
    broken = lines(tmp_path / "broken.jsonl", [{"Q_id": "Q1", "aliases": "x"}])
    refused = run(*result[:3], "other", "--aliases", broken, "--format", "2wikimultihopqa")
    assert (refused.code, "line 1 (id Q1), record: it names no entity" in refused.err) == (1, True)
    refused = run(*result[:3], "other", "--aliases", names, "--format", "hotpotqa")
    assert refused.err.strip().endswith("hotpotqa does not use an alias file; only 2wikimultihopqa does.")
    assert Dataset.objects.count() == 1


def test_evaluate_takes_the_file_and_counts_missing_predictions_of_squad(run: Run, tmp_path: Path) -> None:
    gold, names = lines(tmp_path / "in.jsonl", [RECORD]), lines(tmp_path / "names.jsonl", NAMES)
    said = tmp_path / "p.json"
    said.write_text(json.dumps({"answer": {"isle-2": "stannum"}, "sp": {}, "evidence": {}}))
    ours = ["evaluate", "--format", "2wikimultihopqa", "--gold", gold, "--predictions", said, "--aliases", names]
    assert run(*ours, "--json").document["em"] == 100
    questions = [{"id": f"q{k}", "answers": []} for k in range(2)]
    gold.write_text(json.dumps({"version": "v2.0", "data": [{"paragraphs": [{"qas": questions}]}]}))
    said.write_text(json.dumps({"q1": ""}))
    ours = ["evaluate", "--format", "squad", "--gold", gold, "--predictions", said]
    assert (run(*ours).code, "1 of 2 questions have no prediction: q0" in run(*ours).err) == (1, True)
    assert run(*ours, "--missing", "empty", "--json").document["total"] == 2
