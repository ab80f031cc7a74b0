"""Replies of models that answer from paragraphs: these have numbers, in the order in which they are shown."""

from typing import Final

from annotation.pure.ratings.model_replies import NULL, object_schema
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import unshuffled

TEXT: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
INTEGERS: Final = {"type": "array", "items": INTEGER}


def numbered(shown: JSON) -> list[JSON]:
    """The paragraphs with their numbers, cut into sentences where the batch asks for them."""
    return [_numbered(k, each) for k, each in enumerate(shown["paragraphs"])]


def _numbered(number: int, paragraph: JSON) -> JSON:
    spans, text = paragraph.get("sentences"), paragraph["text"]
    parts = {"text": text} if spans is None else {"sentences": [text[start:end] for start, end in spans]}
    return {"number": number, "title": paragraph["title"], **parts}


def schema_of(shown: JSON) -> JSON:
    """What the batch's controls ask for."""
    controls = shown["controls"]
    asked: JSON = {"answerable": {"type": "boolean"}} if controls.get("answerable") else {}
    asked["text"] = TEXT
    if controls["support"]:
        asked |= {"facts": {"type": "array", "items": INTEGERS}} if controls["sentences"] else {"support": INTEGERS}
    own = {"confidence": INTEGER, "as_of": TEXT}
    return object_schema(asked | {name: {"anyOf": [one, NULL]} for name, one in own.items() if controls.get(name)})


def in_payload(shown: JSON, answer: JSON) -> JSON:
    """A reply with the payload's positions; what is none stays, for `completed` to refuse it."""
    if isinstance(support := answer.get("support"), list):
        answer = answer | {"support": [unshuffled(shown, place) for place in support]}
    if isinstance(facts := answer.get("facts"), list):
        moved = [[unshuffled(shown, one[0]), *one[1:]] if isinstance(one, list) and one else one for one in facts]
        answer = answer | {"facts": moved}
    return answer
