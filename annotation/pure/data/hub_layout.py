"""Datasets on the Hugging Face Hub: which files hold which split, and items as rows of typed columns.

The YAML at the top of a dataset's card may list them (`configs`). Otherwise they are told by their names, as the Hub
does: a word for the split in the file's or its folder's name, or the split before `-00000-of-00003`. Without a card,
folders at the top are configs.

The official layouts mix types in a list, as HotpotQA's `["Oslo", 0]`, which Arrow cannot read: columns have one type.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from annotation.pure.data.example import JSON, Example

PREFIX = "hf:"
CONVERTED = "refs/convert/parquet"  # the branch where the Hub keeps every dataset as CONFIG/SPLIT/0000.parquet
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_REVISION = re.compile(r"[A-Za-z0-9][\w./-]*", re.ASCII)
_ENDINGS = (".jsonl", ".json", ".csv", ".parquet")  # those that need no further package come first
_WORDS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("validation", "valid", "val", "dev"), "validation"),
    **dict.fromkeys(("test", "testing", "eval", "evaluation"), "test"),
}
_WORD = re.compile(rf"(?<![a-z])({'|'.join(_WORDS)})(?![a-z])")
_SHARD = re.compile(r"(.+)-\d{5}-of-\d{5}[^/]*")
_FOLDERS_OF_DATA = frozenset({"data", "dataset", "datasets", "raw"})
_NOT_DATA = frozenset({"dataset_infos.json", "dataset_info.json", "state.json", "config.json", "package.json"})
DEFAULT = "default"
_MOST_STARS = 8  # in a pattern: cards are written by anybody, and each star may multiply the time to match

Layout = dict[str, dict[str, list[str]]]  # config -> split -> files


class Unclear(ValueError):
    """Not the name of a dataset, or no such config or split; the message says what there is."""


@dataclass(frozen=True, slots=True)
class HubName:
    """`hf:OWNER/NAME@REVISION`; revision "" is the newest version."""

    repository: str
    revision: str = ""

    def __str__(self) -> str:
        return PREFIX + self.repository + (f"@{self.revision}" if self.revision else "")


def hub_name(text: str) -> HubName:
    """Parse OWNER/NAME or OWNER/NAME@REVISION, with or without `hf:`. Raises Unclear."""
    repository, at, revision = text.strip().removeprefix(PREFIX).partition("@")
    known = _NAME.fullmatch(repository) and ".." not in repository and len(repository) <= 200
    if not known or (at and (not _REVISION.fullmatch(revision) or ".." in revision or len(revision) > 200)):
        raise Unclear(f"{text[:80]!r} is no dataset of the Hub. Write hf:OWNER/NAME or hf:OWNER/NAME@REVISION.")
    return HubName(repository, revision)


def layout(files: Sequence[str], configs: object = None, *, revision: str = "") -> Layout:
    """The data files of each config and split. `configs`: as the card lists them, None if it does not."""
    data = [file for file in files if _is_data(file)]
    listed = dict(_listed(data, configs)) if isinstance(configs, list) else {}
    if any(listed.values()):
        return {config: splits for config, splits in listed.items() if splits}
    found: Layout = {}
    for file in data:
        config = _folder(file, converted=revision == CONVERTED)
        found.setdefault(config, {}).setdefault(_split(file, converted=revision == CONVERTED), []).append(file)
    return {config: {split: _one_kind(some) for split, some in splits.items()} for config, splits in found.items()}


def first_config(configs: object) -> str:
    """The config that the card marks as the default; "" if none."""
    rows = configs if isinstance(configs, list) else []
    marked = (row.get("config_name") for row in rows if isinstance(row, dict) and row.get("default") is True)
    return str(next(marked, "") or "")


def chosen(layout: Layout, config: str, split: str, *, default: str = "") -> tuple[str, str, list[str]]:
    """(config, split, files) of what was asked for; empty: the only or the default one. Raises Unclear.

    `split` may also be one of the files, where their names do not tell splits.
    """
    if not layout:
        raise Unclear(
            f"it has no JSON Lines, JSON, CSV or Parquet files; try its revision {CONVERTED}, the Hub's own conversion."
        )
    config = config or _single(layout, default)
    if config not in layout:
        raise Unclear(f"{_missing('config', config)} Choose one of {_list(layout)}.")
    splits = layout[config]
    every = [file for files in splits.values() for file in files]
    if split in every:
        return config, split, [split]
    split = _WORDS.get(split, split) if split and split not in splits else split or _single(splits, "")
    if split not in splits:
        raise Unclear(f"{_missing('split', split)} Choose one of {_list(splits)}.")
    return config, split, splits[split]


def _single(names: Collection[str], default: str) -> str:
    if len(names) == 1:
        return next(iter(names))
    return next((name for name in (default, DEFAULT) if name in names), "")


def _missing(what: str, name: str) -> str:
    return f"it has no {what} {name}." if name else f"it has several {what}s."


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _is_data(file: str) -> bool:
    path = PurePosixPath(file)
    hidden = path.is_absolute() or any(part.startswith((".", "_")) for part in path.parts)
    return bool(_kind(file)) and not hidden and path.name not in _NOT_DATA


def _kind(file: str) -> str:
    return next((ending for ending in _ENDINGS if file.removesuffix(".gz").endswith(ending)), "")


def _one_kind(files: Sequence[str]) -> list[str]:
    """Those of the simplest kind, where the same data are there in several."""
    kind = min((_kind(file) for file in files), key=_ENDINGS.index)
    return sorted(file for file in files if _kind(file) == kind)


def _folder(file: str, *, converted: bool) -> str:
    parts = PurePosixPath(file).parts
    if len(parts) == 1 or (not converted and (parts[0] in _FOLDERS_OF_DATA or parts[0] in _WORDS)):
        return DEFAULT
    return parts[0]


def _split(file: str, *, converted: bool) -> str:
    path = PurePosixPath(file)
    if converted and len(path.parts) == 3:
        return path.parts[1]
    name = path.name.removesuffix(".gz").removesuffix(_kind(file))
    shard = _SHARD.fullmatch(name)
    if shard and not _WORD.search(shard[1].lower()):
        return shard[1]
    for part in (name, *reversed(path.parts[:-1])):
        if words := _WORD.findall(part.lower()):
            return _WORDS[words[-1]]
    return "train"  # as the Hub has it where no name tells


def _listed(files: Sequence[str], configs: Sequence[Any]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for row in configs:
        if isinstance(row, Mapping):
            name, folder = str(row.get("config_name") or DEFAULT), str(row.get("data_dir") or "").strip("/")
            inside = [file for file in files if not folder or file.startswith(f"{folder}/")]
            yield name, _splits_of(row.get("data_files"), inside, folder)


def _splits_of(wanted: object, files: Sequence[str], folder: str) -> dict[str, list[str]]:
    if wanted is None:
        splits: dict[str, list[str]] = {}
        for file in files if folder else ():
            splits.setdefault(_split(file.removeprefix(f"{folder}/"), converted=False), []).append(file)
        return {split: _one_kind(some) for split, some in splits.items()}
    found: dict[str, list[str]] = {}
    for split, pattern in _patterns(wanted):
        matcher = _glob(f"{folder}/{pattern}" if folder else pattern)
        found.setdefault(split, []).extend(file for file in files if matcher.fullmatch(file))
    return {split: sorted(set(some)) for split, some in found.items() if some}


def _patterns(wanted: object) -> Iterator[tuple[str, str]]:
    """(split, pattern) of a card's `data_files`: a pattern, a list of them, or rows of split and path."""
    for row in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(row, Mapping):
            paths = row.get("path")
            for path in paths if isinstance(paths, list) else [paths]:
                yield str(row.get("split") or "train"), str(path)
        else:
            yield "train", str(row)


