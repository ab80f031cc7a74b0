"""`sample`: so many items or groups, the same by the same seed, each stratum with its share."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.sources import Listed, derived, graphs, made

PLAIN = graphs(60, seed=3)
TWINS = Listed([replace(each, answerable=result, group=each.id) for result in (True, False) for each in PLAIN])


def ids(examples: list[Example]) -> list[str]:
    return [example.id for example in examples]


def test_groups_come_whole_and_in_the_order_of_the_source() -> None:
    found, tally = derived("sample", TWINS, seed=7, count=20)
    examples = [example for _, example in found]
    assert set(Counter(ids(examples)).values()) == {2}
    assert len(examples) == tally.kept == 40
    assert examples == [each for each in TWINS.examples() if each in examples]
    assert tally.figures == {"groups": 60, "drawn": 20}
    assert tally.dropped == {"it was not drawn": 80}


def test_items_are_drawn_one_by_one_where_that_is_wished() -> None:
    found, tally = derived("sample", TWINS, seed=7, count=20, unit="items")
    assert len(found) == tally.figures["drawn"] == 20
    assert 1 in Counter(ids([example for _, example in found])).values()


def test_the_seed_says_which() -> None:
    one, again, other = (ids(made("sample", TWINS, seed=seed, count=20)) for seed in (1, 1, 2))
    assert one == again != other


def test_every_question_is_as_likely_as_any_other() -> None:
    drawn = Counter(id for seed in range(400) for id in ids(made("sample", Listed(PLAIN[:12]), seed=seed, count=3)))
    assert len(drawn) == 12
    assert all(70 <= number <= 130 for number in drawn.values())


@pytest.mark.parametrize("strata", ["hops", "shape"])
@pytest.mark.parametrize("count", [7, 20, 59])
def test_each_stratum_keeps_its_share(strata: str, count: int) -> None:
    def name(example: Example) -> str:
        return str(len(example.hops)) if strata == "hops" else example.shape

    found, tally = derived("sample", TWINS, seed=5, count=count, strata=strata)
    there, drawn = Counter(map(name, PLAIN)), Counter(name(example) for _, example in found)
    assert sum(drawn.values()) == 2 * count
    assert all(abs(drawn[each] / 2 - count * there[each] / 60) < 1 for each in there)
    assert tally.figures["strata"] == {n: {"there": there[n], "drawn": drawn[n] // 2} for n in sorted(there)}


def test_more_than_there_are_are_all_and_fewer_than_one_are_refused() -> None:
    assert made("sample", Listed(PLAIN), count=100) == PLAIN
    with pytest.raises(InvalidValues, match="count"):
        derived("sample", Listed(PLAIN), count=0)
