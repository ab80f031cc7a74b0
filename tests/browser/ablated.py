"""Ablated questions for the browser tests, made by the derivation out of records invented here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.derivations import DERIVATIONS
from annotation.pure.data.example import Example, Paragraph
from tests.derivations.listed import Listed, derived

TEXT = (
    "The Grey Heron ⛵ was launched by Ada Lorne at Tolmouth in 1871. She carried salt for twelve years, because the "
    "mines of Wick Harrow had no railway. When the line was opened, her owner sold her to Jory Finch, who made a ferry "
    "of her. In 1904 she ran aground near the mouth of the Lum, and nobody was hurt."
)
ASKED = (("Who launched the Grey Heron?", "Ada Lorne"), ("To whom was the ship sold?", "Jory Finch"))


def source() -> list[Example]:
    return [
        Example(f"heron-{k}", question, (Paragraph("Grey Heron", TEXT),), (answer,))
        for k, (question, answer) in enumerate(ASKED)
    ]


def ablated(number: int, examples: list[Example]) -> list[dict[str, Any]]:
    made, _ = derived(DERIVATIONS[f"ablation:{number}"], Listed(examples), seed=1, seeds=1)
    return [example.as_json() for example in made]


def content_words() -> list[dict[str, Any]]:
    return ablated(3, source())


def anonymous() -> list[dict[str, Any]]:
    return ablated(4, source())


def shuffled_options() -> list[dict[str, Any]]:
    options = ("Ada Lorne", "Jory Finch", "Osla Brandt", "Mara Quell")
    return ablated(7, [replace(example, options=options) for example in source()])


KINDS = {f.__name__: f for f in (content_words, anonymous, shuffled_options)}
