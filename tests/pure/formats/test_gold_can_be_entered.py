"""Whoever knows the gold of a record, in whatever format it came, can submit it on the page and is then right."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.data.features import FeatureCount
from annotation.pure.statistics.metrics import scorer_for
from annotation.pure.text.normalization import fold
from annotation.registry import task_type
from annotation.tasktype import Features, capabilities
from annotation.tasktype.helpers.answering import answer_text
from annotation.tasktype.helpers.gold_answer import gold_answer
from annotation.tasktype.helpers.task_form import AnswerForm
from tests.long_forms import examples
from tests.pure.formats import samples
from tests.pure.formats.samples import written

PLAIN = ["tin", "Mara O'Brien", '"The Owl"', "1914-1918", "Zoë", "final office", "Straße 5", "Port Ember", "3.5"]
ODD = str.maketrans({"'": "’", '"': "“", "-": "–", " ": "\u00a0"})
SPELLINGS = [str, str.upper, lambda text: text.translate(ODD), lambda text: text.replace("ë", "e\u0308")]
ONE_PARAGRAPH = {"squad", "race", "csv"}
ELSEWHERE = ["4", "two wars", "yes", "No", ""]  # in no paragraph; "" is no answer


@st.composite
def records(draw: st.DrawFn) -> Example:
    """A record of two paragraphs, whose gold stands in one in some spelling, or in none."""
    answer = draw(st.sampled_from(PLAIN + ELSEWHERE))
    shown = draw(st.sampled_from(SPELLINGS))(answer) if answer in PLAIN else "a mill"
    texts = [f"It is said that {shown} stands there.", "Nothing else is known of it."]
    order = draw(st.permutations([0, 1]))
    paragraphs = tuple(Paragraph.of_sentences(f"Title {k}", (texts[k],)) for k in order)
    hop = Hop("What is there?", answer or "tin", order.index(0))
    return Example(
        id="q1",
        question="What stands there?",
        paragraphs=paragraphs,
        answers=(answer,) if answer else (),
        supports=(order.index(0),),
        facts=((order.index(0), 0),),
        hops=(hop, hop),
        answerable=False if not answer else draw(st.sampled_from([None, True])),
        options=(answer or "tin", "b", "c", "d"),
    )


def submitted(payload: dict[str, Any], text: str, support: list[int]) -> dict[str, Any]:
    """The answer of somebody who types the text, presses yes or no, or chooses the option, and ticks the support."""
    kind = "none" if not text else text.lower() if text.lower() in {"yes", "no"} else "text"
    posted = QueryDict(mutable=True)
    if payload["options"] and text:
        posted.update({"kind": "option", "option": str(payload["options"].index(text))})
    else:
        posted.update({"kind": kind, "text": text})
    posted.setlist("support", [str(place) for place in support])
    return AnswerForm(payload, posted).answer()


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "disconnection"])
@settings(max_examples=examples(12, soak=120), deadline=None)
@given(example=records())
def test_gold_that_is_not_refused_can_be_entered_and_scores_1(name: str, example: Example) -> None:
    if name in ONE_PARAGRAPH:
        example = replace(
            example, paragraphs=(example.paragraphs[example.supports[0]],), supports=(0,), facts=None, hops=()
        )
    if name not in {"race", "jsonl"}:
        example = replace(example, options=())
    try:
        parsed, _flaws = samples.read(name, written(name, [example]))
    except CannotWrite:
        reject()  # the format has no place for such a record, which its own tests say
    [found] = [one.example for one in parsed if one.example] or [None]
    assume(found is not None)
    count = FeatureCount()
    count.add(found)
    features = count.as_json()
    kind = task_type("answer")
    held = Features(
        yes_no=bool(features["yes_no"]), unanswerable=bool(features["unanswerable"]), options=bool(features["options"]),
        sentences=False, supports=bool(features["supports"]), paragraphs=len(found.paragraphs),
    )  # fmt: skip
    options = capabilities.suggest(kind, held)
    refused = False
    for own_words in ("refuse", "allow"):
        payload = kind.prepare(found, kind.options(options | {"own_words": own_words}), Random(0))
        assert payload is not None
        if own_words == "refuse" and not capabilities.enterable(kind, payload, found):
            refused = True
            assert kind.prepare(found, kind.options(options | {"own_words": "leave_out"}), Random(0)) is None
            continue
        text = gold_answer(payload, found)
        if text is None:
            assert not found.answers
            assert found.answerable is not False
            continue
        answer = submitted(payload, text, list(found.supports or [0]))
        assert kind.check(payload, answer) == []
        assert kind.grade(payload, answer, found) == 1
        if found.answerable is not False:
            [gold, *_aliases] = found.answers  # the official score is of the text's own spelling
            same = fold(gold) == fold(answer_text(answer)) and gold.lower() != answer_text(answer).lower()
            assert same or scorer_for(name).answer(answer_text(answer), found.answers).em == 1
    spoken = (found.answer or "").lower() in {"yes", "no"} or found.answerable is False or found.options
    assert not (refused and spoken), "what a button says is always there"
