"""Sub-questions for the browser tests: one to correct, a template of three hops, and one in any script."""

from __future__ import annotations

from typing import Any

from annotation.pure.data.example import Example, Hop, Paragraph
from tests.browser.graphs import HARD
from tests.browser.two_paragraphs import FERRY, FINCH, MARKET, ORGAN, VOLE

ORGAN_QUESTION = Example(
    "organ",
    "In which town was the builder of the organ of Saint Orrin in Farrow born?",
    (MARKET, ORGAN, VOLE),
    ("Quillhaven",),
    supports=(1, 2),
    hops=(Hop("Who the organ of Saint Orrin built?", "Vole", 1), Hop("In which town was Vole born?", "Quillhaven", 2)),
    shape="bridge",
)
FERRY_QUESTION = Example(
    "ferry",
    "What did the first master of the Lantern leave to the chapel?",
    (FERRY, FINCH),
    ("his notebooks",),
    supports=(0, 1),
    hops=(
        Hop("Which ferry crossed the sound from 1820?", "the Lantern", 0),
        Hop("Who was the first master of #1?", "Jory Finch", 0),
        Hop("What did #2 leave to the chapel?", "his notebooks", 1),
    ),
)


def sub_questions() -> list[dict[str, Any]]:
    return [ORGAN_QUESTION.as_json()]


def template_questions() -> list[dict[str, Any]]:
    return [FERRY_QUESTION.as_json()]


def hard_sub_questions() -> list[dict[str, Any]]:
    """Texts in any script with long words."""
    paragraphs = (
        Paragraph("", f"{HARD} keeps it. <b>&</b> {'Ünterbröt' * 30}\r\nand so on."),
        Paragraph(HARD, f"שלדג sailed with {HARD}, and «שלדג» was its name. {'W' * 90}"),
    )
    hops = (Hop(f"Who keeps {'W' * 90}?", HARD, 0), Hop(f"What sailed with {HARD} and 'מה' <i>?", "שלדג", 1))
    example = Example("hard", f"What sailed with the keeper of {'W' * 90}?", paragraphs, ("שלדג",), (0, 1), hops=hops)
    return [example.as_json()]


KINDS = {f.__name__: f for f in (sub_questions, template_questions, hard_sub_questions)}
