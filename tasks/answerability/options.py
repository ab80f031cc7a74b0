"""What a requester may set for a batch of answerability judgments."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.pure.words import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Options:
    """Which controls the page has, the same for every item of a batch, and whether groups are whole."""

    yes_no: bool = field(default=False, metadata={"label": _("Yes and no are answers")})
    choices: bool = field(default=False, metadata={"label": _("The item's options are shown to choose from")})
    support: bool = field(default=True, metadata={"label": _("Supporting paragraphs are asked for")})
    sentences: bool = field(default=False, metadata={"label": _("Supporting sentences instead of paragraphs")})
    singles: bool = field(
        default=False,
        metadata={
            "label": _("Single instances: one of each group, drawn at random"),
            "help": _("For an expert who checks the labels. Groups are then neither kept apart nor scored."),
        },
    )