def _glob(pattern: str) -> re.Pattern[str]:
    """A shell pattern: * within a folder, ** over folders; a folder stands for all of its files."""
    pattern = pattern.removeprefix("./")
    if pattern.count("*") > _MOST_STARS:
        return re.compile(re.escape(pattern))
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", "[0-9]": "[0-9]"}
    marks = re.split(r"(\*\*/|\*\*|\*|\?|\[0-9\])", pattern)
    return re.compile("".join(meant.get(mark) or re.escape(mark) for mark in marks) + "(?:/.*)?")


_LISTS = {"list<text>": "list: string", "list<number>": "list: int64"}
_COLUMNS: Mapping[str, Any] = {  # a column's type; of a list of objects their fields
    "id": "string",
    "question": "string",
    "paragraphs": {"title": "string", "text": "string", "sentences": "list<text>"},
    "answers": "list<text>",
    "supports": "list<number>",
    "facts": {"paragraph": "int64", "sentence": "int64"},
    "hops": {"question": "string", "answer": "string", "support": "int64", "id": "string"},
    "answerable": "bool",
    "options": "list<text>",
    "group": "string",
    "shape": "string",
    "answer_set": "list<list<text>>",
    "as_of": "string",
    "extra": "string",
}


def row_of(example: Example) -> JSON:
    """The row of an item. Ids of hops and `extra` are JSON as a text, since their types differ."""
    row = example.as_json()
    for shown, paragraph in zip(row["paragraphs"], example.paragraphs, strict=True):
        shown |= {"text": paragraph.text, "sentences": shown.get("sentences")}
    row["facts"] = None if example.facts is None else [{"paragraph": p, "sentence": s} for p, s in example.facts]
    row["hops"] = [hop | {"id": _packed(hop["id"])} for hop in row["hops"]]
    row |= {"answer_set": [list(answer) for answer in example.answer_set], "as_of": example.as_of}
    row["extra"] = json.dumps(row["extra"], allow_nan=False)
    return {name: row[name] for name in _COLUMNS}


