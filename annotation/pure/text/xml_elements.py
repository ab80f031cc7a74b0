"""Reading the elements of a small XML document strictly: exactly the children that its schema knows, or Malformed."""

import re
from xml.etree.ElementTree import Element

NAMESPACES = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
_WHOLE = re.compile(r"[+-]?[0-9]{1,12}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")


class Malformed(ValueError):
    """The XML is not well-formed or violates its schema; `str()` says why, in English."""


def local(element: Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def namespace(element: Element) -> str:
    return element.tag.rpartition("}")[0].removeprefix("{")


def only(element: Element, *names: str) -> None:
    """Raise Malformed if the element has a child of another name."""
    for child in element:
        if local(child) not in names:
            raise Malformed(f"{local(child)} is not allowed in {local(element)}.")


def child(element: Element, name: str) -> Element | None:
    """The child of that name, or None. Raises Malformed if there are several."""
    matches = [each for each in element if local(each) == name]
    if len(matches) > 1:
        raise Malformed(f"{local(element)} has more than one {name}.")
    return matches[0] if matches else None


def wanted(element: Element, name: str) -> Element:
    """The child of that name. Raises Malformed if there is none or several."""
    match = child(element, name)
    if match is None:
        raise Malformed(f"{local(element)} has no {name}.")
    return match


def wanted_integer(element: Element, name: str) -> int:
    """The integer in the child of that name. Raises Malformed if there is none."""
    return integer_text(text_of(wanted(element, name)), name)


def text_of(element: Element | None) -> str:
    return "" if element is None else "".join(element.itertext())


def integer_or_default(element: Element | None, default: int | None = None) -> int | None:
    """The element's text as an integer; `default` without an element."""
    if element is None:
        return default
    return integer_text(text_of(element), local(element))


def integer_text(text: str, name: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise Malformed(f"{name} must be a whole number, not {text.strip()[:40]!r}.")
    return int(text)


def number_text(text: str, name: str) -> float:
    if not _NUMBER.fullmatch(text.strip()):
        raise Malformed(f"{name} must be a number, not {text.strip()[:40]!r}.")
    return float(text)


def flag(element: Element | None) -> bool:
    """The element's text as an xs:boolean; False without an element."""
    text = text_of(element).strip()
    if text in {"true", "1"}:
        return True
    if text in {"false", "0"} or element is None:
        return False
    raise Malformed(f"{local(element)} must be true or false, not {text[:40]!r}.")
