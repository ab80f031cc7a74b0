"""The options of a batch of compositions, and their pay: MuSiQue paid about 15 US dollars an hour (section 5, S7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure.money.pricing import MOST_DOLLARS
from annotation.pure.setting_fields import Flaw, InvalidValues, setting, settings_of
from annotation.pure.text import composed_question_checks
from annotation.pure.text.translation_marks import gettext_noop as _

# Seconds of a composition by its hops: the times at which 25, 40 and 60 US cents are 15 dollars an hour.
SECONDS: Mapping[int, int] = {2: 60, 3: 96, 4: 144}

# Seconds of one bridge. Its two paragraphs of 20 to 300 words are searched for marked mentions, not read through; the
# figure is a quick but honest look, since too long a one would let a "no" pay more than it should.
EDGE_SECONDS = 12


def overpaid(pay: Mapping[int, int], discarded: int) -> int:
    """The number of hops whose composition pays less a minute than a "no" at the first bridge; 0: none does."""
    for hops, cents in pay.items():
        if discarded * SECONDS[hops] > cents * EDGE_SECONDS:
            return hops
    return 0


def most_for_a_no(pay: Mapping[int, int]) -> int:
    """The highest pay of a "no" in US cents, given the pay of compositions in US cents by number of hops."""
    return min(cents * EDGE_SECONDS // SECONDS[hops] for hops, cents in pay.items())


LEVELS = {"error": _("must be changed"), "warning": _("may stay, with a reason"), "off": _("not checked")}
MILD = {level: label for level, label in LEVELS.items() if level != "error"}
OVERPAID = _(
    "This must be at most %(most)s: at %(cents)s US cents a “no” would pay more a minute than composing a question of "
    "%(hops)s hops."
)
CHECKS, PAY = _("Question checks"), _("Pay, in US cents")


def _check(name: str, label: str, choices: dict[str, str] = LEVELS) -> Any:
    return setting(composed_question_checks.LEVELS[name], label=label, choices=choices, group=CHECKS)


def _cents(default: int, label: str, help: str = "") -> Any:
    return setting(default, label=label, help=help, least=0, most=int(MOST_DOLLARS * 100), group=PAY)


@dataclass(frozen=True, slots=True)
class ComposeOptions:
    """Raises InvalidValues for pay that rewards a “no” over composing."""

    gives_away: str = _check("gives_away", _("The question gives away an intermediate answer"))
    gives_away_final: str = _check("gives_away_final", _("The question gives away the final answer"))
    repeats_hop: str = _check("repeats_hop", _("The question repeats a hop's question"))
    hop_missing: str = _check("hop_missing", _("A hop seems not to be used"), MILD)
    too_long: str = _check("too_long", _("The question is too long"))
    no_question_mark: str = _check("no_question_mark", _("There is no question mark"))
    sentences: str = _check("sentences", _("There are more than two sentences"))
    most_words: int = setting(
        0,
        label=_("Maximum number of words"),
        help=_("0 means a limit that depends on the number of hops."),
        least=0,
        group=CHECKS,
    )
    paste: bool = setting(
        True,
        label=_("Allow pasting into the question"),
        help=_("The share of pasted text is always recorded. Workers are told so."),
    )
    ask_twice: bool = setting(False, label=_("Ask a second worker about every “not the same”"))
    expected_no: float = setting(
        0.08,
        label=_("Expected share of bridges that are not the same"),
        help=_("0 to 1. The report marks workers significantly above it."),
        least=0,
        most=1,
    )
    pay_2hop: int = _cents(25, _("Question of 2 hops"))
    pay_3hop: int = _cents(40, _("Question of 3 hops"))
    pay_4hop: int = _cents(60, _("Question of 4 hops"))
    pay_discarded: int = _cents(
        3, _("Item marked as not composable"), _("A “no” must not pay more per minute than composing.")
    )

    def __post_init__(self) -> None:
        if hops := overpaid(self.pay, self.pay_discarded):
            places = {"most": most_for_a_no(self.pay), "cents": self.pay_discarded, "hops": hops}
            raise InvalidValues({"pay_discarded": [Flaw(OVERPAID, places)]})

    @property
    def pay(self) -> dict[int, int]:
        """US cents of a composition by its number of hops."""
        return {2: self.pay_2hop, 3: self.pay_3hop, 4: self.pay_4hop}

    @property
    def levels(self) -> dict[str, str]:
        """The level of every check."""
        return {name: getattr(self, name) for name, one in settings_of(ComposeOptions).items() if one.choices}
