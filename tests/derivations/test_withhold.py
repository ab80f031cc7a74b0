"""`withhold`: which paragraphs stay, that the seed draws them, and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.derivations import DERIVATIONS
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.listed import Listed, derived

WITHHOLD = DERIVATIONS["withhold"]


def lighthouse(number: int, supports: tuple[int, ...] | None = (1, 3, 4)) -> Example:
    paragraphs = tuple(Paragraph(f"Lamp {k}", f"Keeper {k} lit lamp {k}.") for k in range(6))
    hops = tuple(Hop(f"Who lit lamp {p}?", f"Keeper {p}", p) for p in supports or ())
    return Example(f"q{number}", "Who lit it?", paragraphs, ("Keeper 4",), supports=supports, hops=hops)


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_all_but_k_supporting_paragraphs_are_left_out(keep: int) -> None:
    source = lighthouse(1)
    [made], tally = derived(WITHHOLD, Listed([source]), seed=4, keep=keep)
    assert (made.id, made.question, made.answers, made.group) == ("q1", source.question, source.answers, "")
    titles = [paragraph.title for paragraph in made.paragraphs]
    stay = [titles[place] for place in made.supports or ()]
    assert len(stay) == keep
    assert set(stay) <= {"Lamp 1", "Lamp 3", "Lamp 4"}
    assert titles == sorted({"Lamp 0", "Lamp 2", "Lamp 5", *stay})
    assert [titles[hop.support] for hop in made.hops if hop.support is not None] == stay
    assert (tally.read, tally.kept) == (1, 1)


def test_the_seed_draws_which_ones_stay() -> None:
    source = Listed([lighthouse(number) for number in range(30)])
    first, again, other = (derived(WITHHOLD, source, seed=seed, keep=1)[0] for seed in (1, 1, 2))
    assert first == again != other
    assert {made.paragraphs[place].title for made in first for place in made.supports or ()} == {
        "Lamp 1", "Lamp 3", "Lamp 4",
    }  # fmt: skip


def test_questions_without_a_paragraph_to_withhold_are_left_out() -> None:
    gone = replace(lighthouse(4), answerable=False)
    alone = replace(lighthouse(5), paragraphs=lighthouse(5).paragraphs[:2], supports=(0, 1), hops=())
    source = Listed([lighthouse(1), lighthouse(2, (1,)), lighthouse(3, None), gone, alone])
    made, tally = derived(WITHHOLD, source, keep=1)
    assert [example.id for example in made] == ["q1", "q5"]
    assert dict(tally.dropped) == {
        "it has no supporting paragraph to withhold": 1,
        "its supporting paragraphs are not known": 1,
        "it is unanswerable already": 1,
    }
    assert derived(WITHHOLD, Listed([alone]), keep=0)[1].dropped == {"no paragraph would stay": 1}
    with pytest.raises(InvalidValues, match="keep"):
        derived(WITHHOLD, source, keep=-1)


def test_the_paragraphs_that_people_did_not_cite_are_left_out_of_under_cited_questions() -> None:
    def cited(number: int, status: str, places: list[int]) -> Example:
        return replace(lighthouse(number), extra={"back_decomposition": {"status": status, "cited": places}})

    source = Listed([cited(1, "under_cited", [2, 4]), cited(2, "fully_cited", [1, 3, 4]), lighthouse(3)])
    [made], tally = derived(WITHHOLD, source, uncited=True)
    assert [paragraph.title for paragraph in made.paragraphs] == ["Lamp 0", "Lamp 2", "Lamp 4", "Lamp 5"]
    assert tally.dropped == {"it is not under-cited": 2}
