"""Qualification requirements to see, preview or accept work: MTurk's comparators, guards, limits and wording.

A qualification that a worker does not hold fails every comparator but DoesNotExist, so NotEqualTo and NotIn too
(an inference, since MTurk's own documentation is silent): nothing is assumed about an unknown value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

LOCALE: Final = "00000000000000000071"
ADULT: Final = "00000000000000000060"
APPROVED_COUNT: Final = "00000000000000000040"  # NumberHITsApproved
APPROVED_SHARE: Final = "000000000000000000L0"  # PercentAssignmentsApproved
MASTERS: Final = "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH"
MASTERS_SANDBOX: Final = "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"
SYSTEM: Final = frozenset({LOCALE, ADULT, APPROVED_COUNT, APPROVED_SHARE, MASTERS, MASTERS_SANDBOX})

SHARE_COUNTS_FROM: Final = 100  # submitted assignments; before, PercentAssignmentsApproved is 100

GUARDED: Final[dict[str, frozenset[str]]] = {
    "Accept": frozenset({"accept"}),
    "PreviewAndAccept": frozenset({"preview", "accept"}),
    "DiscoverPreviewAndAccept": frozenset({"discover", "preview", "accept"}),
}
ACTS: Final = GUARDED["DiscoverPreviewAndAccept"]

ORDERED: Final[dict[str, Callable[[int, int], bool]]] = {
    "LessThan": lambda held, wanted: held < wanted,
    "LessThanOrEqualTo": lambda held, wanted: held <= wanted,
    "GreaterThan": lambda held, wanted: held > wanted,
    "GreaterThanOrEqualTo": lambda held, wanted: held >= wanted,
}
MEMBERSHIP: Final = frozenset({"In", "NotIn"})
EXISTENCE: Final = frozenset({"Exists", "DoesNotExist"})
COMPARATORS: Final = (*ORDERED, "EqualTo", "NotEqualTo", "Exists", "DoesNotExist", "In", "NotIn")

MOST_REQUIREMENTS, MOST_VALUES, MOST_LOCALES = 10, 15, 30  # as MTurk has them
SMALLEST, LARGEST = -(2**31), 2**31 - 1  # an integer of the protocol
COUNTRY = re.compile(r"[A-Z]{2}")
SUBDIVISION = re.compile(r"[A-Z0-9]{1,3}")


class InvalidRequirement(ValueError):
    """The requirements violate the protocol; `str()` says how."""


@dataclass(frozen=True)
class Locale:
    """A country (ISO 3166-1, two letters) and optionally its subdivision (ISO 3166-2 without the country)."""

    country: str
    subdivision: str = ""

    def covers(self, other: Locale) -> bool:
        """Whether this locale includes `other`: a country covers all its subdivisions."""
        return self.country == other.country and self.subdivision in ("", other.subdivision)


@dataclass(frozen=True)
class Requirement:
    """One condition on the qualification `type` (its public id); exactly one kind of values, or none."""

    type: str
    comparator: str
    values: tuple[int, ...] = ()
    locales: tuple[Locale, ...] = ()
    guard: str = "Accept"

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Requirement:
        """From the JSON in `Batch.requirements`."""
        return cls(
            type=row["type"],
            comparator=row["comparator"],
            values=tuple(row.get("values") or ()),
            locales=tuple(Locale(at["country"], at.get("subdivision", "")) for at in row.get("locales") or ()),
            guard=row.get("guard") or "Accept",
        )

    def written(self) -> dict[str, Any]:
        """As JSON for `Batch.requirements`; empty keys are omitted, so that equal requirements are equal as text."""
        row: dict[str, Any] = {"type": self.type, "comparator": self.comparator, "guard": self.guard}
        if self.values:
            row["values"] = list(self.values)
        if self.locales:
            row["locales"] = [
                {"country": at.country} | ({"subdivision": at.subdivision} if at.subdivision else {})
                for at in self.locales
            ]
        return row

    def guards(self, act: str) -> bool:
        """Whether the requirement applies to this act: discover, preview or accept."""
        return act in GUARDED[self.guard]


@dataclass(frozen=True)
class Held:
    """A worker's value of one qualification: a score, or a place for the Locale."""

    value: int = 1
    locale: Locale | None = None


@dataclass(frozen=True)
class Lack:
    """A requirement that a worker does not meet, with their value; `held` is None without the qualification."""

    requirement: Requirement
    held: Held | None = None


def read_all(rows: Iterable[Mapping[str, Any]]) -> list[Requirement]:
    """The requirements in a `Batch.requirements`."""
    return [Requirement.read(row) for row in rows]


def lacks(requirements: Iterable[Requirement], held: Mapping[str, Held], act: str = "accept") -> list[Lack]:
    """The requirements guarding `act` that a worker with qualifications `held` (by type) does not meet, in order."""
    if act not in ACTS:
        raise ValueError(f"unknown act {act!r}")
    guarding = [requirement for requirement in requirements if requirement.guards(act)]
    return [Lack(one, held.get(one.type)) for one in guarding if not meets(one, held.get(one.type))]


def meets(requirement: Requirement, held: Held | None) -> bool:
    """Whether `held` (None: no such qualification) satisfies the requirement, whatever it guards."""
    if requirement.comparator == "DoesNotExist":
        return held is None
    if held is None:
        return False
    if requirement.comparator == "Exists":
        return True
    if requirement.comparator in ORDERED:
        return ORDERED[requirement.comparator](held.value, requirement.values[0])
    return _is_among(requirement, held) == (requirement.comparator in ("EqualTo", "In"))


