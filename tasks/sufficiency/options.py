"""The options of a batch of sufficiency judgments."""

from dataclasses import dataclass, field

from annotation.pure.text.translation_marks import gettext_noop as _

MOST_OTHERS = 1000

AGREEMENT = {
    "majority": _("more than half agree"),
    "all": _("all agree"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a batch; the report states them, because the paper does not define its agreement."""

    show_answer: bool = field(
        default=True,
        metadata={
            "label": _("Show the answer"),
            "help": _("Workers judge whether the pair leads to this answer and do not have to find it."),
        },
    )
    cannot_tell: bool = field(
        default=False,
        metadata={
            "label": _("Offer “cannot tell”"),
            "help": _("It counts as a separate vote. Turn it off to replicate the paper."),
        },
    )
    agreement: str = field(default="majority", metadata={"label": _("Workers agree when"), "choices": AGREEMENT})
    votes: int = field(
        default=0,
        metadata={
            "label": _("Votes required per pair"),
            "help": _("0 means the number of assignments per HIT."),
        },
    )
    evidence: bool = field(
        default=False,
        metadata={
            "label": _("Allow marking evidence"),
            "help": _("Workers may mark the words that support their decision."),
        },
    )
    others: int = field(
        default=8,
        metadata={
            "label": _("Non-supporting paragraphs for the expected drop"),
            "help": _("N in the expected drop of the human score. 0 means the actual number for each question."),
        },
    )

    def __post_init__(self) -> None:
        if self.votes < 0:
            raise ValueError(_("The number of votes per pair cannot be negative."))
        if not 0 <= self.others <= MOST_OTHERS:
            raise ValueError(_("The number of non-supporting paragraphs must be between 0 and 1000."))
