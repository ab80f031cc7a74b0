"""The default consent text, with places for what only the requester knows."""

from typing import Final

from annotation.pure.text.translation_marks import gettext_noop as _

CONTACT: Final = "[contact: name and email address]"
ETHICS: Final = "[ethics approval: who approved this study, or why it needs no approval]"

PLACES: Final = {"contact": CONTACT, "ethics": ETHICS}

LABEL: Final = _("Ethics approval:")
CONTACT_LABEL: Final = _("Contact:")  # xgettext reads no f-strings

PANEL: Final = _(
    "If a panel sent you here and you withdraw before your visit is approved, we erase what you submitted in it. "
    "If you return the visit, or if it is rejected, we do not use it."
)  # only its participants read this

DEFAULT: Final = "\n\n".join(
    (
        _(
            "Your responses are used for research on question answering. They are published under a pseudonym, never "
            "with your name. We store what you submit, when, and for how long you worked. Beyond that, we do not "
            "record what you type."
        ),
        _(
            "Taking part is voluntary. You may stop at any time without giving a reason. With an account here, you can "
            "withdraw your consent on this page; what you submitted before is kept under the pseudonym, and you can "
            "write to us to have it removed."
        ),
        PANEL,
        f"{CONTACT_LABEL} {CONTACT}",
        f"{LABEL} {ETHICS}\n",
    )
)

COUNTING: Final = _(
    "In some batches, the page also counts how many of the characters that you paste are not in the text it shows, and "
    "how often and how long you leave it for more than five seconds: numbers only, never keys or text. They help us "
    "to tell whether answers are people’s own. A person decides what they mean, and no response is rejected because of "
    "these numbers alone. They are deleted when the responses of the batch are erased."
)
SUGGESTING: Final = _(
    "In some batches, some items start with an answer that a model suggests. It is marked, may be wrong, and you can "
    "change it. Whether an item starts with one is drawn at random, so that we can measure how suggestions change "
    "what people answer. Nobody is paid less for changing one."
)
PARAGRAPHS: Final = {"counts_pasting": COUNTING, "suggest": SUGGESTING}  # by the setting of the batches that need them


def filled(text: str, *, contact: str, ethics: str) -> str:
    """The text with both places filled in; an empty value leaves its place."""
    for place, value in ((CONTACT, contact.strip()), (ETHICS, ethics.strip())):
        text = text.replace(place, value or place)
    return text


def ethics_of(text: str) -> str:
    """What the text says after "Ethics approval:"; "" if it has no such line, or one that is not filled in."""
    for line in text.splitlines():
        if line.startswith(LABEL):
            said = line.removeprefix(LABEL).strip()
            return "" if said == ETHICS else said
    return ""


def without_ethics(text: str) -> str:
    """The text without the line on ethics approval, if that is not filled in."""
    return text.replace(f"\n\n{LABEL} {ETHICS}", "")


def shown(text: str, *, from_panel: bool) -> str:
    """The text as a worker reads it: that on panels only if one sent them."""
    return text if from_panel else text.replace(f"{PANEL}\n\n", "")


def is_unfinished(text: str) -> bool:
    """Whether a place is not filled in."""
    return any(place in text for place in PLACES.values())


def contains(text: str, paragraph: str) -> bool:
    """Whether the text has the paragraph, however its lines are broken."""
    return " ".join(paragraph.split()) in " ".join(text.split())
