"""The base classes of file formats, which read records into Examples and write them back.

One module a format, with `FORMAT = Name()` on its last line; `FORMATS` in `annotation.formats` finds them. Readers
stream, so that files larger than memory can be read; for a bad record they do not raise but report its
flaws, each with a fix.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, runtime_checkable

from annotation.pure.data.example import Example


def ended(sentence: str) -> str:
    """The sentence with one full stop, unless it ends otherwise."""
    bare = sentence.rstrip(". ")
    return sentence if bare[-1:] in {"?", "!", "…"} else f"{bare}."


@dataclass(frozen=True, slots=True)
class Flaw:
    """A flaw of a record. An error keeps the record out, a warning does not."""

    severity: Literal["error", "warning"]
    place: str  # "line 12" or "record 12", 1-based
    record_id: str
    field: str  # a path: "context[3][1]"
    wrong: str
    fix: str

    def __str__(self) -> str:
        where = f"{self.place} (id {self.record_id})" if self.record_id else self.place
        return f"{where}, {self.field}: {ended(self.wrong)} {ended(self.fix)}"


INSTALL_PARQUET = 'pip install "hopscribe[parquet]"'  # pyarrow is larger than everything else that we install


class Unreadable(Exception):
    """The file as a whole cannot be read in this format; `flaw` says where, and how to fix it."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(str(flaw))
        self.flaw = flaw


@dataclass(frozen=True, slots=True)
class Parsed:
    """One record of a file with its flaws; `example` is None if one of them is an error."""

    number: int  # 1-based, in the order of the file
    example: Example | None
    flaws: tuple[Flaw, ...] = ()


@dataclass(frozen=True, slots=True)
class LateFlaws:
    """Flaws that are only found at the end of the file, such as a missing twin. Not counted as a record."""

    flaws: tuple[Flaw, ...]


class CannotWrite(ValueError):
    """This format has no form for an example; the message names the example and the reason."""

    def __init__(self, example_id: str, reason: str) -> None:
        super().__init__(f"Example {example_id} cannot be written: {reason}.")
        self.example_id = example_id
        self.reason = reason


class Format(Protocol):
    name: str  # as `--format` says it
    title: str  # as a page says it
    suffix: str  # of the file that `write` makes
    # an optional `rank` orders lists: lower comes first (annotation.pure.discovery)

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream the records of a file (some formats: of a folder). Raises Unreadable, also midway."""

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write examples in the order given, streaming; returns how many were written. Raises CannotWrite."""


@runtime_checkable
class Parted(Protocol):
    """Optional protocol of a Format whose release consists of several files."""

    parts: tuple[str, ...]  # the files' names

    def write_parts(self, examples: Iterable[Example], outs: Sequence[BinaryIO]) -> int:
        """Write examples to `outs`, one file for each of `parts`; otherwise like `write`."""


@runtime_checkable
class Aliased(Protocol):
    """A format whose release has the aliases of its answers in a separate file."""

    def aliased(self, path: Path) -> Format:
        """The same format with the aliases in the file at `path`. Raises Unreadable."""


@runtime_checkable
class Recognised(Protocol):
    """A format that a single record shows."""

    def looks(self, record: dict[str, Any]) -> int:
        """Confidence that a record is in this format: 0 not at all, 1 if ambiguous, higher if clear."""


@runtime_checkable
class Headed(Protocol):
    """A format that is no list of records but one object, which its first bytes show."""

    def begins(self, head: bytes) -> bool:
        """Whether a file of this format may begin with these bytes."""


@runtime_checkable
class Tabular(Protocol):
    """A format that is a table, which its columns show."""

    def heads(self, columns: Collection[str]) -> bool:
        """Whether a table of this format may have these columns."""


@runtime_checkable
class Named(Protocol):
    """A format that the name of a file shows."""

    endings: tuple[str, ...]  # in small letters, without that of a compressed file
