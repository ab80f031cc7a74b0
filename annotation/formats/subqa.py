"""SubQA (Tang et al. 2021): HotpotQA questions with the sub-questions of their two hops.

The release is three parallel arrays, `..._ori`, `..._sub1` and `..._sub2`, read as a folder. As one file,
each row is the original record with its two records in `sub_questions`: `write` writes this, `write_parts` the
three arrays.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO

from annotation.formats import fields
from annotation.formats.base import CannotWrite
from annotation.formats.fields import Inspection, is_texts
from annotation.formats.hotpotqa import HotpotQA
from annotation.formats.rows import dumped
from annotation.formats.streams import Row, rows, unreadable
from annotation.pure.data.example import JSON, Example, Hop

_PARTS = ("ori", "sub1", "sub2")
_KEY = "sub_questions"


class SubQA(HotpotQA):
    """HotpotQA's fields and `sub_questions`: two records of `_id, question, answer, context`."""

    name = "subqa"
    title = "SubQA"
    rank = 9
    order = (*HotpotQA.order, _KEY)
    known = HotpotQA.known | {_KEY}
    used = HotpotQA.used | {_KEY}
    parts: tuple[str, ...] = tuple(f"dev_{part}.json" for part in _PARTS)

    def looks(self, record: dict[str, Any]) -> int:
        return 0  # each of its files looks like HotpotQA's

    def rows(self, path: Path) -> Iterator[Row]:
        """The rows of one file, or of a folder with files whose names end in _ori, _sub1 and _sub2."""
        return _folder_rows(path) if path.is_dir() else rows(path)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        example = super().example(record, inspection)
        if record.get(_KEY) is None or inspection.failed:
            return example
        members = fields.objects(record[_KEY], _KEY, inspection)
        return replace(example, hops=tuple(_hop(path, sub, example, inspection) for path, sub in members))

    def record(self, example: Example) -> JSON:
        record = super().record(example)
        if any(hop.support is not None and hop.support >= len(example.paragraphs) for hop in example.hops):
            raise CannotWrite(example.id, "a hop is supported by a paragraph that is not there")
        if example.hops:
            record[_KEY] = [_sub_record(hop, record) for hop in example.hops]
        return record

    def write_parts(self, examples: Iterable[Example], outs: Sequence[BinaryIO]) -> int:
        """Write the three arrays side by side, row i of each belonging together."""
        count = 0
        for count, (example, record) in enumerate(self.records(examples), 1):
            for out, part in zip(outs, _parted(example, record), strict=True):
                out.write((b"[\n" if count == 1 else b",\n") + dumped(part, example))
        for out in outs:
            out.write(b"\n]\n" if count else b"[]\n")
        return count


def _parted(example: Example, record: JSON) -> tuple[JSON, JSON, JSON]:
    """The records of the original and its two sub-questions, each with an id. Raises CannotWrite without two hops."""
    if len(example.hops) != 2:
        raise CannotWrite(example.id, f"it has {len(example.hops)} sub-questions and not two")
    original = {key: value for key, value in record.items() if key != _KEY}
    first, second = ({"_id": example.id, **sub} for sub in record[_KEY])
    for part in (first, second):  # `evaluate` joins the parts by ids that are text; MuSiQue's hops have numbers
        part["_id"] = part["_id"] if isinstance(part["_id"], str) else example.id
    return original, first, second


def _hop(path: str, sub: JSON, example: Example, inspection: Inspection) -> Hop:
    own = inspection.within(path)
    question, answer = fields.needed_text(sub, "question", own), fields.needed_text(sub, "answer", own)
    if sub.get("context") is not None and not _is_context(sub["context"]):
        own.mistyped("context", sub["context"], "a list of [title, [sentence, ...]] pairs")
    fields.extras(sub, (), own)
    return Hop(question, answer, _support(sub, example), fields.hop_id(sub, "_id", own))


def _is_context(value: Any) -> bool:
    return type(value) is list and all(
        type(pair) is list and len(pair) == 2 and type(pair[0]) is str and is_texts(pair[1]) for pair in value
    )


def _support(sub: JSON, example: Example) -> int | None:
    """The position of the only paragraph named by a sub-question's supporting facts; else None."""
    facts = sub.get("supporting_facts")
    pairs = facts if type(facts) is list else []
    titles = {pair[0] for pair in pairs if type(pair) is list and pair and type(pair[0]) is str}
    places = [at for at, paragraph in enumerate(example.paragraphs) if paragraph.title in titles]
    return places[0] if len(titles) == 1 and places else None


def _sub_record(hop: Hop, record: JSON) -> JSON:
    sub: JSON = {} if hop.id is None else {"_id": hop.id}
    sub |= {"question": hop.question, "answer": hop.answer, "context": record["context"]}
    if hop.support is not None and type(record["context"]) is list:
        title = record["context"][hop.support][0]
        own = [fact for fact in record.get("supporting_facts", []) if fact[0] == title]
        sub["supporting_facts"] = own or [[title, 0]]
    return sub


def _folder_rows(folder: Path) -> Iterator[Row]:
    parts = [_part(folder, name) for name in _PARTS]
    for triple in zip_longest(*(rows(part) for part in parts)):
        if None in triple:
            lengths = "the three files have different numbers of records"
            raise unreadable(lengths, "Give files in which row i of each belongs together")
        yield _joined_row(*triple)


def _part(folder: Path, name: str) -> Path:
    files = sorted(path for path in folder.iterdir() if f"_{name}." in path.name and path.is_file())
    if len(files) != 1:
        wrong = f"the folder has {len(files)} files whose name ends in _{name}"
        raise unreadable(wrong, "Give one file each for _ori, _sub1 and _sub2")
    return files[0]


def _joined_row(original: Row, first: Row, second: Row) -> Row:
    faults = (*original.faults, *_named(first, "sub1"), *_named(second, "sub2"))
    value = original.value
    if type(value) is dict and not any(fault.fix for fault in faults):
        value = value | {_KEY: [first.value, second.value]}
    return Row(original.number, original.place, value, faults)


def _named(row: Row, name: str) -> Iterator[Any]:
    return (fault._replace(field=f"{name}: {fault.field}") for fault in row.faults)


FORMAT = SubQA()
