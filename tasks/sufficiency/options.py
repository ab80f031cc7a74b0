"""What a requester may set for a batch of sufficiency judgments."""

from __future__ import annotations

from dataclasses import dataclass, field

from annotation.pure.words import gettext_noop as _

MOST_OTHERS = 1000

AGREEMENT = {
    "majority": _("more than half say it"),
    "all": _("all say it"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """The paper does not say what its agreement was, so the report states these."""

    show_answer: bool = field(
        default=True,
        metadata={
            "label": _("Show the answer"),
            "help": _("Annotators judge whether the pair leads to this answer, and need not find it."),
        },
    )
    cannot_tell: bool = field(
        default=False,
        metadata={
            "label": _("Offer “cannot tell”"),
            "help": _("A vote of its own. Off in a replication of the paper."),
        },
    )
    agreement: str = field(default="majority", metadata={"label": _("Annotators agree when"), "choices": AGREEMENT})
    votes: int = field(
        default=0,
        metadata={
            "label": _("Votes that a pair needs"),
            "help": _("0: as many as there are assignments per HIT."),
        },
    )
    evidence: bool = field(
        default=False,
        metadata={
            "label": _("Offer to mark evidence"),
            "help": _("Annotators may mark the words that their decision rests on; nobody has to."),
        },
    )
    others: int = field(
        default=8,
        metadata={
            "label": _("Non-supporting paragraphs for the expected drop"),
            "help": _("N in the expected drop of the human score. 0: the number that each question has."),
        },
    )

    def __post_init__(self) -> None:
        if self.votes < 0:
            raise ValueError(_("The number of votes that a pair needs cannot be negative."))
        if not 0 <= self.others <= MOST_OTHERS:
            raise ValueError(_("The number of non-supporting paragraphs must lie between 0 and 1000."))
