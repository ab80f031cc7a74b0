"""The keys of the page."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import FRAME, Key, by_action

KEYS = by_action(
    *FRAME,
    Key("yes", "y", _("Yes, then the next decision")),
    Key("no", "n", _("No, then the next decision")),
    Key("single-hop", "s", _("Discard: needs no multihop reasoning")),
    Key("wrong-answer", "w", _("Discard: the answer is wrong")),
    Key("next", "j", _("Next decision"), _("decision")),
    Key("previous", "k", _("Previous decision"), _("decision")),
    Key("edit", "e", _("Correct the text (Enter or Esc leaves the field)"), _("correct the text")),
    Key("undo", "Mod+z", _("Undo, outside text fields"), _("undo"), fixed=True),
)
