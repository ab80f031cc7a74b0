"""A preregistration: hypotheses, design, exclusions and analysis, with the settings of the batch, as one file.

The file is JSON with sorted keys; its SHA-256 is that of its bytes in UTF-8.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from annotation.pure.data.example import JSON
from annotation.pure.text.translation_marks import gettext_noop as _

LONGEST: Final = 5_000  # characters of a text
TEXTS: Final = {
    "hypotheses": _("Hypotheses"),
    "design": _("Design"),
    "exclusions": _("Exclusions"),
    "analysis": _("Analysis"),
}
REQUIRED: Final = ("hypotheses", "analysis")


def document(head: Mapping[str, str], texts: Mapping[str, str], settings: JSON) -> str:
    """The file; `head` says of which batch it is and when it was registered."""
    content = {**head, **{name: texts.get(name, "").strip() for name in TEXTS}, "settings": settings}
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def digest(text: str) -> str:
    """SHA-256 of the file's bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def differences(registered: JSON, now: JSON) -> list[tuple[str, str, str]]:
    """(setting, as registered, as it is now) of each setting that differs; what was not known then does not."""
    return [
        (name, value_text(registered[name]), value_text(now.get(name)))
        for name in now
        if registered.get(name) is not None and registered[name] != now.get(name)
    ]


def value_text(value: Any) -> str:
    """A setting in a few words."""
    if isinstance(value, str):
        return value
    return "–" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
