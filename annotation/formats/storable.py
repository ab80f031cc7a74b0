"""Values as JSON columns store them: without NaN, NUL, lone surrogates, dates, bytes; each change is a fault."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, NamedTuple

MAX_DEPTH = 100  # of lists and objects in each other

_HALVES = re.compile("[\ud800-\udfff]")


class Fault(NamedTuple):
    """A flaw of a value, without its place in the file."""

    field: str
    wrong: str
    fix: str  # "": the value can be kept wherever it stands
    kept: str = ""  # how it is kept if nothing depends on it; "": it cannot be


class Digits(str):
    """A number of a file that is too large, as it is written."""

    __slots__ = ()


class Twice(dict[str, Any]):
    """An object of a file in which keys stand more than once; it has the last value of each."""

    keys_twice: tuple[str, ...] = ()


def storable(value: Any, path: str = "", faults: list[Fault] | None = None, *, depth: int = 0) -> Any:
    """The value as it can be stored; each change is added to `faults`."""
    faults = [] if faults is None else faults
    if isinstance(value, str):
        return _text(value, path, faults)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _number(value, path, faults)
    if isinstance(value, dict | list | tuple):
        if depth == MAX_DEPTH:
            faults.append(Fault(path, f"nested deeper than {MAX_DEPTH} levels", "Flatten it", "It is left out"))
            return None
        return _members(value, path, faults, depth + 1)
    if isinstance(value, bytes | bytearray | memoryview):
        faults.append(Fault(path, "it holds bytes, such as an image", "", "They are left out"))
        return None
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def storage_faults(value: Any, path: str = "") -> list[Fault]:
    """What `storable` would change or leave out."""
    faults: list[Fault] = []
    storable(value, path, faults)
    return faults


def _members(value: Any, path: str, faults: list[Fault], depth: int) -> Any:
    if isinstance(value, dict):
        return _object(value, path, faults, depth)
    if value and all(type(each) is tuple and len(each) == 2 for each in value):  # Arrow's maps
        keys = [key for key, _ in value]
        if len(set(map(str, keys))) == len(keys):
            return _object({str(key): each for key, each in value}, path, faults, depth)
    return [storable(each, joined(path, at), faults, depth=depth) for at, each in enumerate(value)]


def _object(value: Mapping[str, Any], path: str, faults: list[Fault], depth: int) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key in value.keys_twice if isinstance(value, Twice) else ():
        wrong = "the key stands twice in one object"
        faults.append(Fault(joined(path, key), wrong, "Keep one of them", "The last one is kept"))
    for key, each in value.items():
        name = _text(key, f"the key {shown(key)!r}", faults)
        if not isinstance(each, bytes | bytearray):
            kept[name] = storable(each, joined(path, key), faults, depth=depth)
        else:
            storable(each, joined(path, key), faults)
    return kept


def _number(value: float, path: str, faults: list[Fault]) -> float | None:
    if value == value and value not in (float("inf"), float("-inf")):
        return value
    name = "NaN" if value != value else "Infinity"
    faults.append(Fault(path, f"{name} is not a JSON value", "", "It is kept as null"))
    return None


def _text(text: str, path: str, faults: list[Fault]) -> str:
    if type(text) is Digits:
        faults.append(Fault(path, "the number is too large", "", "It is kept as a text"))
        return str(text)
    if "\x00" in text:
        faults.append(Fault(path, "the text contains a NUL character", "Remove \\u0000", "It is kept without"))
        text = text.replace("\x00", "")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        wrong = f"the text contains half a surrogate pair (\\u{ord(text[error.start]):04x})"
        faults.append(Fault(path, wrong, "Repair the character", "It is kept with the sign � instead"))
        text = _HALVES.sub("\ufffd", text)
    return text


def shown(text: object, length: int = 60) -> str:
    """A value as a message shows it: on one line, storable, and cut after `length` characters."""
    line = " ".join(str(text).split()).replace("\x00", "\\u0000")
    line = line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line if len(line) <= length else line[: length - 1] + "…"


def joined(path: str, key: str | int) -> str:
    """The path of a member: `context[3]`, `answers.text`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{shown(key)}" if path else shown(key)
