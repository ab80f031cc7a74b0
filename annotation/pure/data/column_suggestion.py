"""Suggest what the columns of a table hold, from their names and, where names say nothing, from their values."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.pure.data.column_mapping import EACH, ROLES, families, truth_of, value_at

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
