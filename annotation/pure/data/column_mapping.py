"""Which columns of a table hold which part of an item: question, answer, paragraphs, support and so on.

A column is a path into a record: `q`, `data.question` in an object, `ctxs[].text` in each object of a list. Numbered
columns are one family, whose number is written `*`: `passage_*` are `passage_1`, `passage_2`, ... A mapping is
suggested from the names of the columns and, where names say nothing, from their values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = {  # in the order of lists; of those with False only one column
    "question": False,
    "answer": False,
    "aliases": True,
    "paragraph": True,
    "title": True,
    "support": True,
    "support_from_1": True,
    "id": False,
    "type": False,
    "answerable": False,
    "options": True,
    "hop_question": True,
    "hop_answer": True,
}
_NUMBER = re.compile(r"\d+")
EACH = "[]"
NONE = "none"  # instead of `role=column`: no column has a role
_TRUTHS = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}


class BadMapping(ValueError):
    """A mapping that makes no items; the message says what to change, `role` which part."""

    def __init__(self, message: str, role: str = "") -> None:
        super().__init__(message)
        self.role = role


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Role to columns or families, in order. Without any, items are records with all they have as additional data."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> ColumnMapping:
        """The mapping of (role, column) pairs. Raises BadMapping."""
        columns: dict[str, tuple[str, ...]] = {}
        for role, column in pairs:
            if role not in ROLES:
                raise BadMapping(f"There is no role {role[:60]!r}. Choose among {', '.join(ROLES)}.")
            if role in columns and not ROLES[role]:
                raise BadMapping(
                    f"Only one column can be the {role}. Choose one of {columns[role][0]}, {column}.", role
                )
            columns[role] = (*columns.get(role, ()), column)
        _check(columns)
        return cls(columns)

    @classmethod
    def of_words(cls, words: Iterable[str]) -> ColumnMapping:
        """The mapping of `role=column` words, or of `none` alone. Raises BadMapping."""
        words = list(words)
        if words == [NONE]:
            return cls()
        pairs = [tuple(word.split("=", 1)) for word in words]
        if bad := next((pair for pair in pairs if len(pair) != 2 or not pair[1]), None):
            raise BadMapping(f"{bad[0][:60]!r} maps no column. Write ROLE=COLUMN, such as question=q, or {NONE} alone.")
        return cls.of((role.strip(), column) for role, column in pairs)

    @classmethod
    def of_json(cls, value: object) -> ColumnMapping:
        """The mapping of `{"question": "q", "paragraph": ["passage_*"]}`. Raises BadMapping."""
        if not isinstance(value, Mapping):
            raise BadMapping('Give an object of roles and their columns, such as {"question": "q"}.')
        pairs = []
        for role, columns in value.items():
            for column in columns if isinstance(columns, list) else [columns]:
                if not isinstance(column, str):
                    raise BadMapping(f"The columns of {role!s:.60} are not texts. Give a column or a list of columns.")
                pairs.append((role, column))
        return cls.of(pairs)

    def as_json(self) -> dict[str, list[str]]:
        return {role: list(self.columns[role]) for role in ROLES if role in self.columns}

    def roles(self) -> dict[str, str]:
        """Column or family to role."""
        return {column: role for role, columns in self.as_json().items() for column in columns}

    def words(self) -> list[str]:
        """`role=column` of each column."""
        return [f"{role}={column}" for role, columns in self.as_json().items() for column in columns]

    def expanded(self, known: Sequence[str]) -> dict[str, list[str]]:
        """The columns of each role among the known ones, families expanded. Raises BadMapping for an unknown one."""
        found = {role: [each for one in some for each in _matching(one, known)] for role, some in self.columns.items()}
        for role, columns in found.items():
            if len(columns) > 1 and not ROLES[role]:
                raise BadMapping(f"Only one column can be the {role}. Choose one of {', '.join(columns)[:300]}.", role)
        return found


def _check(columns: Mapping[str, Sequence[str]]) -> None:
    if "hop_answer" in columns and "hop_question" not in columns:
        raise BadMapping("hop_answer needs hop_question. Map the columns with the hops' questions too.", "hop_answer")
    if {"support", "support_from_1"} <= set(columns):
        raise BadMapping("Map support or support_from_1, not both.", "support")


def _matching(column: str, known: Sequence[str]) -> list[str]:
    if column in known or any(each.startswith((f"{column}.", f"{column}{EACH}.")) for each in known):
        return [column]
    for star in (r"\d+", r".+") if "*" in column else ():
        pattern = re.compile(star.join(map(re.escape, column.split("*"))))
        if found := [each for each in known if pattern.fullmatch(each)]:
            return found
    raise BadMapping(f"There is no column {column[:60]!r}. The columns are {', '.join(known)[:600]}.")


def family_of(column: str) -> str:
    """The column with its numbers as `*`."""
    return _NUMBER.sub("*", column)


def families(columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns in order, with numbered ones, if there are several, under their family."""
    found: dict[str, list[str]] = {}
    for column in columns:
        found.setdefault(family_of(column), []).append(column)
    return {name if len(some) > 1 else some[0]: some for name, some in found.items()}


