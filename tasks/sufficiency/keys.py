"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    *DECIDING,
    Key("sufficient", "s", _("Sufficient")),
    Key("insufficient", "i", _("Not sufficient")),
    Key("unsure", "u", _("Cannot tell")),
    Key("evidence", "e", _("Mark the selection as evidence"), _("mark evidence")),
    Key("first", "1", _("Select in the first paragraph (arrows, Shift)"), _("first paragraph")),
    Key("second", "2", _("Select in the second paragraph"), _("second")),
    Key("nothing", "x", _("Remove all evidence")),
    Key("mention", "a", _("Next mention of the answer"), _("next mention")),
)
