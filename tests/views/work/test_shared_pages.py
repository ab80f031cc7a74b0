"""What items share is rendered once, and anew for an item that has other parts."""

from __future__ import annotations

from annotation.views.work.task_frame import shape_of


def test_a_page_is_shared_by_items_with_the_same_parts_only() -> None:
    payload = {"question": "Who?", "options": [], "controls": {"support": True}, "answer": ""}
    assert shape_of(payload) == shape_of(payload | {"question": "Where?"})
    others = [{"options": ["a"]}, {"controls": {"support": False}}, {"answer": "Tower 1"}, {"hops": []}]
    assert len({shape_of(payload), *(shape_of(payload | other) for other in others)}) == 5
    assert shape_of({"hops": [1, 2]}) != shape_of({"hops": [1]})
