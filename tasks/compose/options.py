"""The options of a batch of compositions."""

from dataclasses import dataclass, field
from typing import Any

from annotation.pure.text import composed_question_checks
from annotation.pure.text.translation_marks import gettext_noop as _

from .pay import most_for_a_no, overpaid

LEVELS = {"error": _("must be changed"), "warning": _("may stay, with a reason"), "off": _("not checked")}
MILD = {level: label for level, label in LEVELS.items() if level != "error"}
CHECKS, PAY = _("Question checks"), _("Pay, in US cents")


def _check(name: str, label: str, choices: dict[str, str] = LEVELS) -> Any:
    return field(
        default=composed_question_checks.LEVELS[name], metadata={"label": label, "choices": choices, "group": CHECKS}
    )


def _cents(default: int, label: str, help: str = "") -> Any:
    return field(default=default, metadata={"label": label, "help": help, "group": PAY})


@dataclass(frozen=True, slots=True)
class Options:
    """Raises ValueError for a level that a check does not have, and for pay that rewards a “no” over composing."""

    gives_away: str = _check("gives_away", _("The question gives away an intermediate answer"))
    gives_away_final: str = _check("gives_away_final", _("The question gives away the final answer"))
    repeats_hop: str = _check("repeats_hop", _("The question repeats a hop's question"))
    hop_missing: str = _check("hop_missing", _("A hop seems not to be used"), MILD)
    too_long: str = _check("too_long", _("The question is too long"))
    no_question_mark: str = _check("no_question_mark", _("There is no question mark"))
    sentences: str = _check("sentences", _("There are more than two sentences"))
    most_words: int = field(
        default=0,
        metadata={
            "label": _("Maximum number of words"),
            "help": _("0 means a limit that depends on the number of hops."),
            "group": CHECKS,
        },
    )
    paste: bool = field(
        default=True,
        metadata={
            "label": _("Allow pasting into the question"),
            "help": _("The share of pasted text is always recorded. Workers are told so."),
        },
    )
    ask_twice: bool = field(default=False, metadata={"label": _("Ask a second worker about every “not the same”")})
    expected_no: float = field(
        default=0.08,
        metadata={
            "label": _("Expected share of bridges that are not the same"),
            "help": _("0 to 1. The report marks workers significantly above it."),
        },
    )
    pay_2hop: int = _cents(25, _("Question of 2 hops"))
    pay_3hop: int = _cents(40, _("Question of 3 hops"))
    pay_4hop: int = _cents(60, _("Question of 4 hops"))
    pay_discarded: int = _cents(
        3, _("Item marked as not composable"), _("A “no” must not pay more per minute than composing.")
    )

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"option {name} must be one of {', '.join(choices)}, not {getattr(self, name)!r}")
        if self.most_words < 0:
            raise ValueError("option most_words must not be negative")
        if not 0 <= self.expected_no <= 1:
            raise ValueError(f"option expected_no must be between 0 and 1, not {self.expected_no}")
        if min(self.pay_discarded, *self.pay.values()) < 0:
            raise ValueError("pay must not be negative")
        if hops := overpaid(self.pay, self.pay_discarded):
            raise ValueError(
                f"option pay_discarded must be at most {most_for_a_no(self.pay)}: at {self.pay_discarded} US cents "
                f"a “no” would pay more a minute than composing a question of {hops} hops"
            )

    @property
    def pay(self) -> dict[int, int]:
        """US cents of a composition by its number of hops."""
        return {2: self.pay_2hop, 3: self.pay_3hop, 4: self.pay_4hop}

    @property
    def levels(self) -> dict[str, str]:
        """The level of every check."""
        return {name: getattr(self, name) for name in _CHOICES}


_CHOICES = {
    name: option.metadata["choices"]
    for name, option in Options.__dataclass_fields__.items()
    if "choices" in option.metadata
}
