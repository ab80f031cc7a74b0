"""The options of a batch of sufficiency judgments."""

from dataclasses import dataclass

from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop as _

MOST_OTHERS = 1000

AGREEMENT = {
    "majority": _("more than half agree"),
    "all": _("all agree"),
}


@dataclass(frozen=True, slots=True)
class SufficiencyOptions:
    """Options of a batch; the report states them, because the paper does not define its agreement."""

    show_answer: bool = setting(
        True,
        label=_("Show the answer"),
        help=_("Workers judge whether the pair leads to this answer and do not have to find it."),
    )
    cannot_tell: bool = setting(
        False,
        label=_("Offer “cannot tell”"),
        help=_("It counts as a separate vote. Turn it off to replicate the paper."),
    )
    agreement: str = setting("majority", label=_("Workers agree when"), choices=AGREEMENT)
    votes: int = setting(
        0, label=_("Votes required per pair"), help=_("0 means the number of assignments per HIT."), least=0
    )
    evidence: bool = setting(
        False,
        label=_("Allow marking evidence"),
        help=_("Workers may mark the words that support their decision."),
    )
    others: int = setting(
        8,
        label=_("Non-supporting paragraphs for the expected drop"),
        help=_("N in the expected drop of the human score. 0 means the actual number for each question."),
        least=0,
        most=MOST_OTHERS,
    )
