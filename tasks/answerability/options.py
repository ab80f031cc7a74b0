"""What a requester may set for a batch of answerability judgments."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.pure.text.translation_marks import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Options:
    """Which controls the page has, the same for every item of a batch, and whether groups are whole."""

    yes_no: bool = field(default=False, metadata={"label": _("Allow “yes” and “no” as answers")})
    choices: bool = field(default=False, metadata={"label": _("Show the item's options as choices")})
    support: bool = field(default=True, metadata={"label": _("Ask for supporting paragraphs")})
    sentences: bool = field(default=False, metadata={"label": _("Ask for supporting sentences instead of paragraphs")})
    singles: bool = field(
        default=False,
        metadata={
            "label": _("Single instances: draw one of each group at random"),
            "help": _("For an expert check of the labels. Groups are then neither kept apart nor scored."),
        },
    )
