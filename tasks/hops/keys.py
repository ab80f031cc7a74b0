"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import ANSWERING, FRAME, Key, by_action

_LEFT_OUT = {"place", "yes", "no", "none"}
KEYS = by_action(
    *FRAME,
    *(key for key in ANSWERING if key.action not in _LEFT_OUT),
    Key("next-step", "Enter", _("Next step"), _("next step"), fixed=True),
)
