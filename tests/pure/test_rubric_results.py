"""What responses to a rubric add up to, by criterion and element."""

from __future__ import annotations

from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.ratings.results import aggregated, likeness
from annotation.pure.ratings.rubric import parse
from annotation.pure.ratings.showing import payload_of

TEXT = "Ana Brook built a kiln."


def payload(**criterion: Any) -> dict[str, Any]:
    rubric = parse({"show": ["text"], "criteria": [{"name": "it", "ask": "It?", **criterion}]})
    return payload_of(rubric, Example("x", "", (), extra={"text": TEXT, "a": "A", "b": "B", "c": "C"}))


def marked(*places: tuple[int, int]) -> dict[str, Any]:
    return {"it": [{"part": 0, "start": start, "end": end} for start, end in places]}


def test_words_that_more_than_half_marked_are_whole_words_and_neighbours_one_span():
    """One marks “na Brook bu”, one “Brook built”, one nothing, one “kiln.”: half is not more than half."""
    shown = payload(mark="text")
    three = [marked((1, 12)), marked((4, 15)), marked((18, 23))]
    assert aggregated(shown, three)["ratings"]["it"] == {"value": marked((4, 15))["it"], "n": 3}
    assert aggregated(shown, [*three, marked()])["ratings"]["it"] == {"value": [], "n": 4}
    assert likeness(shown, shown["criteria"][0], None, three[0]["it"], three[1]["it"]) == 2 / 3


def test_systems_of_equal_mean_rank_are_tied_and_not_put_in_the_order_of_the_rubric():
    shown = payload(order=["a", "b", "c"])
    answers = [{"it": order} for order in (["a", "b", "c"], ["b", "a", "c"])]
    assert aggregated(shown, answers)["kind"] == "tied"
    assert aggregated(shown, [*answers, {"it": ["b", "c", "a"]}])["ratings"]["it"]["value"] == ["b", "a", "c"]
