"""The questions that models answer for MuSiQue's disconnection filter (Trivedi et al. 2022, section 5, S3).

The file has no gold; for training, export the same dataset in another format.
"""

from collections.abc import Mapping
from typing import Any

from annotation.formats import fields
from annotation.formats.base import CannotWrite
from annotation.formats.fields import Inspection
from annotation.formats.rows import RowFormat
from annotation.pure.data.example import JSON, Example, Paragraph
from annotation.pure.derivations.disconnection import FOLD, HEAD, TAIL

_KNOWN = frozenset({"id", "fold", "question", "paragraphs"})


class Disconnection(RowFormat):
    """Lines of `id, fold, question, paragraphs`; a paragraph is `idx, title, paragraph_text`, as in MuSiQue."""

    name: str = "disconnection"
    title: str = "MuSiQue disconnection inputs"
    suffix: str = ".jsonl"
    rank = 10
    used = _KNOWN | {"idx", "title", "paragraph_text"}

    def looks(self, record: dict[str, Any]) -> int:
        return 4 * (set(record) == {"id", "fold", "question", "paragraphs"})

    def example(self, record: JSON, inspection: Inspection) -> Example:
        record_id = fields.running_id(record, "id", inspection)
        paragraphs = _paragraphs(record, inspection)
        return Example(
            id=record_id,
            question=fields.needed_text(record, "question", inspection),
            paragraphs=paragraphs,
            group=record_id,
            shape=TAIL if paragraphs else HEAD,
            extra={**fields.extras(record, _KNOWN, inspection), FOLD: _fold(record, inspection)},
        )

    def record(self, example: Example) -> JSON:
        fold = example.extra.get(FOLD)
        if not _is_number(fold):
            raise CannotWrite(example.id, "it has no fold, as only the disconnection inputs have")
        texts = [
            {"idx": at, "title": paragraph.title, "paragraph_text": paragraph.text}
            for at, paragraph in enumerate(example.paragraphs)
        ]
        return {"id": example.id, "fold": fold, "question": example.question, "paragraphs": texts}


def _is_number(value: object) -> bool:
    return type(value) is int and value >= 0


def _fold(record: Mapping[str, object], inspection: Inspection) -> object:
    fold = record.get("fold")
    if not _is_number(fold):
        inspection.mistyped("fold", fold, "the number of the fold, from 0 on")
    return fold


def _paragraphs(record: Mapping[str, object], inspection: Inspection) -> tuple[Paragraph, ...]:
    if "paragraphs" not in record:
        inspection.error("paragraphs", "the field is missing", "Give a list of paragraphs, [] for none")
    members = fields.objects(record.get("paragraphs", []), "paragraphs", inspection)
    return tuple(_paragraph(path, at, member, inspection=inspection) for at, (path, member) in enumerate(members))


def _paragraph(path: str, at: int, member: JSON, *, inspection: Inspection) -> Paragraph:
    part = inspection.within(path)
    title, text = (fields.plain_text(member, key, part) for key in ("title", "paragraph_text"))
    if type(member.get("idx")) is not int or member["idx"] != at:
        part.mistyped("idx", member.get("idx"), f"its position, {at}")
    return Paragraph(title, text)


FORMAT = Disconnection()
