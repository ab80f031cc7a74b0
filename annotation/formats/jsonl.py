"""Our own lossless format: one Example a line, as `Example.as_json` gives it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats import fields
from annotation.formats.fields import Inspection
from annotation.formats.guess import keys_of_paragraphs
from annotation.formats.rows import RowFormat, UniqueIds
from annotation.formats.storable import joined, storage_faults
from annotation.formats.streams import Row
from annotation.pure.data import hub_layout
from annotation.pure.data.example import JSON, Example, Hop, Paragraph
from annotation.pure.data.hub_layout import is_row

_KNOWN = frozenset(
    {"id", "question", "paragraphs", "answers", "supports", "facts", "hops", "answerable", "options"}
    | {"group", "shape", "answer_set", "as_of", "extra"}
)


class Jsonl(RowFormat):
    """Lines of `id, question, paragraphs` and, each optional, the other fields of an Example."""

    name: str = "jsonl"
    title: str = "Hopscribe JSONL"
    suffix: str = ".jsonl"
    rank = 6
    takes_all = True
    used = _KNOWN | {"title", "text", "sentences", "support"}

    def looks(self, record: dict[str, Any]) -> int:
        return int(bool({"text", "sentences"} & keys_of_paragraphs(record)) and "question" in record)

    def rows(self, path: Path) -> Iterator[Row]:
        """The records; those in the columns of a hub (pure.data.hub_columns) in the form they were pushed from."""
        for row in super().rows(path):
            with suppress(ValueError, TypeError, KeyError, AttributeError):  # then its fields say what is wrong
                row = replace(row, value=self.restored(hub_layout.example_of(row.value))) if is_row(row.value) else row
            yield row

    def example(self, record: JSON, inspection: Inspection) -> Example:
        paragraphs = _paragraphs(record, inspection)
        count = len(paragraphs)
        others = fields.extras(record, _KNOWN, inspection)
        example = Example(
            id=fields.running_id(record, "id", inspection),
            question=_question(record, inspection),
            paragraphs=paragraphs,
            answers=_answers(record, inspection),
            supports=_supports(record, count, inspection),
            facts=_facts(record, paragraphs, inspection),
            hops=_hops(record, count, inspection),
            answerable=fields.optional_flag(record, "answerable", inspection),
            options=fields.optional_texts(record, "options", inspection),
            group=fields.optional_text(record, "group", inspection),
            shape=fields.optional_text(record, "shape", inspection),
            answer_set=fields.answer_set(record, "answer_set", inspection),
            as_of=fields.optional_date(record, "as_of", inspection),
            extra=others | _extra(record, inspection),
        )
        if example.answers and not inspection.failed and _stands_in_the_context(example):
            fields.warn_of_absent_answer(example.answers, paragraphs, inspection, field="answers")
        return example

    def record(self, example: Example) -> JSON:
        """The fields of an Example, and those that its source had beside them."""
        record = example.as_json()
        record["extra"].pop(self._mark, None)
        keys = self.note(example).get("keys")
        given: list[str] = keys if keys and fields.is_texts(keys) else []
        beside = [key for key in given if key not in _KNOWN and key in record["extra"]]
        return record | {key: record["extra"].pop(key) for key in beside}

    def kept(self, example: Example, record: JSON) -> Example:
        """As for any format, but fields that the format does not have are not noted twice."""
        if set(record) - _KNOWN:
            example = replace(example, extra={**example.extra, self._mark: {"keys": list(record)}})
        return super().kept(example, record)

    def file(self) -> UniqueIds:
        return _Groups()


def _stands_in_the_context(example: Example) -> bool:
    """Whether the answer should occur in the context: not without one, nor if yes, no, an option or unanswerable."""
    closed = example.answers[0].strip().lower() in {"yes", "no"}
    return bool(example.paragraphs) and example.answerable is not False and not closed and not example.options


def _question(record: Mapping[str, Any], inspection: Inspection) -> str:
    """The question; it may be empty where it is still to be composed from hops, or beside an object of other fields."""
    if record.get("question") == "" and (record.get("hops") or type(record.get("extra")) is dict):
        return ""
    return fields.needed_text(record, "question", inspection)


class _Groups(UniqueIds):
    """Unique ids, except within a group: twins and probes of one question share an id."""

    def admit(self, example: Example, inspection: Inspection) -> None:
        if not example.group:
            super().admit(example, inspection)


def _paragraphs(record: Mapping[str, Any], inspection: Inspection) -> tuple[Paragraph, ...]:
    if record.get("paragraphs") is None:
        fields.note_closed_book("paragraphs", inspection)
        return ()
    members = fields.objects(record["paragraphs"], "paragraphs", inspection)
    return tuple(_paragraph(path, member, inspection) for path, member in members)


def _paragraph(path: str, member: JSON, inspection: Inspection) -> Paragraph:
    part = inspection.within(path)
    title = fields.title_text(member, part)
    if member.get("sentences") is not None:
        return Paragraph.of_sentences(title, _of_strings(member["sentences"], "sentences", part))
    return Paragraph(title, fields.plain_text(member, "text", part, "a text, or sentences"))


def _answers(record: JSON, inspection: Inspection) -> tuple[str, ...]:
    value = record.get("answers")
    if type(value) is not list or None in value:
        return fields.optional_texts(record, "answers", inspection)
    found = {joined("answers", at): each for at, each in enumerate(value)}
    return tuple(fields.answer_text(found, path, inspection) for path in found)


def _of_strings(value: object, path: str, inspection: Inspection) -> tuple[str, ...]:
    """The strings of a list; () if one of its values is not a string."""
    strings = fields.texts(value, path, inspection)
    return strings if all(type(text) is str for text in strings) else ()


def _supports(record: Mapping[str, Any], count: int, inspection: Inspection) -> tuple[int, ...] | None:
    value = record.get("supports")
    if value is None:
        return None
    if type(value) is not list:
        inspection.mistyped("supports", value, "a list of paragraph positions")
        return None
    for at, position in enumerate(value):
        _check_position(position, joined("supports", at), count, inspection=inspection)
    return tuple(value)


def _check_position(value: object, path: str, count: int, *, inspection: Inspection) -> None:
    if type(value) is not int:
        inspection.mistyped(path, value, "a position, counted from 0")
    elif not 0 <= value < count:
        inspection.error(path, f"there is no position {fields.kind(value)}", f"Give 0 to {count - 1}")


def _facts(
    record: Mapping[str, Any], paragraphs: tuple[Paragraph, ...], inspection: Inspection
) -> tuple[tuple[int, int], ...] | None:
    value = record.get("facts")
    if value is None or inspection.failed:  # positions mean nothing in a broken context
        return None
    if type(value) is not list:
        inspection.mistyped("facts", value, "a list of [paragraph, sentence] positions")
        return None
    for at, pair in enumerate(value):
        path = joined("facts", at)
        if type(pair) is not list or len(pair) != 2:
            inspection.mistyped(path, pair, "a pair [paragraph, sentence]")
            continue
        _check_position(pair[0], f"{path}[0]", len(paragraphs), inspection=inspection)
        known = type(pair[0]) is int and 0 <= pair[0] < len(paragraphs)
        sentences = len(paragraphs[pair[0]].sentence_spans()) if known else 0
        _check_position(pair[1], f"{path}[1]", sentences, inspection=inspection)
    return None if inspection.failed else tuple((pair[0], pair[1]) for pair in value)


def _hops(record: Mapping[str, Any], count: int, inspection: Inspection) -> tuple[Hop, ...]:
    members = [] if record.get("hops") is None else fields.objects(record["hops"], "hops", inspection)
    return tuple(_hop(inspection.within(path), member, count) for path, member in members)


def _hop(part: Inspection, member: JSON, count: int) -> Hop:
    question, answer = (fields.plain_text(member, key, part) for key in ("question", "answer"))
    support = member.get("support")
    if support is not None:
        _check_position(support, "support", count, inspection=part)
    return Hop(question, answer, support, fields.hop_id(member, "id", part))


def _extra(record: Mapping[str, Any], inspection: Inspection) -> dict[str, Any]:
    value = record.get("extra")
    if value is None:
        return {}
    if type(value) is not dict:
        inspection.mistyped("extra", value, "an object")
        return {}
    inspection.take(storage_faults(value, "extra"))
    return dict(value)


FORMAT = Jsonl()
