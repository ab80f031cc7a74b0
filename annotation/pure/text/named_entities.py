"""Pluggable checks whether answers and mentions are named entities (MuSiQue's S2); kinds of answers and entities.

The paper used a tagger, a search engine and a wikifier. `PlainCheck` uses spelling only and needs none of these,
because people judge every bridge before they compose.
"""

import re
from typing import Protocol

from annotation.pure.derivations.bridges import Mention, folded, tidy
from annotation.pure.derivations.single_hop import Single
from annotation.pure.text.english import listed
from annotation.pure.text.translation_marks import gettext_noop as _


class EntityCheck(Protocol):
    """A check of bridge entities; each method returns True if it has no objection."""

    def names(self, head: Single) -> bool:
        """Whether the head's answer is a named entity."""

    def mentioned(self, question: str, mention: Mention) -> bool:
        """Whether a mention in a tidy question can be an entity."""

    def same(self, head: Single, tail: Single) -> bool:
        """Whether the head's answer and its mention in the tail's question are the same entity."""


_GRAMMAR = listed("never_in_names")
_PLAIN = listed("no_name_alone")
_COUNTING = listed("counting")
_SMALL = listed("small_in_names")

_WORD = re.compile(r"[^\W_]+(?:['’.&-]*[^\W_]+)*")
_BEFORE = re.compile(r"([^\W_]+(?:['’.-]+[^\W_]+)*)([\s-]*)$")
_AFTER = re.compile(r"[ -]?([^\W_]+)")
_LONGEST = 8  # words of a name


class PlainCheck:
    """A name has capitals and is no number, date, quantity or common word; a mention is not a piece of a longer name.

    `whole_names=False` also lets pieces of longer names through ("Washington" in "George Washington").
    """

    def __init__(self, *, whole_names: bool = True) -> None:
        self.whole_names = whole_names

    def names(self, head: Single) -> bool:
        return is_name(head.answer, head.paragraph.text)

    def mentioned(self, question: str, mention: Mention) -> bool:
        if not self.whole_names or question == folded(question):
            return True
        return not (
            _lost_its_capital(question, mention)
            or _name_before(question[: mention.start])
            or _name_after(question[mention.end :])
        )

    def same(self, head: Single, tail: Single) -> bool:
        return True


def is_name(answer: str, text: str = "") -> bool:
    """Whether most of the words that tell something have capitals; `text`: the paragraph that the answer is from."""
    words = _WORD.findall(answer)
    if not 1 <= len(words) <= _LONGEST or len(tidy(answer)) < 2:
        return False
    telling = [word for word in words if not _counts_or_joins(word)]
    capitals = sum(any(sign.isupper() for sign in word) for word in telling)
    if not capitals or 2 * capitals <= len([word for word in telling if word.lower() not in _SMALL]):
        return False
    alone = len([word for word in words if word.lower() not in _GRAMMAR]) == 1
    return not alone or (telling[0].lower() not in _PLAIN and not _common(telling[0], text))


def is_counting(answer: str) -> bool:
    """Whether all words are those of numbers, dates and quantities, beside function words: "forty-one years"."""
    words = [part for word in _WORD.findall(answer) for part in word.split("-") if part]
    counting = [word for word in words if word.lower() not in _GRAMMAR]
    return bool(counting) and all(map(_counts_or_joins, counting))


def _counts_or_joins(word: str) -> bool:
    """Whether the word is a number, a word of dates or quantities, or a function word."""
    low = word.lower()
    if low in _GRAMMAR or low in _COUNTING:
        return True
    return not any(sign.isalpha() for sign in word) or bool(_QUANTITY.fullmatch(word))


_QUANTITY = re.compile(r"[0-9][0-9.,:/-]*(?:st|nd|rd|th|s|bc|ad|km|m|cm|mm|kg|g|am|pm|k|bn|million|billion)?", re.I)


def _common(word: str, text: str) -> bool:
    """Whether the paragraph also has the word in lower case, so that its capital only begins a sentence."""
    return word[0].isupper() and bool(re.search(rf"(?<![\w-]){re.escape(word.lower())}(?![\w-])", text))


