"""HotpotQA (Yang et al. 2018), and the layout shared by formats derived from it.

Two layouts: the authors' (`_id`, pairs of title and sentences) and the columns of dataset hubs (`id`,
`context` and `supporting_facts` as objects of lists). An export has the layout of the import.
"""

from collections.abc import Sequence
from typing import Any

from annotation.formats import fields
from annotation.formats.base import CannotWrite
from annotation.formats.fields import RESERVED, Inspection
from annotation.formats.rows import RowFormat
from annotation.formats.storable import joined, shown
from annotation.pure.data.example import JSON, Example, Paragraph

Fact = tuple[str, int]

_NO_TEXT = frozenset({"yes", "no", "noanswer"})  # answers that no context holds
_COLUMNS = ("id", "question", "answer", "type", "level", "supporting_facts", "context")


class HotpotQA(RowFormat):
    """Records of `_id, question, answer, supporting_facts, context, type, level`; test sets lack the gold."""

    name: str = "hotpotqa"
    title: str = "HotpotQA"
    rank = 1
    family: tuple[str, ...] = ("hotpotqa", "2wikimultihopqa", "dire")
    order: tuple[str, ...] = (
        "_id", "answer", "question", "supporting_facts", "context", "type", "level",
    )  # fmt: skip
    known: frozenset[str] = frozenset({"_id", "answer", "question", "supporting_facts", "context", "type"})
    used: frozenset[str] = known | {"id", "title", "sentences", "sent_id"}

    def looks(self, record: dict[str, Any]) -> int:
        return 2 * (isinstance(record.get("context"), list | dict) and "question" in record)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        columns = "_id" not in record and "id" in record
        known = self.known | {"id"} if columns else self.known
        paragraphs = context_of(record, inspection)
        raw_facts = facts_of(record, inspection)
        facts, supports = self._located(raw_facts, paragraphs, inspection)
        answer = fields.answer_text(record, "answer", inspection)
        extra = fields.extras(record, known, inspection)
        answerable = extra.pop("answerable", None) if type(extra.get("answerable")) is bool else None
        example = Example(
            id=fields.running_id(record, "id" if columns else "_id", inspection),
            question=fields.needed_text(record, "question", inspection),
            paragraphs=paragraphs,
            answers=(answer,) if answer else (),
            supports=supports,
            facts=facts,
            answerable=answerable,
            shape=fields.optional_text(record, "type", inspection),
            extra=extra | {RESERVED + self.name: {"layout": "columns"}} if columns else extra,
        )
        self.check_answer(example, inspection)
        return example

    def check_answer(self, example: Example, inspection: Inspection) -> None:
        """Warn of an answer that is not in the context."""
        if inspection.failed or example.answer is None or example.answerable is False:
            return
        if example.answer not in _NO_TEXT:
            fields.warn_of_absent_answer(example.answers, example.paragraphs, inspection)

    def check_fact(self, wrong: str, position: int, inspection: Inspection) -> None:
        """Warn of a supporting fact that is not in the context."""
        fix = "Keep it if the setting is full-wiki; otherwise check title and number"
        inspection.warn(joined("supporting_facts", position), wrong, fix)

    def record(self, example: Example) -> JSON:
        if example.options:
            raise CannotWrite(example.id, f"{self.title} has no place for answer options")
        if self.note(example).get("layout") == "columns":
            return _in_order(self._columns(example), _COLUMNS)
        context = [[paragraph.title, _sentences(paragraph)] for paragraph in example.paragraphs]
        return _in_order({**self._gold(example), "_id": example.id, "context": context}, self.order)

    def _columns(self, example: Example) -> JSON:
        record = {**self._gold(example), "id": example.id}
        record["context"] = {
            "title": [p.title for p in example.paragraphs],
            "sentences": [_sentences(p) for p in example.paragraphs],
        }
        if (facts := record.get("supporting_facts")) is not None:
            titles, numbers = [title for title, _ in facts], [number for _, number in facts]
            record["supporting_facts"] = {"title": titles, "sent_id": numbers}
        return record

    def _gold(self, example: Example) -> JSON:
        gold: JSON = {"question": example.question, **fields.plain_extra(example.extra, without=self.known)}
        if example.answers:
            gold["answer"] = example.answers[0]
        if example.shape:
            gold["type"] = example.shape
        if example.answerable is not None:
            gold["answerable"] = example.answerable
        if (facts := named_facts(example)) is not None:
            gold["supporting_facts"] = facts
        return gold

    def _located(
        self, facts: list[Fact] | None, paragraphs: Sequence[Paragraph], inspection: Inspection
    ) -> tuple[tuple[tuple[int, int], ...] | None, tuple[int, ...] | None]:
        """(paragraph, sentence) of each fact in the context, and the positions of their paragraphs."""
        if facts is None:
            return None, None
        first = {p.title: position for position, p in reversed(list(enumerate(paragraphs)))}
        located: list[tuple[int, int]] = []
        supports: set[int] = set()
        for position, (title, number) in enumerate(facts):
            if (at := first.get(title)) is None:
                wrong = f"the paragraph {shown(title)!r} is not in the context"
                self.check_fact(wrong, position, inspection)
                continue
            supports.add(at)
            if 0 <= number < len(paragraphs[at].sentences or ()):
                located.append((at, number))
            else:
                self.check_fact(f"{shown(title)!r} has no sentence {number}", position, inspection)
        return tuple(located), tuple(sorted(supports))


