"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    *DECIDING,
    Key("type", "t", _("Go to the first blank that is empty"), _("type a word")),
    Key("next-blank", "Enter", _("Next blank, and then the decision"), fixed=True),
    Key("yes", "y", _("Necessary")),
    Key("no", "n", _("Not necessary")),
)
