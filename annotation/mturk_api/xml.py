"""XML that comes by the wire: read, or refused in the service's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from annotation.mturk_api.errors import WireError
from annotation.pure.wire_xml import Malformed

BROKEN = (
    "There was an error parsing the XML question or answer data in your request. Please make sure the data is "
    "well-formed and validates against the appropriate schema. Details: "
)
Read = TypeVar("Read")


def read_xml(read: Callable[[str], Read], xml: str) -> Read:
    """What `read` makes of the XML. Raises WireError for what it finds malformed."""
    try:
        return read(xml)
    except Malformed as malformed:
        raise WireError(f"{BROKEN}{malformed}", kind="ParameterValidationError", code="XMLParseError") from None
