"""A QuestionForm of the MTurk protocol as values: its content, questions and constraints on answers.

Read from XML by `mturk_xml`. Java applets, Flash and file uploads are read and shown as not supported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from annotation.pure.text.xml_elements import (
    Malformed,
    child,
    flag,
    integer_or_default,
    integer_text,
    local,
    number_text,
    only,
    text_of,
    wanted,
)

NAMES = ("2005-10-01/QuestionForm.xsd", "2017-11-06/QuestionForm.xsd")
STYLES = ("radiobutton", "checkbox", "list", "dropdown", "combobox", "multichooser")
_SHOWN = ("Title", "Text", "List", "Binary", "EmbeddedBinary", "Application", "FormattedContent")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of content. `kind`: title, text, list (of `items`), formatted (unchanged XHTML), link or unsupported."""

    kind: str
    text: str = ""
    items: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class FreeText:
    """A text field with its constraints; `complaint` is the message if the regular expression `pattern` fails."""

    default: str = ""
    lines: int = 1
    shortest: int = 0
    longest: int | None = None
    numeric: bool = False
    least: float | None = None
    most: float | None = None
    pattern: str = ""
    flags: str = ""
    complaint: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    name: str  # SelectionIdentifier
    content: Piece


@dataclass(frozen=True, slots=True)
class Selection:
    """Choices of which between `least` and `most` are taken; `other` is a text besides them."""

    choices: tuple[Choice, ...]
    least: int = 1
    most: int = 1
    style: str = ""
    other: FreeText | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the form; `answer` is None for a file upload, which is not supported."""

    name: str  # QuestionIdentifier
    title: str
    required: bool
    content: tuple[Piece, ...]
    answer: FreeText | Selection | None


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """Overviews (tuples of pieces) and questions in their order."""

    parts: tuple[tuple[Piece, ...] | Question, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(part for part in self.parts if isinstance(part, Question))


def form_of(root: Element) -> QuestionForm:
    """The form in a QuestionForm element; raises Malformed."""
    only(root, "Overview", "Question")
    form = QuestionForm(tuple(_pieces(each) if local(each) == "Overview" else _question(each) for each in root))
    if not form.questions:
        raise Malformed("QuestionForm has no Question.")
    names = [question.name for question in form.questions]
    for name in names:
        if names.count(name) > 1:
            raise Malformed(f"QuestionIdentifier {name!r} is used more than once.")
    return form


def _question(element: Element) -> Question:
    only(element, "QuestionIdentifier", "DisplayName", "IsRequired", "QuestionContent", "AnswerSpecification")
    name = text_of(wanted(element, "QuestionIdentifier")).strip()
    if not name:
        raise Malformed("QuestionIdentifier is empty.")
    return Question(
        name=name,
        title=text_of(child(element, "DisplayName")).strip(),
        required=flag(child(element, "IsRequired")),
        content=_pieces(wanted(element, "QuestionContent")),
        answer=_answer(wanted(element, "AnswerSpecification")),
    )


def _pieces(element: Element) -> tuple[Piece, ...]:
    only(element, *_SHOWN)
    return tuple(_piece(each) for each in element)


def _piece(element: Element) -> Piece:
    name = local(element)
    if name == "List":
        only(element, "ListItem")
        return Piece("list", items=tuple(text_of(each).strip() for each in element))
    if name == "Binary":
        return Piece("link", text=text_of(child(element, "AltText")).strip(), url=_address(element))
    if name in {"EmbeddedBinary", "Application"}:
        return Piece("unsupported", text=text_of(child(element, "AltText")).strip())
    kinds = {"Title": "title", "Text": "text", "FormattedContent": "formatted"}
    return Piece(kinds[name], text=text_of(element))


def _address(element: Element) -> str:
    url = text_of(wanted(element, "DataURL")).strip()
    if not re.match(r"https?://[^\s/]", url, re.I):
        raise Malformed(f"DataURL must be an http or https address, not {url[:80]!r}.")
    return url


def _answer(element: Element) -> FreeText | Selection | None:
    only(element, "FreeTextAnswer", "SelectionAnswer", "FileUploadAnswer")
    if len(element) != 1:
        raise Malformed("AnswerSpecification must hold one kind of answer.")
    if local(element[0]) == "FreeTextAnswer":
        return _free_text(element[0])
    return _selection(element[0]) if local(element[0]) == "SelectionAnswer" else None


def _free_text(element: Element) -> FreeText:
    only(element, "Constraints", "DefaultText", "NumberOfLinesSuggestion")
    lines = integer_or_default(child(element, "NumberOfLinesSuggestion"), 1) or 1
    attributes: dict[str, str] = {}
    constraints = child(element, "Constraints")
    numeric = False
    for each in () if constraints is None else constraints:
        if local(each) not in {"IsNumeric", "Length", "AnswerFormatRegex"}:
            raise Malformed(f"{local(each)} is not allowed in Constraints.")
        numeric = numeric or local(each) == "IsNumeric"
        attributes |= each.attrib
    return FreeText(
        default=text_of(child(element, "DefaultText")),
        lines=max(1, min(lines, 40)),
        shortest=max(0, _whole_in(attributes, "minLength") or 0),
        longest=_whole_in(attributes, "maxLength"),
        numeric=numeric,
        least=_number_in(attributes, "minValue"),
        most=_number_in(attributes, "maxValue"),
        pattern=attributes.get("regex", ""),
        flags=attributes.get("flags", ""),
        complaint=attributes.get("errorText", ""),
    )


def _whole_in(attributes: Mapping[str, str], name: str) -> int | None:
    return integer_text(attributes[name], name) if name in attributes else None


def _number_in(attributes: Mapping[str, str], name: str) -> float | None:
    return number_text(attributes[name], name) if name in attributes else None


def _selection(element: Element) -> Selection:
    only(element, "MinSelectionCount", "MaxSelectionCount", "StyleSuggestion", "Selections")
    listed = wanted(element, "Selections")
    only(listed, "Selection", "OtherSelection")
    choices = tuple(_choice(each) for each in listed if local(each) == "Selection")
    names = {each.name for each in choices}
    if not choices or len(names) < len(choices):
        raise Malformed("Selections must hold choices with a SelectionIdentifier of their own each.")
    style = text_of(child(element, "StyleSuggestion")).strip()
    if style and style not in STYLES:
        raise Malformed(f"StyleSuggestion must be one of {', '.join(STYLES)}, not {style[:40]!r}.")
    least = integer_or_default(child(element, "MinSelectionCount"), 1) or 0
    most = integer_or_default(child(element, "MaxSelectionCount"), 1) or 0
    other = child(listed, "OtherSelection")
    if not 0 <= least <= most or most < 1:
        raise Malformed("MinSelectionCount must be between 0 and MaxSelectionCount.")
    return Selection(choices, least, most, style, None if other is None else _free_text(other))


def _choice(element: Element) -> Choice:
    only(element, "SelectionIdentifier", "Text", "FormattedContent", "Binary")
    name = text_of(wanted(element, "SelectionIdentifier")).strip()
    shown = [each for each in element if local(each) != "SelectionIdentifier"]
    if len(shown) != 1:
        raise Malformed("Selection must hold one of Text, FormattedContent and Binary.")
    return Choice(name, _piece(shown[0]))


def complaints(question: Question, values: Sequence[str]) -> list[str]:
    """Error codes of these values as the answer: `missing`, `too_few`, `too_many`, `unknown`, `too_short`,
    `too_long`, `number`, `range`. File uploads are never missing, because nobody could upload one. Patterns are checked
    in the browser only: requesters' regular expressions are not run on the server.
    """
    given = [value for value in values if value.strip()]
    if question.answer is None:
        return []
    if not given:
        return ["missing"] if question.required else []
    if isinstance(question.answer, Selection):
        return _of_selection(question.answer, given)
    return ["too_many"] if len(given) > 1 else of_text(question.answer, given[0])


def _of_selection(answer: Selection, given: Sequence[str]) -> list[str]:
    names = {choice.name for choice in answer.choices}
    others = [value for value in given if value not in names]
    if others and (answer.other is None or len(others) > 1):
        return ["unknown"]
    if len(given) < answer.least:
        return ["too_few"]
    if len(given) > answer.most:
        return ["too_many"]
    return of_text(answer.other, others[0]) if others and answer.other is not None else []


def of_text(answer: FreeText, value: str) -> list[str]:
    """Problems of a written text, in the words of `complaints`."""
    text = value.replace("\r\n", "\n").strip()
    if len(text) < answer.shortest:
        return ["too_short"]
    if answer.longest is not None and len(text) > answer.longest:
        return ["too_long"]
    if answer.numeric:
        try:
            number = number_text(text, "")
        except Malformed:
            return ["number"]
        if (answer.least is not None and number < answer.least) or (answer.most is not None and number > answer.most):
            return ["range"]
    return []
