"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import DECIDING, FRAME, MENTION, Key, by_action

KEYS = by_action(
    *FRAME,
    *DECIDING,
    MENTION,
    Key("same", "y", _("Same entity")),
    Key("different", "n", _("Not the same")),
    Key("unsure", "u", _("Cannot tell")),
    Key("type", "t", _("Write a note (Esc leaves it)"), _("write a note")),
)
