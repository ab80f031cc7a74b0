"""Vennory's single-hop questions as examples."""

from __future__ import annotations

from annotation.demo import encyclopedia
from annotation.pure.data.example import Example


def singlehop_examples() -> list[Example]:
    """The single-hop questions, each with its one paragraph; the material of compositions."""
    return [
        Example(
            id=str(single.id),
            question=single.question,
            paragraphs=(encyclopedia.paragraphs()[single.key].paragraph,),
            answers=single.answers,
            supports=(0,),
            group=str(single.id),
        )
        for single in encyclopedia.singlehop().values()
    ]
