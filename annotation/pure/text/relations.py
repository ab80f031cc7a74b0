"""Relations as questions: MuSiQue's "Natalie Wood >> sibling" asks for the sibling of Natalie Wood."""

import re

SIGN, DASH = " >> ", " – "
_SIGN = re.compile(r"(?<=\S)\s*>>\s*(?=\S)")


def in_words(question: str) -> str:
    """The question as people read it: "Natalie Wood – sibling"; unchanged if it is no relation."""
    return _SIGN.sub(DASH, question)


def from_words(text: str, question: str) -> str:
    """What somebody made of `in_words(question)`, with its last dashes as signs again; unchanged, the question."""
    if text.split() == in_words(question).split():
        return question
    return text if ">>" in text else SIGN.join(text.rsplit(DASH, len(_SIGN.findall(question))))
