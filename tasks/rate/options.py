"""The options of a batch of ratings: its rubric, and how many must agree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.pure.ratings.practice import check_practice
from annotation.pure.ratings.rubric import InvalidRubric, Rubric, parse
from annotation.pure.setting_fields import Flaw, setting
from annotation.pure.text.translation_marks import gettext_noop as _

MOST_CHARACTERS = 200_000
NO_RUBRIC = Rubric("", (), ())


def rubric_flaws(given: Any) -> Iterator[Flaw]:
    """The first thing that is wrong with a rubric or the responses to its practice items, with its place."""
    try:
        check_practice(parse(given))
    except InvalidRubric as invalid:
        yield Flaw(invalid.message, invalid.values, invalid.place)


@dataclass(frozen=True)
class RateOptions:
    """`rubric`: an object as JSON; None before there is one."""

    rubric: Mapping[str, Any] | None = setting(
        None,
        label=_("Rubric"),
        help=_(
            "What is shown of each item and asked about it, as JSON or YAML, such as "
            '{"show": ["question"], "criteria": [{"name": "clear", "ask": "Is it clear?", "scale": [1, 5]}]}'
        ),
        length=MOST_CHARACTERS,
        required=True,
        kind="rubric",
        check=rubric_flaws,
    )
    agree: int = setting(
        0,
        label=_("Responses that must agree"),
        help=_("A choice or a point of a scale counts once so many gave it. 0: the most frequent, the median."),
        least=0,
    )

    by: str = setting(
        "",
        label=_("Field to report by"),
        help=_("Figures by the values of this field, too, such as “system”, or “steps.model” of each element."),
        length=200,
    )

    @cached_property
    def parsed(self) -> Rubric:
        """The rubric, which was checked before it was stored."""
        return parse(self.rubric) if self.rubric else NO_RUBRIC
