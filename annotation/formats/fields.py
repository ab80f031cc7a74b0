"""Checks of a record's fields, shared by all formats, and the flaws they find.

A check returns a valid value, and None (or nothing) for an invalid one. Flaws are collected in the Inspection, so
that one pass over a record finds all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.formats.base import Flaw
from annotation.formats.storable import Fault, joined, shown, storable, storage_faults
from annotation.formats.streams import Row
from annotation.pure.data import provenance
from annotation.pure.data.example import Example, Paragraph

_TEXT: frozenset[type] = frozenset({str})
_TRUTHS = {"true": "yes", "yes": "yes", "false": "no", "no": "no"}
RESERVED = "@"  # marks the keys of `Example.extra` that formats keep for themselves: "@hotpotqa"


class Inspection:
    """Collects the flaws of one record."""

    def __init__(self, place: str, record_id: str = "", *, number: int = 0) -> None:
        """`number`: of the record, which an id may be made of."""
        self.place = place
        self.number = number
        self.record_id = record_id
        self.flaws: list[Flaw] = []
        self._path = ""

    @property
    def failed(self) -> bool:
        """Whether an error was found, so that the record must be kept out."""
        return any(flaw.severity == "error" for flaw in self.flaws)

    def reportable(self) -> tuple[Flaw, ...]:
        """The flaws to report: only errors if there are any, because warnings may follow from them."""
        return tuple(flaw for flaw in self.flaws if flaw.severity == "error" or not self.failed)

    def within(self, path: str) -> Inspection:
        """The same inspection, for a part of the record: its fields are named from `path` on."""
        part = Inspection(self.place, self.record_id, number=self.number)
        part.flaws, part._path = self.flaws, f"{self._path}{path}."
        return part

    @classmethod
    def of(cls, row: Row, known: Collection[str] | None = None) -> Inspection:
        """An inspection of a row, with the faults that its decoding found.

        `known`: the names of the fields, on all levels, that the format reads; None for all.
        """
        inspection = cls(row.place, record_id_of(row.value), number=row.number)
        inspection.take(row.faults, known)
        return inspection

    def take(self, faults: Iterable[Fault], known: Collection[str] | None = None) -> None:
        """Add the faults of decoding; those of fields that are not `known` are only noted."""
        for fault in faults:
            if fault.kept and (not fault.fix or (known is not None and not set(_names(fault.field)) <= set(known))):
                self.warn(fault.field, fault.wrong, fault.kept)
            else:
                self.error(fault.field, fault.wrong, fault.fix)

    def error(self, field: str, wrong: str, fix: str) -> None:
        self.flaws.append(Flaw("error", self.place, self.record_id, self._path + field, wrong, fix))

    def warn(self, field: str, wrong: str, fix: str) -> None:
        self.flaws.append(Flaw("warning", self.place, self.record_id, self._path + field, wrong, fix))

    def mistyped(self, field: str, value: object, right: str) -> None:
        self.error(field, f"found {kind(value)}", f"Give {right}")


def _names(path: str) -> list[str]:
    """The names in a path: `paragraphs[3].score` has paragraphs and score."""
    return re.sub(r"\[\d+\]", "", path).split(".")


def record_id_of(value: object) -> str:
    """The id of a record of any format, for messages; "" if it has none."""
    if isinstance(value, dict):
        for key in ("_id", "id"):
            if isinstance(value.get(key), str | int):
                return shown(value[key])
    return ""


def kind(value: object) -> str:
    """A JSON value in words, for error messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {shown(value, 30)!r}" if value else "an empty text"
    if isinstance(value, int | float):
        return f"the number {shown(value, 30)}"
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "no JSON value"


def running_id(record: dict[str, Any], key: str, inspection: Inspection) -> str:
    """The record's id; a number as a text, and without one the number of the record; both with a note.

    A record without an id gets it, so that an export has it too.
    """
    value = record.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        name = f"record {inspection.number}"
        inspection.warn(key, "there is no id", f"The item is called {name!r}")
        record[key] = name
        return name
    if type(value) is str:
        return value
    if type(value) is int or (type(value) is float and value.is_integer()):
        inspection.warn(key, f"the id is {kind(value)}", "It is kept as a text")
        return str(int(value))
    inspection.mistyped(key, value, "a text")
    return ""


