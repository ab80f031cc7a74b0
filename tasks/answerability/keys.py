"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import ANSWERING, FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    *ANSWERING,
    Key("answerable", "y", _("Answerable")),
    Key("unanswerable", "n", _("Not answerable")),
    Key("yes", "Y", _("Yes")),
    Key("no", "N", _("No")),
)
