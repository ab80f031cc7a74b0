"""MuSiQue v1.0 (Trivedi et al. 2022): questions with decompositions, Ans (answerable) and Full (with twins).

Where the Hub's Parquet has lists of objects as objects of lists, an export has the release's layout.

In Full an id names two records of one question, an answerable and an unanswerable one; `group` is the id.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.formats import fields
from annotation.formats.base import CannotWrite, Flaw
from annotation.formats.fields import Inspection
from annotation.formats.guess import keys_of_paragraphs
from annotation.formats.rows import RowFormat, UniqueIds
from annotation.formats.storable import joined
from annotation.formats.streams import Row
from annotation.pure.data import dag
from annotation.pure.data.example import JSON, Example, Hop, Paragraph

_KNOWN = frozenset({"id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases", "answerable"})
_LISTS = ("paragraphs", "question_decomposition")
_SHAPE_IN_ID = re.compile(r"(\dhop\d?)__")


class MuSiQue(RowFormat):
    """Lines of `id, paragraphs, question, question_decomposition, answer, answer_aliases, answerable`."""

    name: str = "musique"
    title: str = "MuSiQue"
    suffix: str = ".jsonl"
    rank = 3
    used = _KNOWN | {"idx", "title", "paragraph_text", "is_supporting", "paragraph_support_idx"}
    family = ("disconnection",)

    def looks(self, record: dict[str, Any]) -> int:
        return 2 * ("paragraph_text" in keys_of_paragraphs(record) or "question_decomposition" in record)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        record_id = fields.running_id(record, "id", inspection)
        positions, paragraphs, supports = _context(record, inspection)
        hops = _hops(record, positions, inspection)
        example = Example(
            id=record_id,
            question=fields.needed_text(record, "question", inspection),
            paragraphs=paragraphs,
            answers=_answers(record, inspection),
            supports=supports,
            hops=hops,
            answerable=fields.optional_flag(record, "answerable", inspection),
            group=record_id,
            shape=dag.shape(hops) or _shape_in_id(record_id),
            extra=fields.extras(record, _KNOWN, inspection),
        )
        if example.answers and example.answerable is not False and not inspection.failed:
            fields.warn_of_absent_answer(example.answers, paragraphs, inspection)
        return example

    def record(self, example: Example) -> JSON:
        if example.options:
            raise CannotWrite(example.id, "MuSiQue has no place for answer options")
        record: JSON = {"id": example.id, "paragraphs": _paragraph_records(example)}
        record["question"] = example.question
        if example.hops or example.answers:
            record["question_decomposition"] = [_step(hop) for hop in example.hops]
        if example.answers:
            record["answer"] = example.answers[0]
            record["answer_aliases"] = list(example.answers[1:])
        if example.answerable is not None or example.answers:
            # The released files say it of every question whose answer they show.
            record["answerable"] = example.answerable is not False
        return record | fields.plain_extra(example.extra, without=_KNOWN)

    def rows(self, path: Path) -> Iterator[Row]:
        for row in super().rows(path):
            zipped = {key: fields.unzipped(row.value[key]) for key in _LISTS if _is_object(row.value, key)}
            yield replace(row, value=row.value | zipped) if zipped else row

    def file(self) -> UniqueIds:
        return _Twins()


def _is_object(record: Any, key: str) -> bool:
    return type(record) is dict and type(record.get(key)) is dict


class _Twins(UniqueIds):
    """An id may name two records: one answerable and one not (or both hidden, in test sets)."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[str, list[bool | None]] = {}
        self._full = False

    def admit(self, example: Example, inspection: Inspection) -> None:
        self.places.setdefault(example.id, inspection.place)
        seen = self._seen.setdefault(example.id, [])
        self._full = self._full or example.answerable is False
        if _may_join(seen, example.answerable):
            seen.append(example.answerable)
            return
        wrong = f"the id was used before, in {self.places[example.id]}"
        inspection.error("id", wrong, "An id may name one answerable and one unanswerable record, no more")

    def remarks(self) -> list[Flaw]:
        """A warning for each id without its twin, in a file that has unanswerable records."""
        alone = [record_id for record_id, seen in self._seen.items() if self._full and len(seen) == 1]
        return [self._lonely(record_id) for record_id in alone]

    def _lonely(self, record_id: str) -> Flaw:
        missing = "unanswerable" if self._seen[record_id][0] else "answerable"
        wrong = f"the {missing} twin of this id is not in the file"
        fix = "Add it, or leave pair scores of this question out"
        return Flaw("warning", self.places[record_id], record_id, "id", wrong, fix)


