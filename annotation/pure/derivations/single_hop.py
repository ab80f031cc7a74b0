"""Single-hop questions for composition, and their checks (MuSiQue, section 5, S1).

Sources are records with one paragraph, each a question, and decompositions, each hop a question.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.text.masking import resolved
from annotation.pure.text.spans import locate

ORIGIN = "source_id"  # in `extra`: the id that a single-hop question had before it got its number; SOURCE for lists
SOURCE = "source"  # in `extra`: a question's source, a text; for a decomposition a list, one per hop


@dataclass(frozen=True, slots=True)
class Single:
    """A question that one paragraph answers. `answers` holds the answer and then its aliases.

    `source` names the dataset it comes from ("" if unknown); `origin` is its id before `numbered` replaced it.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    paragraph: Paragraph
    source: str = ""
    origin: str = ""

    @property
    def answer(self) -> str:
        return self.answers[0]

    def as_example(self, *, origin: str = "") -> Example:
        return Example(
            id=self.id,
            question=self.question,
            paragraphs=(self.paragraph,),
            answers=self.answers,
            supports=(0,),
            group=self.id,
            extra={key: text for key, text in ((ORIGIN, origin), (SOURCE, self.source)) if text},
        )


@dataclass(frozen=True, slots=True)
class Rules:
    """Criteria for usable single-hop questions; words are separated by white space."""

    fewest_words: int = 20
    most_words: int = 300  # 0: no limit
    answer_in_paragraph: bool = True

    def fault(self, single: Single) -> str:
        """The reason why the question is not usable, or ""."""
        if not single.question.strip():
            return "the question is empty"
        if dag.references(single.question):
            return "the question has a #k of its own"
        length = len(single.paragraph.text.split())
        if length < self.fewest_words:
            return f"the paragraph has fewer than {self.fewest_words} words"
        if self.most_words and length > self.most_words:
            return f"the paragraph has more than {self.most_words} words"
        if self.answer_in_paragraph and not _answered(single):
            return "the answer is not in the paragraph"
        return ""


def _answered(single: Single) -> bool:
    text = single.paragraph.text
    return any(answer in text or locate(answer, [text]) for answer in single.answers if answer.strip())


def as_single_hop(example: Example) -> Single | str:
    """A record without a decomposition as a single-hop question, or the reason why it is not one."""
    if not any(answer.strip() for answer in example.answers) or example.answerable is False:
        return "the question has no answer"
    places = range(len(example.paragraphs)) if len(example.paragraphs) < 2 else sorted(example.supports or ())
    if len(places) != 1:
        return "there is not one supporting paragraph" if example.paragraphs else "there is no paragraph"
    return Single(example.id, example.question, example.answers, example.paragraphs[places[0]], sources(example)[0])


def sources(example: Example, *, key: str = SOURCE) -> list[str]:
    """The source of each hop of an example, "" if unknown. A record without hops has one source.

    With the key ORIGIN the ids that the hops had before they were numbered.
    """
    stored, hops = example.extra.get(key), len(example.hops) or 1
    if isinstance(stored, list | tuple) and len(stored) == hops:
        return [each if isinstance(each, str) else "" for each in stored]
    return [stored if isinstance(stored, str) else ""] * hops


def parts(example: Example) -> Iterator[Single | str]:
    """For each hop of a decomposition its single-hop question (earlier answers filled in), or the reason why not.

    The id is the hop's, or ""; the record's aliases go to the last hop.
    """
    broken = {problem.hop for problem in dag.problems(example.hops)}
    for number, hop in enumerate(example.hops, 1):
        if number in broken:
            yield "the hop refers to a hop that is not before it"
        else:
            part = _part(example, hop, last=number == len(example.hops))
            yield part if isinstance(part, str) else replace(part, source=sources(example)[number - 1])


def part_groups(example: Example) -> Iterator[str]:
    """The groups that a pair or graph is made of: of its single-hop questions, and of the pairs along its edges."""
    ids = [str(hop.id) for hop in example.hops]
    yield from (origin or own for origin, own in zip(sources(example, key=ORIGIN), ids, strict=True))
    if len(ids) > 2:
        yield from (f"{ids[j - 1]}_{ids[i - 1]}" for j, i in dag.edges(example.hops))


def _part(example: Example, hop: Hop, *, last: bool) -> Single | str:
    if not hop.answer.strip():
        return "the question has no answer"
    if hop.support is None or not 0 <= hop.support < len(example.paragraphs):
        return "the hop's paragraph is not in the context"
    aliases = [a for a in example.answers if a != hop.answer] if last and hop.answer in example.answers else []
    question = resolved(hop.question, example.hops)
    hop_id = "" if hop.id is None else str(hop.id)
    return Single(hop_id, question, (hop.answer, *aliases), example.paragraphs[hop.support])


def number(text: str) -> int | None:
    """An id as an integer, if it is one in its usual spelling; else None."""
    plain = text.isascii() and text.isdigit() and len(text) <= 18
    return int(text) if plain and str(int(text)) == text else None


def numbered(singles: Iterable[Single]) -> Iterator[Single]:
    """The questions with integers as ids: integer ids stay, others are replaced by unused integers from 1, in order.

    The same questions in the same order get the same ids; a replaced id is kept as `origin`.
    """
    questions = list(singles)
    used = {single.id for single in questions if number(single.id) is not None}
    free = (text for text in map(str, count(1)) if text not in used)
    for single in questions:
        yield single if single.id in used else replace(single, id=next(free), origin=single.id)


def hop_id(text: str) -> str | int:
    """A single-hop id as in decompositions: an integer if possible, else the text."""
    numeric = number(text)
    return text if numeric is None else numeric


def answered_by(predictions: list[str], single: Single) -> bool:
    """Whether any predicted answer shares a word with an answer (F1 > 0)."""
    return any(MUSIQUE.answer(predicted, single.answers).f1 > 0 for predicted in predictions)
