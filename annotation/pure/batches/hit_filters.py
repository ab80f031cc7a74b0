"""A filter on a batch: by number of hops, shape, dataset, days or worker.

A part of a batch is in URLs and, as the key of a report, of database rows; both use the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from urllib.parse import urlencode

LONGEST = 100  # characters of a value
OF_REPORTS = ("dataset", "hops", "shape", "since", "until", "ties")
TIES = ("expected", "random")
ONLY = ("several", "labelled", "answerable")  # two responses or more; a label in the source; not "unanswerable" there


@dataclass(frozen=True, slots=True)
class BatchPart:
    """A filter of a batch's HITs; by default all. `since` and `until` are days in UTC, both included."""

    dataset: str = ""  # its slug
    hops: int | None = None
    shape: str = ""
    since: date | None = None
    until: date | None = None
    ties: str = ""  # one of TIES, the rule by which a report breaks ties; "": the batch's own
    worker: str = ""  # a pseudonym
    label: str = ""  # label of a response, as its task type counts it
    differing: bool = False  # only HITs with differing answers
    counted: bool = False  # only HITs that figures count: none excluded
    only: str = ""  # one of ONLY

    @classmethod
    def of(cls, query: Mapping[str, str]) -> BatchPart:
        """Parse a URL's query; invalid parts are ignored."""
        names = ("dataset", "shape", "worker", "label")
        texts = {name: query.get(name, "").replace("\0", "").strip()[:LONGEST] for name in names}
        return cls(
            **texts,
            hops=_number(query.get("hops")),
            since=_day(query.get("since")),
            until=_day(query.get("until")),
            differing=query.get("differing") == "1",
            counted=query.get("counted") == "1",
            ties=query.get("ties", "") if query.get("ties") in TIES else "",
            only=query.get("only", "") if query.get("only") in ONLY else "",
        )

    @property
    def query(self) -> dict[str, str]:
        """The filter's set fields as URL parameters."""
        found = ((field.name, getattr(self, field.name)) for field in fields(self))  # a report asks thousands of times
        filters = {name: value for name, value in found if value not in (None, "", False)}
        return {name: "1" if value is True else str(value) for name, value in filters.items()}

    @property
    def key(self) -> str:
        """The filter as a canonical query string; "" if it selects every HIT."""
        return urlencode(sorted(self.query.items()))

    @property
    def is_part(self) -> bool:
        """Whether the filter excludes any HITs."""
        return bool(replace(self, ties="").query)

    @property
    def of_report(self) -> BatchPart:
        """The filter with only the fields that a report can be restricted to."""
        return BatchPart(**{name: getattr(self, name) for name in OF_REPORTS})

    def narrowed(self, parts: Mapping[str, str]) -> BatchPart:
        """This filter with the fields set in `parts` replaced."""
        other = BatchPart.of(parts)
        return replace(self, **{name: getattr(other, name) for name in other.query})


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else None


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None
