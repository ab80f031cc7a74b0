"""The keys of the page, beside digits."""

from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.keys import ANSWERING, DECIDING, FRAME, Key, by_action

READING = ("search", "next", "previous", "fold", "fold-all", "hide", "sort")

KEYS = by_action(
    *FRAME,
    *DECIDING,
    *(key for key in ANSWERING if key.action in READING),
    Key("up", "ArrowUp", _("Previous criterion"), _("criterion"), fixed=True),
    Key("down", "ArrowDown", _("Next criterion"), _("criterion"), fixed=True),
    Key("go-on", "Enter", _("Go on to the next criterion"), _("go on"), fixed=True),
    Key(
        "mark",
        "m",
        _("Mark what is selected, or select words: ← → word, ↑ ↓ line, ⇧ extend, + − one character, ⏎ mark, Esc leave"),
        _("mark words"),
    ),
    Key("unmark", "x", _("Remove the last mark")),
    Key("comment", "c", _("Go to the text field (Esc leaves it)"), _("write")),
)
