"""Questions whose paragraphs state an altered answer. A worker who gives the real one did not take it from the text.

As hidden gold they distinguish answers from the text from answers that people or models remember.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from annotation.pure.data.example import JSON, Example, Hop, Paragraph
from annotation.pure.text.masking import carries
from annotation.pure.text.named_entities import DATE, NAME, NUMBER, entity_of, kind_of

ALTERED = "altered_fact"  # in `extra`: {"from": the real answers, "to": what the paragraphs state}
TRIES = 10  # other answers tried for a question before it is dropped
_WITH_UNIT = re.compile(r"\d[\d.,]*(?:\s\w+){1,2}")
_PART = re.compile(r"\w{4,}")


class CannotAlter(ValueError):
    """The question's answer cannot be changed in its paragraphs; the message says why."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another question's answer, with its kinds and the words of its (last hop's) question."""

    answer: str
    kinds: tuple[str, str, bool, int]  # of the answer and of what is asked; whether it has digits; its words
    words: frozenset[str]

    @classmethod
    def of(cls, example: Example) -> "Other":
        answer, asked = (example.answer or "").strip(), example.hops[-1].question if example.hops else example.question
        kinds = kind_of(answer), entity_of(asked), bool(re.search(r"\d", answer)), len(answer.split())
        return cls(answer, kinds, frozenset(re.findall(r"\w+", f"{example.question} {asked}".lower())))


def altered(example: Example, others: Sequence[Other], rng: Random) -> Example:
    """The example with another answer, in its paragraphs too.

    A number gets other digits; a name is replaced by one of the same kind, of a question alike, among `others`.
    Raises CannotAlter.
    """
    answer = _alterable(example)
    for new in _proposals(example, answer, others, rng):
        if not any(carries(text, new) for text in _texts(example)):
            return _with_answer(example, answer, new)
    raise CannotAlter("no other question has a suitable answer")


def _alterable(example: Example) -> str:
    answer = (example.answer or "").strip()
    if not answer or example.answerable is False:
        raise CannotAlter("it has no answer")
    if example.options or example.answer_set:
        raise CannotAlter("it has several answers or options")
    if kind_of(answer) != NAME and not _is_number(answer):
        raise CannotAlter("its answer is neither a name nor a number")
    if any(carries(text, answer) for text in (example.question, *(p.title for p in example.paragraphs))):
        raise CannotAlter("the question or a title names its answer")
    places = range(len(example.paragraphs)) if example.supports is None else example.supports
    if not any(_mention(answer).search(example.paragraphs[k].text) for k in places):
        raise CannotAlter("its answer is not in its supporting paragraphs")
    left = [_mention(answer).sub(" ", paragraph.text) for paragraph in example.paragraphs]
    known = [*example.answers, *(_PART.findall(answer) if kind_of(answer) == NAME else ())]
    if any(carries(text, name) for text in left for name in known):
        raise CannotAlter("its answer is also stated in other words")
    return answer


def _proposals(example: Example, answer: str, others: Sequence[Other], rng: Random) -> list[str]:
    if _is_number(answer) and re.search(r"\d", answer):
        made = [_other_digits(answer, rng) for _ in range(TRIES)]
    else:
        own = Other.of(example)
        alike = [other for other in others if other.kinds == own.kinds]
        alike.sort(key=lambda other: (-len(other.words & own.words), other.answer))
        made = rng.sample([other.answer for other in alike[: 2 * TRIES]], min(TRIES, len(alike)))
    return [new for new in made if new != answer]


def _is_number(answer: str) -> bool:
    """Whether it is a number, a date, or a number with up to two more words, such as a unit."""
    return kind_of(answer) in (NUMBER, DATE) or bool(_WITH_UNIT.fullmatch(answer))


def _other_digits(answer: str, rng: Random) -> str:
    """The answer with other digits in its longest number; of four, as in a year, only the last two change."""
    number = max(re.finditer(r"\d+", answer), key=lambda match: len(match[0]))
    kept = number[0][:2] if len(number[0]) == 4 else ""
    changed = number[0][len(kept) :]
    least = 0 if kept or changed[0] == "0" or len(changed) == 1 else 10 ** (len(changed) - 1)
    digits = str(rng.randint(least, 10 ** len(changed) - 1)).zfill(len(changed))
    return answer[: number.start()] + kept + digits + answer[number.end() :]


def _mention(answer: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, answer.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.I)


def _texts(example: Example) -> list[str]:
    return [example.question, *(text for p in example.paragraphs for text in (p.title, p.text))]


def _with_answer(example: Example, answer: str, new: str) -> Example:
    mention = _mention(answer)
    known: JSON = {"from": list(example.answers), "to": new}
    return replace(
        example,
        answers=(new,),
        paragraphs=tuple(_stating(paragraph, mention, new) for paragraph in example.paragraphs),
        hops=tuple(_hop(hop, mention, new) for hop in example.hops),
        extra={**example.extra, ALTERED: known},
    )


def _stating(paragraph: Paragraph, mention: re.Pattern[str], new: str) -> Paragraph:
    if paragraph.sentences is None:
        return replace(paragraph, text=mention.sub(lambda _match: new, paragraph.text))
    sentences = tuple(mention.sub(lambda _match: new, sentence) for sentence in paragraph.sentences)
    return Paragraph.of_sentences(paragraph.title, sentences)


def _hop(hop: Hop, mention: re.Pattern[str], new: str) -> Hop:
    question, answer = (mention.sub(lambda _match: new, text) for text in (hop.question, hop.answer))
    return replace(hop, question=question, answer=answer)
