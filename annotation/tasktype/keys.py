"""The keys of tasks' pages: what each does, and its default, which people may change for all tasks at once."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.pure.text.translation_marks import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Key:
    """An action of a page; those of the same name share their key in all tasks.

    `key`: the default, a character or as in "Mod+Enter"; `label` and `short` (its words in the page's legend, which
    leaves it out without) are gettext ids; `fixed`: it cannot be changed.
    """

    action: str
    key: str
    label: str
    short: str = ""
    fixed: bool = False


def by_action(*keys: Key) -> Mapping[str, Key]:
    """The keys by their action; of several for one action the last counts."""
    return {key.action: key for key in keys}


FRAME = (
    Key("submit", "Mod+Enter", _("Submit"), fixed=True),
    Key("accept-suggestion", "=", _("Submit the suggestion unchanged"), _("submit the suggestion")),
    Key("back", "b", _("Back to the previous item")),
    Key("return", "r", _("Return this item")),
    Key("report", "!", _("Report a problem")),
    Key("instructions", "g", _("Instructions")),
    Key("previous-item", ",", _("Previous item"), fixed=True),  # in a preview
    Key("next-item", ".", _("Next item"), fixed=True),
    Key("keys", "?", _("Show keys"), _("all keys")),
    Key("leave", "Escape", _("Leave a field"), _("leave the field"), fixed=True),
)
DECIDING = (
    Key("undo", "z", _("Undo your last decision (within five seconds)"), _("undo")),
    Key("light", "w", _("Highlight the words of the question"), _("highlight the question's words")),
)
MENTION = Key("mention", "a", _("Next mention"), _("next mention"))
ANSWERING = (
    Key("search", "/", _("Search the paragraphs (⏎ and ⇧⏎ jump between matches, Esc leaves)")),
    Key("next", "j", _("Next paragraph"), _("paragraph")),
    Key("previous", "k", _("Previous paragraph"), _("paragraph")),
    Key(
        "select",
        "v",
        _("Select words in the paragraph (also ⏎): ← → word, ↑ ↓ line, ⇧ extend, + − one character, ⏎ set, Esc leave"),
        _("select words"),
    ),
    Key("answer", "a", _("Make the selected words the answer"), _("make them the answer")),
    Key("type", "t", _("Type the answer"), _("type it")),
    Key("place", "o", _("Next occurrence of the typed answer (↓ and ↑ in its field)")),
    Key("confidence", "u", _("Say how sure you are"), _("how sure")),
    Key("clear", "c", _("Clear the answer")),
    Key("yes", "y", _("Yes")),
    Key("no", "n", _("No")),
    Key("none", "0", _("No answer, or you do not know it")),
    Key("tick", "x", _("Tick the paragraph as supporting"), _("tick")),
    Key("fold", "f", _("Fold or unfold the paragraph"), _("fold")),
    Key("fold-all", "F", _("Fold or unfold all")),
    Key("hide", "h", _("Hide the paragraph"), _("hide")),
    Key("pin", "p", _("Ticked paragraphs first")),
    Key("sort", "s", _("Change the order")),
    Key("filter", "m", _("Show all, matching or ticked paragraphs")),
    Key("undo", "Mod+z", _("Undo"), fixed=True),
    Key("redo", "Mod+Shift+z", _("Redo"), fixed=True),
)
