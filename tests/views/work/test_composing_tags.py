"""What templates of a composition ask for: the picture in words, where a draft stands, findings in few words."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string

from annotation.templatetags import composition_tags

PAYLOAD: dict[str, Any] = {
    "shape": "3hop2",
    "hops": [
        {"question": "Who was captain of the Petrel?", "answer": "Mara <b>Quell</b>"},
        {"question": "In which town is the Tide Organ?", "answer": "Mellisand"},
        {"question": "What did #1 bring to #2?", "answer": "lemon trees"},
    ],
    "edges": [{"head": 1, "tail": 3, "entity": "Mara Quell"}, {"head": 2, "tail": 3, "entity": "Mellisand"}],
    "checks": {},
    "most_words": 25,
}


@pytest.mark.parametrize(
    ("bridges", "stage"),
    [
        ([], {"name": "judging", "bridge": 1}),
        (["same"], {"name": "judging", "bridge": 2}),
        (["same", "same"], {"name": "writing", "bridge": 0}),
        (["unsure", ""], {"name": "aside", "bridge": 1}),
    ],
)
def test_a_page_begins_where_the_draft_stands(bridges: list[str], stage: dict[str, Any]) -> None:
    assert composition_tags.stage_of(PAYLOAD, {"bridges": bridges}) == stage


def test_the_graph_is_told_in_words_and_its_texts_stay_texts() -> None:
    html = render_to_string("compose/_graph.html", {"payload": PAYLOAD, "name": "g"})
    assert "Hop 1 uses no other hop." in html
    assert "Hop 3 uses the answer of hop 1 and 2." in html
    assert "Mara &lt;b&gt;Quell" in html


@pytest.mark.parametrize(
    ("check", "hop", "brief", "named"),
    [
        ("hop_missing", 2, "does not ask about", "does not ask about hop 2"),
        ("gives_away", 1, "gives away “X”, the answer of", "gives away “X”, the answer of hop 1"),
        ("gives_away_final", 3, "gives away the final answer, “X”", "gives away the final answer, “X”"),
        ("too_long", 0, "30 words (at most 25)", "30 words (at most 25)"),
        ("of another day", 2, "Something about X.", "Something about X."),
    ],
)
def test_a_finding_is_said_in_few_words(check: str, hop: int, brief: str, named: str) -> None:
    values = {"words": "X", "hop": hop, "n": 30, "most": 25}
    finding = {"check": check, "hop": hop, "message": "Something about %(words)s.", "values": values}
    assert (composition_tags.short_finding(finding), composition_tags.finding_with_hop(finding)) == (brief, named)


def test_every_check_has_its_few_words() -> None:
    from annotation.pure.text.composed_question_checks import CHECKS

    assert set(composition_tags.SHORT_FINDINGS) == set(CHECKS)


def test_a_page_is_whole_before_scripts_ask_for_anything() -> None:
    draft = {"question": "What did the captain bring home?", "overrides": {"hop_missing-2": "implied"}}
    context = {"frame": {"task": "compose"}, "payload": PAYLOAD, "draft": draft}
    found = composition_tags.live_now(context, "checks")
    assert [(f["id"], f["overridden"]) for f in found["findings"]] == [("hop_missing-2", True)]
    assert composition_tags.used_hops(found["coverage"]) == [1, 3]
    assert [row["hop"] for row in found["coverage"] if row["skipped"]] == [2]
