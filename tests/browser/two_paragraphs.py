"""Pairs of paragraphs for the browser tests: questions of two hops on an invented island, and one in any script."""

from __future__ import annotations

from typing import Any

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import Tally
from annotation.pure.data.example import Example, Paragraph
from tests.browser.graphs import HARD
from tests.derivations.listed import Listed

ORGAN = Paragraph(
    "The organ of Saint Orrin",
    "The organ of Saint Orrin in Farrow stands on the west gallery above the door. It has twenty-two stops, was built "
    "by Tamsin Vole between 1788 and 1791, and was paid for by a duty on salt. Two of its pipes are made of driftwood.",
)
VOLE = Paragraph(
    "Tamsin Vole",
    "Tamsin Vole was a maker of organs and clocks. Born in Quillhaven as the fourth child of a ferryman, she learned "
    "her trade from her uncle and built nine instruments, of which four can still be heard. She never learned to play.",
)
FERRY = Paragraph(
    "Lantern (ferry)",
    "The Lantern crossed the sound between Farrow and Gannet Pier from 1820 until the bridge was opened. Her first "
    "master was Jory Finch, who kept the post for thirty-one years and is said to have missed four crossings.",
)
FINCH = Paragraph(
    "Jory Finch",
    "Jory Finch, known as Old Finch, was a ferryman and a collector of songs. He was born in Wick Harrow, wrote down "
    "some two hundred songs of the sound, and left his notebooks to the chapel, where they were found in 1902.",
)
MARKET = Paragraph(
    "Quillhaven",
    "Quillhaven is a market town at the mouth of the Sorrel with eleven hundred people, two inns and a yard for small "
    "ships. Its market of pens and paper, held each autumn since 1640, gave the town its name.",
)
PIER = Paragraph(
    "Gannet Pier",
    "Gannet Pier lies on the northern shore of the sound. Its crane, turned by two goats until 1903, is kept in order "
    "by a society of friends, and the song of the crane is sung by children from Wick Harrow to Farrow.",
)
CHOIR = Paragraph("The Farrow choir", "The choir of Farrow was founded by Osla Brandt in 1866 and sings on the pier.")
BRANDT = Paragraph("Osla Brandt", "Osla Brandt, a baker, was taught to sing by Mab Ostler of Skarrow.")


def question(name: str, text: str, answer: str, supports: tuple[Paragraph, Paragraph], *others: Paragraph) -> Example:
    return Example(name, text, (*supports, *others), (answer,), supports=(0, 1))


def whole() -> list[Example]:
    return [
        question(
            "organ", "In which town was the builder of the organ of Saint Orrin in Farrow born?", "Quillhaven",
            (ORGAN, VOLE), MARKET, PIER, FINCH, CHOIR,
        ),
        question(
            "ferry", "Where was the first master of the ferry that crossed to Gannet Pier born?", "Wick Harrow",
            (FERRY, FINCH), PIER, MARKET, ORGAN,
        ),
        question("choir", "Who taught the founder of the Farrow choir?", "Mab Ostler", (CHOIR, BRANDT), FERRY, PIER),
    ]  # fmt: skip


def of(examples: list[Example]) -> list[dict[str, Any]]:
    made = DERIVATIONS["sufficiency-pairs"]
    found = made.derive(Listed(examples), made.Options(), seed=1, tally=Tally())
    return [example.as_json() for _name, example in found]


def two_paragraphs() -> list[dict[str, Any]]:
    """Nine pairs of three questions."""
    return of(whole())


def two_hard_paragraphs() -> list[dict[str, Any]]:
    """The pairs of one question of texts in any script with long words."""
    paragraphs = [
        Paragraph("", f"{HARD} keeps it. <b>&</b> {'Ünterbröt' * 30}\r\nand so on."),
        Paragraph(HARD, f"שלדג sailed with {HARD}, and «שלדג» was its name."),
        Paragraph("W" * 90, "Plain. " * 80),
    ]
    (supports, other) = (paragraphs[0], paragraphs[1]), paragraphs[2]
    return of([question("hard", f"Who keeps the {'W' * 90} with מה?", "שלדג", supports, other)])


KINDS = {f.__name__: f for f in (two_paragraphs, two_hard_paragraphs)}
