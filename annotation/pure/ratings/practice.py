"""The practice items of a rubric: items with the right response and its reason."""

from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.responses import missing, read
from annotation.pure.ratings.rubric import InvalidRubric, Rubric
from annotation.pure.ratings.showing import LeftOut, payload_of
from annotation.pure.text.translation_marks import gettext_noop as _

RIGHT = "practice_answer"  # in the `extra` of a practice item


def practice_of(rubric: Rubric) -> tuple[Example, ...]:
    """The items, each with its right response as RIGHT and the reason as `why` in `extra`."""
    return tuple(
        Example(f"practice-{k}", "", (), extra={**each["item"], RIGHT: each["answer"], "why": each.get("why", "")})
        for k, each in enumerate(rubric.practice, 1)
    )


def check_practice(rubric: Rubric) -> None:
    """Whether each item can be shown, and its response is one. Raises InvalidRubric."""
    for k, item in enumerate(practice_of(rubric)):
        try:
            payload = payload_of(rubric, item)
        except LeftOut as reason:
            raise InvalidRubric(f"practice[{k}].item", str(reason)) from None
        place = f"practice[{k}].answer"
        answer = _read(payload, item.extra[RIGHT], place)
        if lacking := next(missing(payload, answer), None):
            message = _("“%(name)s” has no value, or one that it cannot have.")
            raise InvalidRubric(f"{place}.{lacking[0]['name']}", message, name=lacking[0]["name"])


def _read(payload: JSON, stated: JSON, place: str) -> JSON:
    try:
        return read(payload, stated)
    except ValueError as wrong:
        raise InvalidRubric(place, str(wrong).replace("%", "%%")) from None
