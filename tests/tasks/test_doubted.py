"""When people's answers put gold in doubt, in the tasks that ask for answers."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.pure.data.example import Example
from annotation.registry import task_type
from annotation.tasktype import capabilities

KNOWN: dict[str, Any] = {"id": "e", "question": "Where?", "paragraphs": ()}
PORT = Example(**KNOWN, answers=("Port Anselm",))
NOWHERE = Example(**KNOWN, answers=(), answerable=False)
HIDDEN = Example(**KNOWN, answers=())


def said(text: str) -> dict[str, Any]:
    return {"kind": "span" if text else "none", "text": text, "answerable": bool(text)}


@pytest.mark.parametrize("kind", ["answer", "answerability"])
@pytest.mark.parametrize(
    ("texts", "gold", "found"),
    [
        (["Tarne", "the Tarne"], PORT, ("Tarne", 2, 2)),
        (["Tarne", "tarne.", "Port Anselm"], PORT, ("Tarne", 2, 3)),
        (["طرن", "طرن", "🙂"], PORT, ("طرن", 2, 3)),
        (["", "", "Port Anselm"], PORT, ("", 2, 3)),
        (["Tarne", "Tarne", ""], NOWHERE, ("Tarne", 2, 3)),
        (["Tarne", "Tarne", "Lum", "Lum"], PORT, None),
        (["Tarne"], PORT, None),
        (["Port Anselm harbour", "Port Anselm harbour"], PORT, None),
        (["port anselm", "Port Anselm"], PORT, None),
        (["", ""], NOWHERE, None),
        (["Tarne", "Tarne"], HIDDEN, None),
        ([], PORT, None),
    ],
)
def test_more_than_half_in_equal_words_far_from_gold(
    kind: str, texts: list[str], gold: Example, found: tuple[str, int, int] | None
) -> None:
    doubt = task_type(kind).doubt({}, [said(text) for text in texts], gold)
    assert (doubt and (doubt["text"], doubt["votes"], doubt["answers"])) == found


def test_tasks_without_gold_answers_doubt_nothing() -> None:
    assert capabilities.doubt(task_type("coreference"), {}, [{"bridges": ["same"], "why": ""}] * 2, PORT) is None