def title_text(record: Mapping[str, Any], inspection: Inspection) -> str:
    """The title; "", with a note, if there is none."""
    if record.get("title") is None:
        inspection.warn("title", "there is no title", "It stays empty")
        return ""
    return plain_text(record, "title", inspection)


def note_closed_book(key: str, inspection: Inspection) -> None:
    """Note that an item has no context."""
    inspection.warn(key, "there is no paragraph", "The question is asked without a context")


def answer_text(record: Mapping[str, Any], key: str, inspection: Inspection) -> str:
    """An answer that may be missing; booleans are yes and no, numbers texts, both with a note."""
    value = record.get(key)
    if value is None or type(value) is str:
        return value or ""
    if type(value) not in (bool, int, float):
        inspection.mistyped(key, value, "a text, or leave the field out")
        return ""
    answer = plain_answer(value, ())
    inspection.warn(key, f"the answer is {kind(value)}", f"It is kept as {answer!r}")
    return answer


def plain_answer(value: str | float, paragraphs: Sequence[Paragraph], *, truths: bool = False) -> str:
    """An answer as a text: yes or no for a boolean, also for one spelled as a text.

    The words true and false stay as they are if a paragraph has them so, unless all answers are `truths`.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    answer = str(value)
    meant = _TRUTHS.get(answer.strip().lower())
    if meant is None or (answer.strip().lower() != meant and not truths and _has_word(answer.strip(), paragraphs)):
        return answer
    return meant


def _has_word(word: str, paragraphs: Sequence[Paragraph]) -> bool:
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    return any(pattern.search(f"{paragraph.title}\n{paragraph.text}") for paragraph in paragraphs)


def needed_text(record: Mapping[str, Any], key: str, inspection: Inspection) -> str:
    """A required, non-blank text, returned unchanged."""
    if key not in record:
        inspection.error(key, "the field is missing", "Give a text")
    elif type(value := record[key]) is not str:
        inspection.mistyped(key, value, "a text")
    elif not value or value.isspace():
        inspection.error(key, "the text is empty", "Give a text that says something")
    else:
        return value
    return ""


def optional_text(record: Mapping[str, Any], key: str, inspection: Inspection) -> str:
    """A text that may be missing or null; "" then."""
    value = record.get(key)
    if value is not None and type(value) is not str:
        inspection.mistyped(key, value, "a text, or leave the field out")
        return ""
    return value or ""


def plain_text(record: Mapping[str, Any], key: str, inspection: Inspection, right: str = "a text") -> str:
    """A required text that may be empty; "" if it is invalid."""
    value = record.get(key)
    if type(value) is str:
        return value
    inspection.mistyped(key, value, right)
    return ""


DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", re.ASCII)


def optional_date(record: Mapping[str, Any], key: str, inspection: Inspection) -> str:
    """A date as YYYY, YYYY-MM or YYYY-MM-DD, "" for none."""
    value = optional_text(record, key, inspection)
    if value and not DATE.fullmatch(value):
        inspection.error(key, f"found {kind(value)}", "Give a date as 2024-05-31, 2024-05 or 2024")
        return ""
    return value


def answer_set(record: Mapping[str, Any], key: str, inspection: Inspection) -> tuple[tuple[str, ...], ...]:
    """Several answers, each a text, or a list of a text and its aliases; () without any."""
    value = record.get(key)
    if value is None:
        return ()
    if type(value) is not list:
        inspection.mistyped(key, value, "a list of answers, each a text or a list of a text and its aliases")
        return ()
    found = [texts([each] if type(each) is str else each, joined(key, at), inspection) for at, each in enumerate(value)]
    for at, answer in enumerate(found):
        if not inspection.failed and not all(text.strip() for text in answer or ("",)):
            inspection.error(joined(key, at), "an answer is empty", "Give each answer a text that says something")
    return tuple(found)


def optional_texts(record: Mapping[str, Any], key: str, inspection: Inspection) -> tuple[str, ...]:
    """A list of texts that may be missing or null; () then."""
    value = record.get(key)
    return () if value is None else texts(value, key, inspection)


def hop_id(record: Mapping[str, Any], key: str, inspection: Inspection) -> Any:
    """The id of a hop, or None; an id that is neither an integer nor a text is reported as a flaw."""
    value = record.get(key)
    if value is not None and type(value) not in (int, str):
        inspection.mistyped(key, value, "a whole number or a text")
    return value


def optional_flag(record: Mapping[str, Any], key: str, inspection: Inspection) -> bool | None:
    """True or False; None if missing, null or invalid."""
    value = record.get(key)
    if value is not None and type(value) is not bool:
        inspection.mistyped(key, value, "true or false, or leave the field out")
        return None
    return value


def is_texts(value: object) -> bool:
    """Whether a value is a list of strings."""
    return type(value) is list and set(map(type, value)) <= _TEXT


def texts(value: object, path: str, inspection: Inspection) -> tuple[str, ...]:
    """A list of texts; the path of each that is none is reported."""
    if type(value) is not list:
        inspection.mistyped(path, value, "a list of texts")
        return ()
    for position, item in enumerate(value):
        if type(item) is not str:
            inspection.mistyped(joined(path, position), item, "a text")
    return tuple(value)


def objects(value: object, path: str, inspection: Inspection) -> list[tuple[str, dict[str, Any]]]:
    """(path, object) of each member of a list of objects; the path of each other member is reported."""
    if type(value) is not list:
        inspection.mistyped(path, value, "a list of objects")
        return []
    members = [(joined(path, position), item) for position, item in enumerate(value)]
    for where, item in members:
        if type(item) is not dict:
            inspection.mistyped(where, item, "an object")
    return [(where, item) for where, item in members if type(item) is dict]


def unzipped(value: Any) -> Any:
    """The rows of an object of equally long lists, as Arrow keeps lists of objects; any other value as it is."""
    if type(value) is not dict or not value or any(type(column) is not list for column in value.values()):
        return value
    if len({len(column) for column in value.values()}) > 1:
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def extras(record: dict[str, Any], known: Collection[str], inspection: Inspection) -> dict[str, Any]:
    """The fields that a format has no place for; our marks are renamed, and what is nested too deeply is left out.

    The record changes with them, so that nothing else keeps what cannot be stored.
    """
    kept: dict[str, Any] = {}
    for key, value in record.items():
        if key in known:
            continue
        name = f"_{key}" if key.startswith(RESERVED) else key
        if name != key:
            inspection.warn(shown(key), "names that begin with @ are reserved", f"It is kept as {shown(name)}")
        kept[name] = value
        if type(value) in (dict, list) and (faults := storage_faults(value, shown(key))):
            inspection.take(faults, ())
            kept[name] = record[key] = storable(value)
    return kept


def plain_extra(extra: Mapping[str, Any], *, without: Collection[str] = ()) -> dict[str, Any]:
    """The source's own fields of an Example's `extra`: without reserved keys, provenance and the keys in `without`."""
    own = provenance.without(extra)
    return {key: value for key, value in own.items() if key[:1] != RESERVED and key not in without}


def warn_of_absent_answer(
    answers: Sequence[str], paragraphs: Sequence[Paragraph], inspection: Inspection, *, field: str = "answer"
) -> None:
    """Warn if no form of the answer occurs in a title or a text, if there are any (ignoring case and white space)."""
    if not paragraphs:
        return
    for paragraph in paragraphs:
        if answers[0] in paragraph.text or answers[0] in paragraph.title:
            return
    context = _flat(" ".join(f"{paragraph.title} {paragraph.text}" for paragraph in paragraphs))
    if not any(_flat(answer) in context for answer in answers):
        wrong = f"the answer {shown(answers[0])!r} does not occur in the context"
        inspection.warn(field, wrong, "Check the answer or the context")


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def without_gold(example: Example) -> Example:
    """The id, question, context and options alone.

    The source's own fields go as well, since any of them may give the answer away (`evidences`, `type`,
    `plausible_answers`); of the notes on its layout only the layout stays.
    """
    kept = {name: {"layout": note["layout"]} for name, note in example.extra.items() if _has_layout(name, note)}
    return replace(example, answers=(), supports=None, facts=None, hops=(), answerable=None, shape="", extra=kept)


def _has_layout(name: str, note: Any) -> bool:
    return name.startswith(RESERVED) and isinstance(note, Mapping) and "layout" in note
