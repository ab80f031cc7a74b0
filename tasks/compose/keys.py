"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    Key("same", "y", _("Bridge: the same")),
    Key("different", "n", _("Bridge: not the same")),
    Key("unsure", "u", _("Bridge: cannot tell")),
    Key("undo-bridge", "z", _("Undo the last bridge decision")),
    Key("undo", "Mod+z", _("Undo, outside the question field"), fixed=True),
    Key("type", "t", _("Write the question (Esc leaves the field)"), _("write")),
    Key("fold", "f", _("Fold or unfold the paragraph"), _("fold")),
    Key("fold-all", "F", _("Fold or unfold all"), _("fold all")),
    Key("examples", "e", _("Examples for this shape")),
)
