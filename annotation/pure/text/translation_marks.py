"""`gettext_noop` for modules without Django: it marks texts for translation, and pages translate them."""


def gettext_noop(message: str) -> str:
    """The message itself; `makemessages` finds it by this name."""
    return message
