"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    *DECIDING,
    Key("yes", "y", _("Yes: solvable, guessable, necessary")),
    Key("no", "n", _("No: not solvable, guessable, necessary")),
    Key("answer", "a", _("Make the selected words the answer")),
    Key("rationale", "m", _("Add the selected words to the rationale")),
    Key(
        "select",
        "v",
        _("Select words by keys (← → word, ↑ ↓ line, ⇧ extend, ⏎ mark, Esc leave)"),
        _("select words"),
    ),
    Key("next", "j", _("Next paragraph"), _("paragraph")),
    Key("clear", "c", _("Clear answer and rationale")),
    Key("done", "d", _("Answer and rationale are complete: hide them and continue")),
)
