"""XML of the MTurk protocol: questions, answers, keys of tests; answer addresses of pages shown in a frame.

The only parser of XML from outside.
Documents come as text or bytes and are refused (Malformed) if they are not well-formed, declare entities or a DTD,
are too long, or violate their schema. Documents written here can be read back.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit, urlunsplit
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from annotation.pure.mturk import answer_key, question_form
from annotation.pure.mturk.answer_key import AnswerKey
from annotation.pure.mturk.question_form import QuestionForm, Selection
from annotation.pure.text.xml_elements import (
    NAMESPACES,
    Malformed,
    local,
    namespace,
    only,
    text_of,
    wanted,
    wanted_integer,
)

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"  # the assignmentId of a preview
_LOOPBACK = re.compile(r"(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|::1)", re.I)
_PLAIN = "!#$%&'()*+,/:;=?@[]~"
_PORTS = {"http": 80, "https": 443}
MOST_BYTES = 65_535  # of a Question, as MTurk has it
MOST_ANSWER_BYTES = 16_000_000  # for documents that we or a marketplace wrote, not for requests
ANSWERS = "2005-10-01/QuestionFormAnswers.xsd"
SCHEMAS = {
    "ExternalQuestion": ("2006-07-14/ExternalQuestion.xsd",),
    "HTMLQuestion": ("2011-11-11/HTMLQuestion.xsd",),
    "QuestionForm": question_form.NAMES,
}
HIGHEST_FRAME = 100_000
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_PLAIN = re.compile("[^\t\n\x20-\x7e]")


@dataclass(frozen=True, slots=True)
class External:
    url: str
    frame_height: int  # pixels; 0: as high as the window


@dataclass(frozen=True, slots=True)
class Html:
    content: str
    frame_height: int


def read_question(xml: str | bytes) -> External | Html | QuestionForm:
    """Parse the question of a HIT: ExternalQuestion, HTMLQuestion or QuestionForm. Raises Malformed."""
    root = _root(xml)
    name = local(root)
    if name not in SCHEMAS:
        raise Malformed(f"{name} is not a question; it must be one of {', '.join(SCHEMAS)}.")
    _of_schema(root, SCHEMAS[name])
    if name == "ExternalQuestion":
        return _external(root)
    return _html(root) if name == "HTMLQuestion" else question_form.form_of(root)


def _root(xml: str | bytes, *, most: int = MOST_BYTES) -> Element:
    """The document's root; a declared encoding of a text means nothing, because it is decoded already."""
    text = xml.decode("utf-8", "replace") if isinstance(xml, bytes) else xml
    if len(text.encode("utf-8", "surrogatepass")) > most:
        raise Malformed(f"The document is longer than {most} bytes.")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.removeprefix("\ufeff"), count=1)
    try:
        root: Element = fromstring(text.strip(), forbid_dtd=True)
    except ParseError as error:
        raise Malformed(f"The document is not well-formed XML: {error}.") from error
    except DefusedXmlException as error:
        raise Malformed("The document must not hold a DTD or entities.") from error
    except (UnicodeError, ValueError) as error:
        raise Malformed("The document holds characters that XML does not allow.") from error
    return root


def _of_schema(root: Element, names: Sequence[str]) -> None:
    """Refuse a root of another namespace, and anything below that leaves the root's."""
    if namespace(root) not in {NAMESPACES + name for name in names}:
        raise Malformed(f"The namespace of {local(root)} must be {' or '.join(NAMESPACES + name for name in names)}.")
    for element in root.iter():
        if namespace(element) != namespace(root):
            raise Malformed(f"{local(element)} is not in the namespace of {local(root)}.")


def _external(root: Element) -> External:
    only(root, "ExternalURL", "FrameHeight")
    url = text_of(wanted(root, "ExternalURL")).strip()
    check_address(url)
    return External(url, _frame_height(root))


def _html(root: Element) -> Html:
    only(root, "HTMLContent", "FrameHeight")
    content = text_of(wanted(root, "HTMLContent"))
    if not content.strip():
        raise Malformed("HTMLContent is empty.")
    return Html(content, _frame_height(root))


def _frame_height(root: Element) -> int:
    height = wanted_integer(root, "FrameHeight")
    if height < 0:
        raise Malformed("FrameHeight must not be negative.")
    return min(height, HIGHEST_FRAME)


