"""Loose and strict accuracy of answers to questions with several correct answers, as FanOutQA defines them.

Zhu et al. 2024, FanOutQA (ACL, short papers); their code is fanoutqa/eval/string.py and scorer.py in the repository
zhudotexe/fanoutqa. *Loose* accuracy of a response is the share of the reference answers that occur in its text, between
word boundaries, both normalised; *strict* accuracy is 1 if all of them do. Both are averaged over questions, and a
missing response counts 0. Nothing is taken off for wrong answers beside the right ones.

Differences: an answer counts if any of its aliases occurs; and texts are normalised as in SQuAD, with the commas in
numbers removed, whereas FanOutQA brings words to their lemmas with spaCy. Inflected words may therefore count there and
not here.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from annotation.pure.text.folding import answer_key
from annotation.pure.text.normalization import normalise_answer

AnswerSet = Sequence[Sequence[str]]  # the correct answers, each with its aliases
COMMAS = re.compile(r"(?<=\d),(?=\d)")


class Accuracy(NamedTuple):
    """Both accuracies of a response, 0..1."""

    loose: float
    strict: float


def accuracy(response: str, answers: AnswerSet) -> Accuracy:
    """The accuracies of a response, a text of any form. Raises ValueError without answers."""
    if not answers:
        raise ValueError("there are no answers to find")
    text = _normalised(response)
    found = [any(_occurs(_normalised(alias), text) for alias in aliases) for aliases in answers]
    return Accuracy(sum(found) / len(found), float(all(found)))


def _normalised(text: str) -> str:
    return normalise_answer(COMMAS.sub("", text))


def _occurs(answer: str, text: str) -> bool:
    return bool(answer) and re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def lines_of(text: str) -> list[str]:
    """The answers of a response with one on each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def key(text: str) -> str:
    """The form in which two lists of answers count as the same: order and repetitions do not matter."""
    return "\n".join(sorted({answer_key(line) for line in lines_of(text)}))