def context_of(record: JSON, inspection: Inspection) -> tuple[Paragraph, ...]:
    """The paragraphs, from pairs or from columns."""
    context = record.get("context")
    if type(context) is dict:
        context = _zipped(context, "context", ("title", "sentences"), inspection)
        if context is None:
            return ()
    if type(context) is not list:
        fix = "a list of [title, [sentence, ...]] pairs"
        if context is None:
            fields.note_closed_book("context", inspection)
        else:
            inspection.mistyped("context", context, fix)
        return ()
    paragraphs = []
    for position, pair in enumerate(context):
        if type(pair) is list and len(pair) == 2 and pair[0] is None:
            inspection.warn(joined("context", position), "there is no title", "It stays empty")
            pair = ["", pair[1]]
        if type(pair) is list and len(pair) == 2 and type(pair[0]) is str and fields.is_texts(pair[1]):
            paragraphs.append(Paragraph.of_sentences(pair[0], tuple(pair[1])))
        else:
            _refuse_pair(pair, joined("context", position), inspection)
    return tuple(paragraphs)


def _refuse_pair(pair: Any, path: str, inspection: Inspection) -> None:
    if type(pair) is not list or len(pair) != 2:
        inspection.mistyped(path, pair, "a pair of a title and a list of sentences")
        return
    if type(pair[0]) is not str:
        inspection.mistyped(f"{path}[0]", pair[0], "the title as a text")
    fields.texts(pair[1], f"{path}[1]", inspection)


def facts_of(record: JSON, inspection: Inspection) -> list[Fact] | None:
    """The supporting facts as (title, sentence number) in the record's order; None if hidden."""
    facts = record.get("supporting_facts")
    if type(facts) is dict:
        facts = _zipped(facts, "supporting_facts", ("title", "sent_id"), inspection)
    if facts is None:
        return None
    if type(facts) is not list:
        inspection.mistyped("supporting_facts", facts, "a list of [title, sentence number] pairs")
        return None
    pairs = []
    for position, pair in enumerate(facts):
        if type(pair) is list and len(pair) == 2 and type(pair[0]) is str and type(pair[1]) is int:
            pairs.append((pair[0], pair[1]))
        else:
            path = joined("supporting_facts", position)
            inspection.mistyped(path, pair, 'a title and a whole number, such as ["Oslo", 0]')
    return pairs


def _zipped(
    columns: dict[str, Any], path: str, names: tuple[str, str], inspection: Inspection
) -> list[list[Any]] | None:
    """Rows of a two-column object; None, with an error, if the columns do not match."""
    left, right = columns.get(names[0]), columns.get(names[1])
    if type(left) is not list or type(right) is not list or len(left) != len(right):
        wrong = "the columns are missing or of different length"
        inspection.error(path, wrong, f"Give lists {names[0]} and {names[1]} of one length")
        return None
    return [list(pair) for pair in zip(left, right, strict=True)]


def named_facts(example: Example) -> list[list[Any]] | None:
    """Facts as [title, sentence number]; the first sentence of each support if none are labelled."""
    if example.facts is None and example.supports is None:
        return None
    places = example.facts if example.facts is not None else [(p, 0) for p in example.supports or ()]
    return [[example.paragraphs[paragraph].title, sentence] for paragraph, sentence in places]


def _sentences(paragraph: Paragraph) -> list[str]:
    return [paragraph.text] if paragraph.sentences is None else list(paragraph.sentences)


def _in_order(record: JSON, order: Sequence[str]) -> JSON:
    ordered = {key: record[key] for key in order if key in record}
    return ordered | {key: value for key, value in record.items() if key not in ordered}


FORMAT = HotpotQA()
