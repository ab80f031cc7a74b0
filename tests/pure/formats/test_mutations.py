"""Thousands of broken files: each record is read or refused with a place and a reason, and nothing else happens."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from annotation.formats.base import CannotWrite, Unreadable
from tests.long_forms import first
from tests.pure.formats import samples
from tests.pure.formats.samples import CSV, WORKED, read, written

_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 7, 2**70, 1.5, "", " ", "x", "tin", "a\x00b", "\ud83d", "‮abc", "=1+1", [], {},
    [[]], [None], [1], ["x"], {"a": {}}, [["x", 0]], {"title": []}, {"title": ["x"], "sent_id": [0]}, "é" * 300,
]  # fmt: skip

_RAW = {
    "nan": "NaN",
    "infinity": "-Infinity",
    "huge float": "1e400",
    "huge integer": "9" * 5000,
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "rather deep": "[" * 150 + "]" * 150,
    "nul": '"\\u0000"',
    "half a pair": '"\\ud800"',
    "key twice": '{"k": 1, "k": 2}',
    "bad escape": '"\\x41"',
    "open text": '"abc',
    "raw tab": '"a\tb"',
    "comma": ",",
    "nothing": "",
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every member of a value."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def holder(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value


def replaced(value: Any, rng: Random) -> bytes:
    path = rng.choice(list(places(value)))
    holder(value, path)[path[-1]] = deepcopy(rng.choice(_VALUES))
    return json.dumps(value).encode()


def removed(value: Any, rng: Random) -> bytes:
    path = rng.choice(list(places(value)))
    del holder(value, path)[path[-1]]
    return json.dumps(value).encode()


def doubled(value: Any, rng: Random) -> bytes:
    path = rng.choice([path for path in places(value) if isinstance(path[-1], int)])
    there = holder(value, path)
    there.append(deepcopy(there[path[-1]]))
    return json.dumps(value).encode()


def renamed(value: Any, rng: Random) -> bytes:
    path = rng.choice([path for path in places(value) if isinstance(path[-1], str)])
    there = holder(value, path)
    there[rng.choice(["", "@note", "\x00", "id", "_id", "x" * 300])] = there.pop(path[-1])
    return json.dumps(value).encode()


def spliced(value: Any, rng: Random) -> bytes:
    path = rng.choice(list(places(value)))
    holder(value, path)[path[-1]] = "\u2603mark"
    raw = rng.choice(list(_RAW.values()))
    return json.dumps(value, ensure_ascii=False).replace('"\u2603mark"', raw).encode()


def repeated_key(value: Any, rng: Random) -> bytes:
    path = rng.choice([path for path in places(value) if isinstance(path[-1], str)])
    key = json.dumps(path[-1])
    return json.dumps(value).replace(f"{key}:", f"{key}: 1, {key}:", 1).encode()


def cut(value: Any, rng: Random) -> bytes:
    content = json.dumps(value).encode()
    return content[: rng.randrange(len(content))]


def scratched(value: Any, rng: Random) -> bytes:
    content = bytearray(json.dumps(value, ensure_ascii=False).encode())
    for _ in range(rng.randint(1, 3)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    return bytes(content)


def otherwise_encoded(value: Any, rng: Random) -> bytes:
    text = json.dumps(value, indent=rng.choice([None, 1]), ensure_ascii=False)
    text = text.replace("\n", rng.choice(["\n", "\r\n"]))
    content = text.encode(rng.choice(["utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-8"]))
    return gzip.compress(content) if rng.random() < 0.3 else content


MUTATIONS: list[Callable[[Any, Random], bytes]] = [
    replaced, replaced, removed, doubled, renamed, spliced, spliced, repeated_key, cut, scratched, otherwise_encoded,
]  # fmt: skip


def as_lines(value: Any, rng: Random, mutate: Callable[[Any, Random], bytes]) -> bytes:
    """The mutated file as JSON lines, where it is an array."""
    lines = [json.dumps(record).encode() for record in value]
    lines[rng.randrange(len(lines))] = mutate([rng.choice(value)], rng).strip(b"[]")
    return rng.choice([b"\n", b"\r\n"]).join(lines)


def mutated(name: str, rng: Random) -> bytes:
    if name == "csv":
        return mutated_table(rng)
    value, mutate = deepcopy(WORKED[name]), rng.choice(MUTATIONS)
    if isinstance(value, list) and rng.random() < 0.4:
        return as_lines(value, rng, mutate)
    return mutate(value, rng)


def mutated_table(rng: Random) -> bytes:
    text = CSV
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text))
        insert = rng.choice(['"', ",", "\n", "\r", "\x00", "'", "=", "x" * 200_000, "\ufeff", "é", "", ";"])
        text = text[:at] + insert + text[at + rng.randint(0, 3) :]
    content = text.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]), "replace")
    return content[: rng.randrange(len(content))] if rng.random() < 0.2 else content


@pytest.mark.parametrize("count", first(1, [100, 300]))
@pytest.mark.parametrize("name", samples.SAMPLED)
def test_no_mutation_of_a_file_raises_anything_but_unreadable(name: str, count: int) -> None:
    rng = Random(f"mutations of {name}")
    refused = 0
    for _ in range(count):
        content = mutated(name, rng)
        try:
            parsed, flaws = read(name, content)
        except Unreadable as error:
            assert_says_where_and_why(error)
            refused += 1
            continue
        for flaw in flaws:
            assert flaw.place
            assert flaw.field or flaw.severity == "error"
            assert flaw.wrong
            assert flaw.fix
            str(flaw).encode("utf-8")
        for one in parsed:
            errors = [flaw for flaw in one.flaws if flaw.severity == "error"]
            assert (one.example is None) == bool(errors), content[:3000]
        refused += any(one.example is None for one in parsed)
        assert_storable(name, [one.example for one in parsed if one.example])
    assert refused > count / 10


def assert_says_where_and_why(error: Unreadable) -> None:
    assert error.flaw.place
    assert error.flaw.wrong
    assert error.flaw.fix
    str(error).encode("utf-8")


def assert_storable(name: str, them: list[Any]) -> None:
    """What was accepted can be stored everywhere, and comes out equal when it is written and read."""
    for example in them:
        text = json.dumps(example.as_json(), allow_nan=False, ensure_ascii=False)
        assert "\\u0000" not in text
        text.encode("utf-8")
    try:
        content = written(name, them)
    except CannotWrite as refusal:
        pytest.fail(f"what was read cannot be written: {refusal}")
    again = [one.example for one in read(name, content)[0]] if them else []
    assert [bare(example) for example in again] == [bare(example) for example in them]


def bare(example: Any) -> dict[str, Any]:
    record = example.as_json()
    record["extra"] = {key: value for key, value in record["extra"].items() if key[:1] != "@"}
    return record
