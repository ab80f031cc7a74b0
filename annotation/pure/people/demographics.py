"""Columns of a panel's export that can be kept, and groups of participants without small ones."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

LEAST = 5  # participants of a group that is shown
NO_VALUE = {"", "consent_revoked", "data_expired"}
OF_VISIT = {"submission id", "participant id", "status", "time taken", "completion code", "total approvals"}


@dataclass(frozen=True, slots=True)
class Group:
    """Participants with the same value, None for merged ones; without a size if it is below LEAST."""

    value: str | None
    size: int | None
    mean: float | None


def value_of(name: str, cell: str) -> str:
    """The value that is kept of a cell, "" for none; of an age only its decade."""
    text = " ".join(cell.split())
    if text.lower() in NO_VALUE:
        return ""
    if name.lower() != "age":
        return text
    if not (text.isascii() and text.isdigit() and len(text) <= 3):
        return ""
    decade = int(text) // 10 * 10
    return f"{decade}–{decade + 9}"


def tells_of_person(name: str) -> bool:
    """Whether a column is neither an id, a time, nor about the visit."""
    return name.lower() not in OF_VISIT and not name.lower().endswith((" id", " at"))


def is_offered(name: str, values: Iterable[str], *, longest: int) -> bool:
    """Whether a column can be kept: not ids, times, long texts, or a different value for each participant."""
    known = list(values)
    if not tells_of_person(name) or not 0 < len(name) <= longest:
        return False
    tells_apart = len(known) > LEAST and len(set(known)) == len(known)
    return bool(known) and not tells_apart and max(map(len, known)) <= longest


def groups(values: Mapping[int, str], scores: Mapping[int, float]) -> list[Group]:
    """Groups of {participant: value}, the largest first, and last the small ones merged.

    A single small group is merged with the next smallest, since its size would follow from the total. Means are given
    only if each group has enough participants with a score.
    """
    members: dict[str, list[int]] = {}
    for participant, value in values.items():
        members.setdefault(value, []).append(participant)
    ordered = sorted(members, key=lambda value: (-len(members[value]), value))
    merged: list[int] = []
    count = 0
    while ordered and (len(members[ordered[-1]]) < LEAST or count == 1 or 0 < len(merged) < LEAST):
        merged += members[ordered.pop()]
        count += 1
    shown: list[tuple[str | None, list[int]]] = [(value, members[value]) for value in ordered]
    if merged:
        shown.append((None, merged))
    scored = [[scores[one] for one in some if one in scores] for _value, some in shown]
    has_means = all(len(some) >= LEAST for some in scored)
    return [
        Group(value, len(some) if len(some) >= LEAST else None, fmean(numbers) if has_means else None)
        for (value, some), numbers in zip(shown, scored, strict=True)
    ]
