"""ExternalQuestion and HTMLQuestion pages in an iframe: their URL, sandbox permissions and submitted fields."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from annotation.pure.mturk.mturk_xml import NOT_AVAILABLE

SUBMIT_PATH = "/mturk/externalSubmit"
LEAST = ("allow-scripts", "allow-forms", "allow-popups", "allow-modals", "allow-downloads")
_HOSTS = r"(?:https?:)?//(?:www\.|worker\.|workersandbox\.|requester\.|requestersandbox\.)?mturk\.com"
_SUBMIT = re.compile(_HOSTS + r"(?::\d+)?/+mturk/externalSubmit", re.I)
_SCRIPT = re.compile(
    r"(?:https?:)?//(?:s3(?:[.-][a-z0-9-]+)?\.amazonaws\.com/mturk-public|mturk-public\.s3(?:[.-][a-z0-9-]+)?"
    r"\.amazonaws\.com)/externalHIT_v1\.js",
    re.I,
)
_PROLOGUE = re.compile(r"\s*(?:<!--.*?-->\s*)*<!doctype[^>]*>", re.I | re.S)
_CROWD_SCRIPT = re.compile(r"(?:https?:)?//assets\.crowd\.aws/crowd-html-elements\.js", re.I)
_CROWD = re.compile(r"<crowd-([a-z-]+)", re.I)
# The Crowd HTML Elements of mturk_api/static/js/crowd_elements.js, without "crowd-".
CROWD = frozenset(
    {"form", "input", "text-area", "checkbox", "radio-group", "radio-button", "button", "instructions"}
    | {"classifier", "classifier-multi-select", "entity-annotation"}
)


def parameters(*, hit: str, submit_to: str, assignment: str = "", worker: str = "") -> dict[str, str]:
    """Query parameters for a question's URL; without an assignment those of a preview, without workerId."""
    query = {"assignmentId": assignment or NOT_AVAILABLE, "hitId": hit, "turkSubmitTo": submit_to.rstrip("/")}
    return query | ({"workerId": worker} if assignment else {})


def sandbox(url: str, own_host: str) -> str:
    """The sandbox attribute of a frame with this URL. A page on our own host gets an opaque origin.

    Cookies know no ports, and a page of our origin with scripts could take its frame's sandbox away.
    """
    host = (urlsplit(url).hostname or "").lower()
    if not host or host == own_host.lower():
        return " ".join(LEAST)
    return " ".join((*LEAST, "allow-same-origin", "allow-popups-to-escape-sandbox"))


def rewritten(html: str, *, script: str, crowd: str, first: str) -> str:
    """An HTMLQuestion's page with the addresses of MTurk's own hosts turned to ours.

    `script` is the address of our externalHIT_v1, `crowd` of our Crowd HTML Elements. The script at `first` runs
    before all others: it is inserted right after the doctype, where a parser begins the head by itself and keeps the
    attributes of the page's own <html>.
    """
    start = _PROLOGUE.match(html)
    at = start.end() if start else 0
    page = f'{html[:at]}<script src="{first}"></script>{html[at:]}'
    for wanted, address in ((_SUBMIT, SUBMIT_PATH), (_SCRIPT, script), (_CROWD_SCRIPT, crowd)):
        page = wanted.sub(lambda _found, address=address: address, page)  # type: ignore[misc]  # a default binds it now
    return page


def foreign_crowd_elements(html: str) -> list[str]:
    """The Crowd HTML Elements of the page that only Amazon served, such as those for pictures; by name, sorted."""
    return sorted({f"crowd-{name}" for name in map(str.lower, _CROWD.findall(html)) if name not in CROWD})


RESERVED = frozenset({"assignmentId", "hitId", "turkSubmitTo", "workerId"})  # of the address; no fields of an answer
_ESCAPE = re.compile(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})")


class TwoAssignments(ValueError):
    """The query and the form name different assignments."""


@dataclass(frozen=True, slots=True)
class SubmittedForm:
    """A submitted form. `assignment` is "" if none was named; `fields` are (name, value) in order."""

    assignment: str
    fields: list[tuple[str, str]]


def sent(query: str, posted: Iterable[tuple[str, str]] = ()) -> SubmittedForm:
    """Read a raw query string and the pairs of a form. Raises TwoAssignments."""
    pairs = [*query_pairs(query), *posted]
    named = {value.strip() for name, value in pairs if name == "assignmentId"} - {""}
    if len(named) > 1:
        raise TwoAssignments
    return SubmittedForm(next(iter(named), ""), [(name, value) for name, value in pairs if name not in RESERVED])


def query_pairs(query: str) -> Sequence[tuple[str, str]]:
    """Names and values of a query string, as a form or as JavaScript's `escape` wrote it (jsPsych 6).

    `escape` writes %E9 and %u4E2D, which are no UTF-8, and leaves a plus as it is.
    """
    escaped = "%u" in query or not _is_utf8(query)
    pairs = [part.partition("=")[::2] for part in query.split("&") if part]
    return [(_unescape(name), _unescape(value)) if escaped else (_plain(name), _plain(value)) for name, value in pairs]


def _is_utf8(query: str) -> bool:
    try:
        unquote_to_bytes(query).decode()
    except UnicodeDecodeError:
        return False
    return True


def _plain(text: str) -> str:
    return unquote(text.replace("+", " "))


def _unescape(text: str) -> str:
    units = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)), text)
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
