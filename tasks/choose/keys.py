"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import DECIDING, FRAME, MENTION, Key, by_action

KEYS = by_action(
    *FRAME,
    *DECIDING,
    MENTION,
    Key("none", "0", _("None of them is good")),
    Key("fold", "f", _("Open or close the paragraphs"), _("paragraphs")),
)