def columns_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The paths of all values in the records, in order of appearance."""
    paths = dict.fromkeys(path for record in records for path in _paths(record))
    outer = {before for path in paths for before in _outer(path)}  # where another record has an empty list or object
    return [path for path in paths if path not in outer]


def _outer(path: str) -> Iterator[str]:
    """`a[].b.c` gives `a`, `a[]`, `a[].b`."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path
        yield path.removesuffix(EACH)


def _paths(record: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for key, value in record.items():
        path = f"{before}{key}"
        inner = value if isinstance(value, dict) else None
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            inner, path = {key: part for each in value for key, part in each.items()}, path + EACH
        if inner:
            yield from _paths(inner, f"{path}.")
        else:
            yield path


def value_at(record: Any, path: str) -> Any:
    """The value at a path, None if there is none; a list for a path through a list."""
    if isinstance(record, dict) and path in record:
        return record[path]
    head, dot, rest = path.partition(".")
    if not dot or not isinstance(record, dict):
        return None
    if not head.endswith(EACH):
        return value_at(record.get(head), rest)
    members = record.get(head.removesuffix(EACH))
    return [value_at(each, rest) for each in members] if isinstance(members, list) else None


def truth_of(value: object) -> bool | None:
    """The truth that a value says: true, yes or 1; false, no or 0. None for any other."""
    return _TRUTHS.get(str(value).strip().lower()) if isinstance(value, str | int | float) else None


def without(record: Mapping[str, Any], used: Collection[str], before: str = "") -> dict[str, Any]:
    """A copy of the record without the values at the used paths, and without objects that are empty then."""
    rest: dict[str, Any] = {}
    for key, value in record.items():
        path = f"{before}{key}"
        if path in used:
            continue
        if isinstance(value, dict) and value:
            value = without(value, used, f"{path}.")
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            members = [without(each, used, f"{path}{EACH}.") for each in value]
            value = members if any(members) else None
        else:
            rest[key] = value
            continue
        if value:
            rest[key] = value
    return rest


_NAMES: dict[str, str] = {
    name: role
    for role, names in {
        "question": "question query q question_text query_text multihop_question ask prompt frage pregunta domanda",
        "answer": "answer ans a answers gold_answer gold_answers golden_answers answer_text correct_answer target "
        "antwort respuesta risposta",
        "aliases": "answer_aliases aliases alias alternative_answers other_answers",
        "paragraph": "paragraph paragraphs passage passages context contexts text texts article body document "
        "documents doc docs ctx ctxs content paragraph_text passage_text sentences chunk snippet evidence_text absatz "
        "kontext contexto contesto contexte",
        "title": "title titles heading wiki_title passage_title paragraph_title document_title page_title "
        "titel titulo titolo titre",
        "support": "is_supporting supporting supports support is_support is_gold gold supporting_facts "
        "supporting_paragraphs gold_paragraphs supporting_idx supporting_ids gold_titles supporting_titles "
        "relevant is_relevant",
        "id": "id _id qid uid guid question_id query_id example_id item_id key",
        "type": "type question_type reasoning_type",
        "answerable": "answerable is_answerable",
        "options": "options choices option choice",
        "hop_question": "subquestion subquestions sub_question sub_questions subqueries subquery hop_question "
        "decomposition question_decomposition hops steps subq",
        "hop_answer": "subanswer subanswers sub_answer sub_answers hop_answer hop_answers suba",
    }.items()
    for name in names.split()
}
_LAST = {  # the last word of a longer name
    "question": "question", "query": "question", "answer": "answer", "answers": "answer", "aliases": "aliases",
    "paragraph": "paragraph", "passage": "paragraph", "context": "paragraph", "text": "paragraph",
    "document": "paragraph", "body": "paragraph", "title": "title", "titles": "title", "heading": "title",
}  # fmt: skip
_OF_HOPS = {"question": "hop_question", "answer": "hop_answer"}
_DIGITS = re.compile(r"[\d\s,;\[\]]+")
_DECISIONS = {"accept", "reject", "ignore"}  # of annotators
LONG = 12  # words from which a text is rather a paragraph than an answer
SHORT = 10


def suggest(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> dict[str, str]:
    """The likely role of each column or family; those without one are left out."""
    groups = families(columns)
    known = {name: _values(records, some) for name, some in groups.items()}
    single = {name for name, some in groups.items() if len(some) == 1}
    roles: dict[str, str] = {}
    for name, values in known.items():
        role = _by_name(name)
        if role == "paragraph" and name in single and is_asking(values):
            continue  # q_text holds questions
        if role and _fits(role, values) and (ROLES[role] or (name in single and role not in roles.values())):
            roles[name] = role
    _by_values(known, single, roles)
    _one_support(known, roles)
    return {name: roles[name] for name in known if name in roles}


def _values(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[Any]:
    found = (value_at(record, column) for record in records for column in columns)
    return [value for value in found if value not in (None, "", [])]


def _by_name(column: str) -> str:
    if column.count(EACH) > 1:
        return ""  # a list in each object of a list, such as what annotators marked
    parts = column.replace(EACH, "").split(".")
    name = _plain(parts[-1])
    role = _NAMES.get(name) or _LAST.get(name.rsplit("_", 1)[-1], "")
    inside = [_NAMES.get(_plain(part), "") for part in parts[:-1]]
    if EACH in column and role in _OF_HOPS:
        return _OF_HOPS[role]
    if "support" in inside:  # supporting_facts.title; the numbers of its sentences have no role
        return "support" if role == "title" else ""
    if "options" in inside:
        return "options" if role in {"options", "paragraph", "answer"} else ""
    if "answer" in inside:
        return "answer" if role == "paragraph" else ""
    return role


def _plain(name: str) -> str:
    """`passage_*` and `Passage 1` give passage; `supportingFacts` gives supporting_facts."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z]+", "_", spaced.lower()).strip("_") or name


def _flat(values: Sequence[Any]) -> list[Any]:
    """The members of all lists, down to the texts and numbers."""
    return [each for value in values for each in (_flat(value) if isinstance(value, list) else [value])]


def _fits(role: str, values: Sequence[Any]) -> bool:
    texts = [value for value in _flat(values) if isinstance(value, str)]
    if role in {"question", "type"}:
        return bool(values) and all(isinstance(value, str) for value in values)
    if role in {"paragraph", "title", "hop_question"}:
        return bool(texts) and not _truths(values)
    if role == "answerable":
        return _truths(values)
    if role == "answer" and texts and {*texts} <= _DECISIONS:
        return False
    if role == "options":
        return any(isinstance(value, list) for value in values) or len(texts) > 1
    if role == "support" and not any(isinstance(value, list) for value in values):
        return bool(values) and (_truths(values) or all(_DIGITS.fullmatch(str(value)) for value in values))
    return bool(values) and not any(isinstance(value, dict) for value in _flat(values))


def _truths(values: Sequence[Any]) -> bool:
    return all(truth_of(each) is not None for each in _flat(values))


def _words(values: Sequence[Any]) -> float:
    texts = [value for value in _flat(values) if isinstance(value, str)]
    return sum(len(text.split()) for text in texts) / len(texts) if texts else 0.0


def _by_values(known: Mapping[str, Sequence[Any]], single: Collection[str], roles: dict[str, str]) -> None:
    """Find the question, the paragraphs and the answer among the columns whose names say nothing."""
    unnamed = {name: known[name] for name in known if name in single and name not in roles}
    texts = {name: values for name, values in unnamed.items() if _fits("question", values)}
    if not {"question", "hop_question"} & set(roles.values()):
        _take("question", [name for name in texts if is_asking(texts[name])], roles)
    if "paragraph" not in roles.values():
        _take("paragraph", [name for name in known if name not in roles and _words(known[name]) >= LONG], roles)
    if "answer" not in roles.values():
        context = " ".join(map(str, _flat([known[name] for name, role in roles.items() if role == "paragraph"])))
        short = (name for name in texts if name not in roles and _words(texts[name]) <= SHORT)
        there = [name for name in short if all(value in context for value in texts[name])]
        # The digits of a running number are in texts too.
        _take("answer", sorted(there, key=lambda name: all(map(_DIGITS.fullmatch, texts[name]))), roles)


def _take(role: str, names: Sequence[str], roles: dict[str, str]) -> None:
    roles.update(dict.fromkeys(names if ROLES[role] else names[:1], role))


def is_asking(values: Sequence[Any]) -> bool:
    """Whether at least half of the values are questions."""
    asked = sum(isinstance(value, str) and value.rstrip().endswith("?") for value in values)
    return bool(values) and 2 * asked >= len(values)


def _one_support(known: Mapping[str, Sequence[Any]], roles: dict[str, str]) -> None:
    """Keep one column of support, and tell whether its numbers begin with 1."""
    names = [name for name, role in roles.items() if role == "support"]
    for other in names[1:]:
        del roles[other]
    for name in names[:1]:
        values = _flat(known[name])
        flags = (EACH in name or "*" in name) and _truths(values)
        digits = not flags and all(_DIGITS.fullmatch(str(value)) for value in values)
        if digits and not any(int(number) == 0 for value in values for number in re.findall(r"\d+", str(value))):
            roles[name] = "support_from_1"