def _is_among(requirement: Requirement, held: Held) -> bool:
    if held.locale is not None:
        return any(wanted.covers(held.locale) for wanted in requirement.locales)
    return held.value in requirement.values


def share_approved(*, submitted: int, approved: int, rejected: int) -> int:
    """PercentAssignmentsApproved: 100 before 100 submissions, then the rounded-down percentage of those decided."""
    decided = approved + rejected
    if submitted < SHARE_COUNTS_FROM or not decided:
        return 100
    return 100 * approved // decided


def check(requirements: Sequence[Requirement]) -> None:
    """Raise InvalidRequirement, with a message in English, for the first violation of the protocol."""
    if len(requirements) > MOST_REQUIREMENTS:
        message = f"There are {len(requirements)} requirements; at most {MOST_REQUIREMENTS} are possible."
        raise InvalidRequirement(message)
    for requirement in requirements:
        for fault in _faults(requirement):
            raise InvalidRequirement(fault)


def _faults(one: Requirement) -> Iterator[str]:
    """The rules that a requirement breaks; only the first is reliable, because later ones build on it."""
    if one.comparator not in COMPARATORS:
        yield f"{one.comparator!r} is no comparator; there are {', '.join(COMPARATORS)}."
    if one.guard not in GUARDED:
        yield f"{one.guard!r} is no guard; there are {', '.join(GUARDED)}."
    if one.values and one.locales:
        yield f"{one.type}: integer values and locale values exclude each other."
    yield from _faults_of_values(one)
    if one.locales and one.type != LOCALE:
        yield f"{one.type}: only the Locale qualification ({LOCALE}) takes locale values."
    if one.type == LOCALE and one.comparator in ORDERED:
        yield f"Locale cannot be compared with {one.comparator}; use EqualTo, NotEqualTo, In or NotIn."
    if one.type == LOCALE and one.values:
        yield "Locale takes locale values, not integers."
    for at in one.locales:
        if not COUNTRY.fullmatch(at.country) or (at.subdivision and not SUBDIVISION.fullmatch(at.subdivision)):
            yield f"{at.country!r} {at.subdivision!r} is no locale: use two capital letters, such as US, or US CA."


def _faults_of_values(one: Requirement) -> Iterator[str]:
    count, name = len(one.values) + len(one.locales), f"{one.type}: {one.comparator}"
    if one.comparator in EXISTENCE:
        if count:
            yield f"{name} takes no values."
    elif one.comparator in MEMBERSHIP:
        if not count:
            yield f"{name} takes at least one value."
        if len(one.values) > MOST_VALUES:
            yield f"{name} takes at most {MOST_VALUES} integers."
        if len(one.locales) > MOST_LOCALES:
            yield f"{name} takes at most {MOST_LOCALES} locales."
    elif count != 1:
        yield f"{name} takes exactly one value."
    if not all(type(value) is int and SMALLEST <= value <= LARGEST for value in one.values):
        yield f"{one.type}: values are whole numbers from {SMALLEST} to {LARGEST}."


SIGNS: Final = {
    ">=": "GreaterThanOrEqualTo", "<=": "LessThanOrEqualTo", ">": "GreaterThan", "<": "LessThan",
    "==": "EqualTo", "=": "EqualTo", "!=": "NotEqualTo", "not in": "NotIn", "in": "In",
}  # fmt: skip
COMPARED = re.compile(r"([^<>=]+?)\s*(?:(>=|<=|!=|==|>|<|=)|\s(not in|in)\s)\s*([^<>=!]+)")
NOT_HELD = re.compile(r"not\s+(.+)")


def read_phrase(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Parse "NAME>=80", "NAME in 1,2", "NAME" or "not NAME" into (name, MTurk comparator, values as texts).

    Raises ValueError for any other text.
    """
    phrase = " ".join(text.split())
    if match := COMPARED.fullmatch(phrase):
        name, sign, word, values = match.groups()
        return name.strip(), SIGNS[sign or word], words_of(values)
    if re.search(r"[<>=]", phrase) or not phrase:
        raise ValueError(f"{text!r}: write NAME>=80, NAME in 1,2, NAME, or not NAME")
    if match := NOT_HELD.fullmatch(phrase):
        return match[1], "DoesNotExist", ()
    return phrase, "Exists", ()


def words_of(text: str) -> tuple[str, ...]:
    """Split a text at commas, semicolons and spaces."""
    return tuple(word for word in re.split(r"[\s,;]+", text) if word)


def read_values(words: Sequence[str], *, places: bool) -> tuple[tuple[int, ...], tuple[Locale, ...]]:
    """Parse integers, or with `places` locales such as US or US-CA. Raises ValueError for an invalid number."""
    if places:
        parts = (word.upper().partition("-") for word in words)
        return (), tuple(Locale(country, subdivision) for country, _hyphen, subdivision in parts)
    return tuple(int(word) for word in words), ()


def written(one: Requirement) -> str:
    """The values of a requirement as `read_values` reads them, with commas."""
    places = (f"{at.country}-{at.subdivision}" if at.subdivision else at.country for at in one.locales)
    return ", ".join([*map(str, one.values), *places])