def _lost_its_capital(question: str, mention: Mention) -> bool:
    """Whether the mention is a single lower-case word in a question that has other capitals."""
    text = question[mention.start : mention.end]
    return " " not in text and text == text.lower() and question[1:] != question[1:].lower()


def _name_before(text: str) -> bool:
    """Whether the text ends with a piece of a name: "George " or "Anglo-"."""
    match = _BEFORE.search(text)
    if not match:
        return text.endswith(("'", "’")) and text[-2:-1].isalpha()  # O'Brien
    word, between = match[1], match[2]
    if between == "-":
        return True
    if between != " " or not word[0].isupper() or word.lower().endswith(("'s", "’s")):
        return False
    return word.lower() not in _GRAMMAR


def _name_after(text: str) -> bool:
    """Whether the text begins with a piece of a name: " City" or "-Hungary"."""
    match = _AFTER.match(text)
    return bool(match and match[1][0].isupper())


NO_ANSWER, YES_NO, DATE, NUMBER, NAME, WORDS = "none", "yes_no", "date", "number", "name", "words"
KINDS = {
    NAME: _("name"), WORDS: _("words"), NUMBER: _("number"), DATE: _("date"), YES_NO: _("yes/no"),
    NO_ANSWER: _("none"),
}  # fmt: skip
PERSON, PLACE, ORGANISATION, OTHER = "person", "place", "organisation", "other"
ENTITIES = {PERSON: _("person"), PLACE: _("place"), ORGANISATION: _("organisation"), OTHER: _("other name")}
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]}|t)?\.?" if month[3:] else month for month in _MONTHS)
_YEAR = r"1[0-9]{3}|20[0-9]{2}"
_DATE = re.compile(rf"\b(?:{_MONTH})\W+\d|\d(?:st|nd|rd|th)?\W+(?:of )?(?:{_MONTH})\b|\b(?:{_YEAR})\b", re.I)


def kind_of(answer: str | None) -> str:
    """One of KINDS; English only, since month names and number words are."""
    text = (answer or "").strip()
    if not text:
        return NO_ANSWER
    if text.lower() in {"yes", "no"}:
        return YES_NO
    if is_counting(text):
        return DATE if _DATE.search(text) else NUMBER
    return NAME if is_name(text) else WORDS


# What a question asks for: nouns after "which" or "what", and relations ("Lantern >> founded by").
_NOUNS = {
    PERSON: """
        person man woman actor actress author writer novelist poet singer musician composer director producer president
        king queen emperor ruler leader player politician general scientist artist painter spouse husband wife father
        mother parent brother sister sibling child son daughter founder founded-by performer cast-member screenwriter
        creator captain coach
        """,
    PLACE: """
        city town village country county state province region district municipality borough river lake sea island
        mountain continent place location capital nation kingdom headquarters birthplace residence located territory
        """,
    ORGANISATION: """
        company corporation firm university college school band team club party organisation organization agency
        network label church army newspaper publisher airline league employer educated-at member-of manufacturer
        developer owned-by studio museum
        """,
}
_NOUN = {noun.replace("-", " "): entity for entity, nouns in _NOUNS.items() for noun in nouns.split()}
_ANY = "|".join(sorted(_NOUN, key=len, reverse=True))
_FIRST = re.compile(r"(?:(?:in|at|on|to|from|for|by|with|of|near) )?(who|whom|whose|where)\b")
_WHICH = re.compile(
    r"\b(?:which|what)(?: (?:is|was|are|were)(?: the)?)?"
    rf"(?: (?!is\b|was\b|are\b|were\b|did\b|does\b)[\w'’-]+){{0,2}}? ({_ANY})s?\b(?!['’])"
)
_RELATION = re.compile(rf">>.*?\b({_ANY})\b")


def entity_of(question: str) -> str:
    """What kind of entity a question asks for, one of ENTITIES; of several hops, give the last hop's question."""
    text = question.strip().lower()
    if found := _FIRST.match(text):
        return PLACE if found[1] == "where" else PERSON
    found = _RELATION.search(text) or _WHICH.search(text)
    return _NOUN[found[1]] if found else OTHER
