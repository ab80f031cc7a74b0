"""What an answer is by its spelling, and what a name is of by the words of its question; English only."""

import re

from annotation.pure.text.named_entities import is_counting, is_name
from annotation.pure.text.translation_marks import gettext_noop as _

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