def _may_join(seen: Sequence[bool | None], answerable: bool | None) -> bool:
    if len(seen) != 1:
        return not seen
    return answerable is None if seen[0] is None else answerable is not None and answerable is not seen[0]


def _context(
    record: Mapping[str, Any], inspection: Inspection
) -> tuple[dict[int, int], tuple[Paragraph, ...], tuple[int, ...] | None]:
    """(position of each idx, paragraphs, positions of supports)."""
    if record.get("paragraphs") is None:
        fields.note_closed_book("paragraphs", inspection)
        return {}, (), None
    members = fields.objects(record["paragraphs"], "paragraphs", inspection)
    positions: dict[int, int] = {}
    for position, (path, member) in enumerate(members):
        idx = member.get("idx")
        if idx is None:
            inspection.warn(f"{path}.idx", "there is no idx", "The paragraphs are numbered from 0")
            idx = position
        if type(idx) is not int:
            inspection.mistyped(f"{path}.idx", idx, "a whole number")
        elif positions.setdefault(idx, position) != position:
            inspection.error(f"{path}.idx", f"the idx {fields.kind(idx)} is used twice", "Number from 0 on")
    paragraphs = []
    for path, member in members:
        part = inspection.within(path)
        title, text = fields.title_text(member, part), fields.plain_text(member, "paragraph_text", part)
        paragraphs.append(Paragraph(title, text))
    return positions, tuple(paragraphs), _supports(members, inspection)


def _supports(members: Sequence[tuple[str, JSON]], inspection: Inspection) -> tuple[int, ...] | None:
    flags = [member.get("is_supporting") for _, member in members]
    if all(flag is None for flag in flags):
        return None
    for (path, _), flag in zip(members, flags, strict=True):
        if type(flag) is not bool:
            inspection.mistyped(f"{path}.is_supporting", flag, "true or false for every paragraph, or none")
    return tuple(position for position, flag in enumerate(flags) if flag)


def _answers(record: Mapping[str, Any], inspection: Inspection) -> tuple[str, ...]:
    answer = fields.answer_text(record, "answer", inspection)
    others = fields.optional_texts(record, "answer_aliases", inspection)
    return (answer, *others) if answer else ()


def _hops(record: Mapping[str, Any], positions: Mapping[int, int], inspection: Inspection) -> tuple[Hop, ...]:
    steps = record.get("question_decomposition")
    if steps is None:
        return ()
    members = fields.objects(steps, "question_decomposition", inspection)
    hops = tuple(_hop(path, step, positions, inspection) for path, step in members)
    for bad in dag.problems(hops):
        path = joined("question_decomposition", bad.hop - 1)
        inspection.warn(f"{path}.question", bad.wrong, "Refer to earlier hops only, as #1, #2, ...")
    return hops


def _hop(path: str, step: JSON, positions: Mapping[int, int], inspection: Inspection) -> Hop:
    part = inspection.within(path)
    idx = step.get("paragraph_support_idx")
    if idx is not None and type(idx) is not int:
        part.mistyped("paragraph_support_idx", idx, "the idx of a paragraph, or null")
        idx = None
    elif idx is not None and idx not in positions:
        wrong = f"no paragraph has the idx {idx}"
        part.warn("paragraph_support_idx", wrong, "Give null where the paragraph is taken out")
    hop_id, answer = fields.hop_id(step, "id", part), fields.plain_text(step, "answer", part)
    support = positions.get(idx) if idx is not None else None
    return Hop(fields.needed_text(step, "question", part), answer, support, hop_id)


def _shape_in_id(record_id: str) -> str:
    match = _SHAPE_IN_ID.match(record_id)
    return match[1] if match and match[1] in dag.SHAPES else ""


def _paragraph_records(example: Example) -> list[JSON]:
    records: list[JSON] = []
    for position, paragraph in enumerate(example.paragraphs):
        record: JSON = {"idx": position, "title": paragraph.title, "paragraph_text": paragraph.text}
        if example.supports is not None:
            record["is_supporting"] = position in example.supports
        records.append(record)
    return records


def _step(hop: Hop) -> JSON:
    return {"id": hop.id, "question": hop.question, "answer": hop.answer, "paragraph_support_idx": hop.support}


FORMAT = MuSiQue()
