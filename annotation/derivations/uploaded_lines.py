"""Lines of uploaded JSONL files, such as models' predictions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.derivations.base import CannotDerive


def json_lines(path: str, *, what: str, form: str) -> Iterator[tuple[str, Any]]:
    """(position in words, JSON value) of each line that is not blank, for an option that takes a file.

    Raises CannotDerive for an unreadable file or line, naming `what` it should hold and the `form` of a line.
    """
    try:
        with Path(path).open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    place = f"line {number} of {what}"
                    yield place, _decoded(line, f"{place} is not JSON; give {form}")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotDerive(f"{what} cannot be read: {error}; give a UTF-8 file with lines {form}") from error


def _decoded(line: str, refusal: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CannotDerive(refusal) from error
