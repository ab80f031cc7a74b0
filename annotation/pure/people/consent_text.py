"""The default consent text, with places for what only the requester knows."""

from typing import Final

CONTACT: Final = "[contact: name and email address]"
ETHICS: Final = "[ethics approval: who approved this study, or why it needs no approval]"

PLACES: Final = {"contact": CONTACT, "ethics": ETHICS}

DEFAULT: Final = f"""\
Your answers are used for research on question answering. They are published under a pseudonym, never with
your name. We store what you submit, when, and how long the page was in active use; we do not record keys.

Taking part is voluntary. You may stop at any time without giving a reason; with an account here, you can withdraw
your consent on this page. What you submitted until then is kept under the pseudonym; write to us if you want it
removed. If a panel sent you here, what you submitted in a visit is erased if you withdraw before it is approved, and
not used if you return it or if it is rejected.

Contact: {CONTACT}

Ethics approval: {ETHICS}
"""


def filled(text: str, *, contact: str, ethics: str) -> str:
    """The text with both places filled in; an empty value leaves its place."""
    for place, value in ((CONTACT, contact.strip()), (ETHICS, ethics.strip())):
        text = text.replace(place, value or place)
    return text


def without_ethics(text: str) -> str:
    """The text without the line on ethics approval, if that is not filled in."""
    return text.replace(f"\n\nEthics approval: {ETHICS}", "")


def is_unfinished(text: str) -> bool:
    """Whether a place is not filled in."""
    return any(place in text for place in PLACES.values())
