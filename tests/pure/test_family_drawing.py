"""The family of datasets as a picture."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data import family_drawing
from annotation.pure.data.family_drawing import Node, draw, fold, layers

KEYS = [f"n{k}" for k in range(8)]
EDGES = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS)), max_size=20)


def nodes(*keys: str) -> list[Node]:
    return [Node(key, family_drawing.DATASET, key) for key in keys]


def test_what_was_made_of_something_stands_right_of_it() -> None:
    found = layers(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")])
    assert found == {"a": 0, "b": 1, "c": 2, "d": 0}


def test_a_circle_ends_and_every_node_gets_a_layer() -> None:
    assert set(layers(["a", "b"], [("a", "b"), ("b", "a")])) == {"a", "b"}


def test_of_a_circle_no_line_leads_back() -> None:
    picture = draw(nodes("a", "b"), [("a", "b"), ("b", "a")])
    left_to_right = [box.node.key for box in sorted(picture.boxes, key=lambda box: box.x)]
    assert [[line.source, line.target] for line in picture.lines] == [left_to_right]


def test_a_line_of_descent_stands_level_and_branches_go_down() -> None:
    picture = draw(nodes("a", "b", "c", "d"), [("a", "b"), ("b", "c"), ("a", "d")])
    rows = {box.node.key: box.y for box in picture.boxes}
    assert rows["a"] == rows["b"] == rows["c"] < rows["d"]
    assert [(line.source, line.target) for line in picture.lines] == [("a", "b"), ("a", "d"), ("b", "c")]


@given(EDGES)
def test_no_two_boxes_meet_and_all_are_in_the_picture(edges: list[tuple[str, str]]) -> None:
    picture = draw(nodes(*KEYS), edges)
    assert [box.node.key for box in picture.boxes] == KEYS
    for box in picture.boxes:
        assert 0 <= box.x <= picture.width - family_drawing.WIDTH
        assert 0 <= box.y <= picture.height - family_drawing.HEIGHT
    for one in picture.boxes:
        assert not any(
            one is not other and one.x == other.x and abs(one.y - other.y) < family_drawing.HEIGHT
            for other in picture.boxes
        )


def test_edges_to_what_is_not_there_are_left_out() -> None:
    assert draw(nodes("a"), [("a", "gone"), ("gone", "a")]).lines == ()


def test_nothing_makes_an_empty_picture() -> None:
    assert draw([], []).boxes == ()


def test_many_batches_of_the_same_datasets_are_one_box_unless_something_came_of_them() -> None:
    batches = {"b1": ["x"], "b2": ["x"], "b3": ["x"], "b4": ["x"], "b5": ["y", "x"], "b6": ["x", "y"]}
    assert fold(batches, ["b2"]) == {("x",): ["b1", "b3", "b4"]}
    assert fold(batches, []) == {("x",): ["b1", "b2", "b3", "b4"]}


def test_a_long_name_is_cut_to_what_the_box_has_room_for() -> None:
    box = draw(nodes("a" * 40), []).boxes[0]
    assert len(box.text) == family_drawing.LETTERS
    assert box.text.endswith("…")