def is_row(value: object) -> bool:
    """Whether a record has the columns of `row_of`."""
    return isinstance(value, dict) and set(_COLUMNS) <= set(value) and isinstance(value["extra"], str)


def example_of(row: Mapping[str, Any]) -> Example:
    """The item of a row. Raises ValueError, TypeError, KeyError or AttributeError for one that was changed by hand."""
    record = dict(row)
    record["paragraphs"] = [
        {"title": each["title"], "text": each["text"]}
        | ({} if each.get("sentences") is None else {"sentences": each["sentences"]})
        for each in row["paragraphs"]
    ]
    facts = row["facts"]
    record["facts"] = None if facts is None else [(fact["paragraph"], fact["sentence"]) for fact in facts]
    record["hops"] = [hop | {"id": None if hop["id"] is None else json.loads(hop["id"])} for hop in row["hops"] or ()]
    record["extra"] = json.loads(row["extra"])
    return Example.from_json(record)


def _packed(value: object) -> str | None:
    return None if value is None else json.dumps(value)


def features() -> Iterator[str]:
    """The columns' types as lines of a dataset card's YAML (`dataset_info`), so that empty columns have one too."""
    yield "dataset_info:"
    yield "  features:"
    for name, kind in _COLUMNS.items():
        yield f"  - name: {name}"
        if isinstance(kind, str):
            yield from _typed(kind, "    ")
        else:
            yield "    list:"
            for field, inner in kind.items():
                yield f"    - name: {field}"
                yield from _typed(inner, "      ")


def _typed(kind: str, indent: str) -> Iterator[str]:
    if kind == "list<list<text>>":
        yield f"{indent}list:"
        yield f"{indent}  list: string"
    else:
        yield f"{indent}{_LISTS.get(kind, f'dtype: {kind}')}"