def answers_xml(fields: Sequence[Sequence[str]], question: External | Html | QuestionForm | None = None) -> str:
    """Posted fields as a QuestionFormAnswers document in ASCII, one Answer a name in the order of their first field.

    Values of a repeated name are joined by "|". If `question` is a QuestionForm, values of its choices become
    SelectionIdentifiers and other text beside them OtherSelectionText. Characters that XML 1.0 cannot hold are left
    out, so that no answer is lost because of them; the stored fields keep them.
    """
    chosen = {q.name: q.answer for q in question.questions} if isinstance(question, QuestionForm) else {}
    values: dict[str, list[str]] = {}
    for name, value in fields:
        values.setdefault(name, []).append(value)
    answers = "".join(_answer(name, given, chosen.get(name)) for name, given in values.items())
    opening = f'<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="{NAMESPACES}{ANSWERS}">'
    return f"{opening}{answers}</QuestionFormAnswers>"


def _answer(name: str, values: Sequence[str], form: object) -> str:
    if isinstance(form, Selection):
        known = {choice.name for choice in form.choices}
        words = [("SelectionIdentifier" if v in known else "OtherSelectionText", v) for v in values if v]
        content = "".join(_element(tag, v) for tag, v in words)
    else:
        content = _element("FreeText", "|".join(values))
    return f"<Answer>{_element('QuestionIdentifier', name)}{content}</Answer>"


def _element(name: str, text: str) -> str:
    plain = _ILLEGAL.sub("", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<{name}>{_NOT_PLAIN.sub(lambda match: f'&#{ord(match[0])};', plain)}</{name}>"


def read_answers(xml: str | bytes) -> list[tuple[str, str]]:
    """(question identifier, text or selection identifier) pairs of a QuestionFormAnswers document. Raises Malformed.

    Several selections give several pairs; an answer without any gives one with "".
    """
    root = _root(xml, most=MOST_ANSWER_BYTES)
    if local(root) != "QuestionFormAnswers":
        raise Malformed(f"{local(root)} is not QuestionFormAnswers.")
    _of_schema(root, (ANSWERS,))
    only(root, "Answer")
    pairs: list[tuple[str, str]] = []
    for answer in root:
        name = text_of(wanted(answer, "QuestionIdentifier"))
        tags = {"FreeText", "SelectionIdentifier", "OtherSelectionText", "OtherSelection"}
        pairs += [(name, text_of(each)) for each in answer if local(each) in tags] or [(name, "")]
    return pairs


def read_answer_key(xml: str | bytes) -> AnswerKey:
    """The key of a qualification test. Raises Malformed."""
    root = _root(xml)
    if local(root) != "AnswerKey":
        raise Malformed(f"{local(root)} is not an AnswerKey.")
    _of_schema(root, answer_key.NAMES)
    return answer_key.key_of(root)


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, where http is allowed."""
    return bool(_LOOPBACK.fullmatch(host))


def check_address(url: str) -> None:
    """Raises Malformed unless the URL may be shown in a frame: https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host, _port, _origin = parts.hostname or "", parts.port, origin_of(url)
    except ValueError as error:  # of UnicodeError too
        raise Malformed("ExternalURL is not an address.") from error
    if parts.scheme not in _PORTS or not re.fullmatch(r"[\w.\-]+|[0-9a-f:.]+", host):
        raise Malformed("ExternalURL must be an https address.")
    if parts.username is not None or re.search(r"[\s<>\"\\\x00-\x1f\x7f]", url):
        raise Malformed("ExternalURL holds characters that an address does not have.")
    if parts.scheme == "http" and not is_loopback(host):
        raise Malformed("ExternalURL must use https.")


def origin_of(url: str) -> str:
    """Scheme, host and port as browsers compare them. Raises ValueError without a host."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host:
        raise ValueError("no host")
    host = f"[{host}]" if ":" in host else host.encode("idna").decode("ascii")
    port = "" if parts.port in {None, _PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def with_query(url: str, added: Mapping[str, str]) -> str:
    """The URL with parameters appended to its query; they replace parameters of the same names."""
    parts = urlsplit(url)
    own = [each for each in parts.query.split("&") if each and each.partition("=")[0] not in added]
    query = "&".join([*own, urlencode(added, quote_via=quote)])
    return urlunsplit((parts.scheme, parts.netloc, quote(parts.path, safe=_PLAIN), query, parts.fragment))
