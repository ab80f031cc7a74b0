"""The guide of rubrics: each of its rubrics is valid, fits its record, and asks something about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from annotation.pure.data.example import Example
from annotation.pure.ratings.rubric import KINDS, parse
from annotation.pure.ratings.showing import check_fields, payload_of
from annotation.pure.text import structured

GUIDE = (Path(__file__).resolve().parents[3] / "docs/rubrics.md").read_text(encoding="utf-8")
BLOCKS = [structured.read(text) for text in re.findall(r"```(?:json|yaml)\n(.*?)```", GUIDE, re.DOTALL)]
[RECORD] = [Example.from_json(block) for block in BLOCKS if "criteria" not in block]
RUBRICS: list[Any] = [block for block in BLOCKS if "criteria" in block]


@pytest.mark.parametrize("given", RUBRICS, ids=lambda given: given["criteria"][0]["name"])
def test_each_rubric_of_the_guide_fits_its_record(given: Any) -> None:
    rubric = parse(given)
    check_fields(rubric, [RECORD])
    payload = payload_of(rubric, RECORD)
    assert [each["name"] for each in payload["criteria"]] == [each["name"] for each in given["criteria"]]
    assert {each["field"] for each in payload["show"]} == set(given["show"])


def test_the_guide_names_every_kind_and_has_the_five_examples() -> None:
    assert len(RUBRICS) == 5
    assert [kind for kind in KINDS if f'`"{kind}": ' not in GUIDE] == []
