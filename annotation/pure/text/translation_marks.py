"""Marks texts for translation where Django is not known; the door that shows them translates."""


def gettext_noop(message: str) -> str:
    """The message itself; `makemessages` finds it by this name."""
    return message
