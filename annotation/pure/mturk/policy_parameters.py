"""The parameters of a review policy in MTurk's protocol: names with lists of texts, or maps of such lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Spellings that clients and MTurk's own examples use, in lower case.
ALIASES = {"approveifworkeragreementscoreisnotlessthan": "approveifworkeragreementscoreisatleast"}
LONGEST_QUESTION = 255  # characters of a question's id
TRUE, FALSE = ("t", "true"), ("f", "false", "")


class BadPolicy(ValueError):
    """The review policy is invalid; `str()` says why."""


@dataclass(slots=True)
class Parameters:
    """The parameters of a policy, read one by one; `finish` rejects unknown ones."""

    name: str
    given: dict[str, Mapping[str, Any]]
    names_read: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, policy: Mapping[str, Any], *, name: str) -> Parameters:
        """The parameters of `policy`. Raises BadPolicy, also if its PolicyName is not `name`."""
        if policy.get("PolicyName") != name:
            raise BadPolicy(f"the policy here must be {name}")
        given: dict[str, Mapping[str, Any]] = {}
        for parameter in policy.get("Parameters", []):
            key = _key(parameter.get("Key", ""))
            if key in given:
                raise BadPolicy(f"{parameter['Key']} is given twice")
            given[key] = parameter
        return cls(name, given)

    def finish(self) -> None:
        """Raises BadPolicy for a parameter that the policy does not have."""
        for key in self.given.keys() - self.names_read:
            raise BadPolicy(f"{self.name} has no parameter {self.given[key].get('Key', '')!r}")

    def texts(self, name: str) -> tuple[str, ...]:
        """A list, written as several values or as one with commas."""
        values = [str(value) for value in self._take(name).get("Values", [])]
        parts = [text.strip() for value in values for text in (value.split(",") if len(values) == 1 else [value])]
        return tuple(_short(text, name) for text in dict.fromkeys(parts) if text)

    def text(self, name: str) -> str:
        values = self._take(name).get("Values", [])
        if len(values) > 1:
            raise BadPolicy(f"{name} takes one value")
        return str(values[0]).strip() if values else ""

    def number(self, name: str, least: int, most: int) -> int | None:
        """The parameter as an integer from `least` to `most`; None if it is not given. Raises BadPolicy."""
        written = self.text(name)
        if not written:
            return None
        if not (written.isascii() and written.isdigit() and least <= int(written[:12]) <= most):
            raise BadPolicy(f"{name} must be a whole number from {least} to {most}")
        return int(written)

    def truth(self, name: str) -> bool:
        written = self.text(name).lower()
        if written not in (*TRUE, *FALSE):
            raise BadPolicy(f"{name} must be T or F")
        return written in TRUE

    def entries(self, name: str) -> dict[str, list[str]]:
        """A map from names to texts, with at least one name."""
        entries = {str(entry.get("Key", "")): list(entry.get("Values", [])) for entry in self._entries(name)}
        if not entries or "" in entries:
            raise BadPolicy(f"{name} must map question ids to answers")
        return {_short(key, name): values for key, values in entries.items()}

    def _entries(self, name: str) -> list[Mapping[str, Any]]:
        return list(self._take(name).get("MapEntries", []))

    def _take(self, name: str) -> Mapping[str, Any]:
        self.names_read.add(_key(name))
        return self.given.get(_key(name), {})


def _short(question: str, name: str) -> str:
    if len(question) > LONGEST_QUESTION:
        raise BadPolicy(f"a question id in {name} has at most {LONGEST_QUESTION} characters")
    return question


def _key(name: str) -> str:
    small = name.strip().lower()
    return ALIASES.get(small, small)
