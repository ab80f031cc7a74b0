"""The options of a batch of ratings: its rubric, and how many must agree."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation.pure.ratings.rubric import Rubric, parse
from annotation.pure.text.translation_marks import gettext_noop as _

NO_RUBRIC = Rubric("", (), ())


@dataclass(frozen=True)
class Options:
    """`rubric`: an object as JSON; empty before there is one. `agree`: responses that must be equal; 0: any number."""

    rubric: Mapping[str, Any] = field(
        default_factory=dict,
        metadata={
            "label": _("Rubric"),
            "help": _("What is shown of each item and asked about it, as JSON or YAML."),
        },
    )
    agree: int = field(
        default=0,
        metadata={
            "label": _("Responses that must agree"),
            "help": _("A choice or a point of a scale counts once so many gave it. 0: the most frequent, the median."),
            "least": 0,
        },
    )

    def __post_init__(self) -> None:
        assert self.parsed

    @cached_property
    def parsed(self) -> Rubric:
        """The rubric. Raises InvalidRubric, which is a ValueError."""
        return parse(self.rubric) if self.rubric else NO_RUBRIC
