"""`join`: the questions of several datasets in one, each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.listed import Listed, derived
from tests.derivations.test_dire import well


class Shelf(Listed):
    """A dataset that knows others."""

    def __init__(self, examples: list, others: dict[str, Listed]) -> None:
        super().__init__(examples)
        self._others = others

    def other(self, name: str) -> Listed:
        if name not in self._others:
            raise CannotDerive(f"there is no dataset {name!r} in the project")
        return self._others[name]


def test_questions_follow_each_other_and_come_once() -> None:
    twins = [well(1), replace(well(1), answerable=False)]
    more = Listed([well(2), well(1), well(3)])
    made, tally = derived(DERIVATIONS["join"], Shelf(twins, {"more": more}), others="more")
    assert [e.id for e in made] == ["q1", "q1", "q2", "q3"]
    assert tally.dropped == {"a question of this id is there already": 1}


def test_graphs_without_a_question_may_be_left_out() -> None:
    bare = replace(well(2), question="")
    made, tally = derived(
        DERIVATIONS["join"], Shelf([well(1), bare], {"more": Listed([well(2)])}), others="more", composed=True
    )
    assert [(e.id, bool(e.question)) for e in made] == [("q1", True), ("q2", True)]
    assert tally.dropped == {"it has no question yet": 1}


def test_no_or_an_unknown_dataset_is_refused() -> None:
    with pytest.raises(InvalidValues, match="required"):
        derived(DERIVATIONS["join"], Shelf([well(1)], {}), others=" , ")
    with pytest.raises(CannotDerive, match="no dataset 'nowhere'"):
        derived(DERIVATIONS["join"], Shelf([well(1)], {}), others="nowhere")
