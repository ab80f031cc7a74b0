"""Texts in several languages: a requester's, with a part for each, and our own Markdown, translated bit by bit."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

Text = str | Mapping[str, str]  # the same for all, or by language

_CODE = r"\[([a-z]{2,3}(?:-[a-z]{2,8})?)\]"
_LINE: Final = re.compile(rf"(?m)^{_CODE}[ \t\r]*$")  # of a text of several lines, which may say “[sic]” within one
_WORD: Final = re.compile(rf"(?:^|\s){_CODE}(?=\s)")  # of a line, such as a title
_SIGN = r" *(?:#+(?: \+)?|\d+\.|[-*>]) "  # a heading (with +: folded), a list's item, a quote
_BIT: Final = re.compile(rf"(?m)^({_SIGN})?(\S.*(?:\n(?!{_SIGN}|\|) *\S.*)*)")


def by_language(text: str) -> dict[str, str]:
    """The parts of a text by language: what stands behind “[de]” is German, what stands before all marks is ""."""
    first, *rest = (_LINE if "\n" in text else _WORD).split(text)
    parts = {"": first} | dict(zip(rest[::2], rest[1::2], strict=True))
    return {language: part.strip() for language, part in parts.items() if part.strip()} if rest else {"": text}


def worded(text: Text, language: str = "en") -> str:
    """A text in a language; where it has none of that language its unmarked part, English, or the first there is."""
    parts = by_language(text) if isinstance(text, str) else text
    wanted = (language, language.split("-")[0], "", "en")
    return next((parts[each] for each in wanted if parts.get(each)), next(iter(parts.values()), ""))


def bits(markdown: str) -> Iterator[str]:
    """What a translator translates of a Markdown text: each heading, paragraph, list item and row of a table."""
    return (bit for found in _BIT.finditer(markdown) if re.search(r"[^\W\d_]", bit := _joined(found)))


def translated(markdown: str, translate: Callable[[str], str]) -> str:
    """The Markdown text with each bit that has a translation translated; of “Contact: …” the label."""

    def one(found: re.Match[str]) -> str:
        bit = _joined(found)
        if bit and (told := translate(bit)) != bit:
            return (found[1] or "") + told
        label, colon, rest = found[2].partition(": ")
        return f"{found[1] or ''}{translate(label + ':')} {rest}" if colon else found[0]

    return _BIT.sub(one, markdown)


def in_texts(value: Any, texts: Mapping[str, str]) -> Any:
    """A JSON value with each string that has another text in `texts` replaced by that."""
    if isinstance(value, dict):
        return {key: in_texts(each, texts) for key, each in value.items()}
    if isinstance(value, list):
        return [in_texts(each, texts) for each in value]
    return texts.get(value, value) if isinstance(value, str) else value


def _joined(found: re.Match[str]) -> str:
    return " ".join(found[2].split())
