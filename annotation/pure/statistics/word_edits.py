"""How far a text was changed: edits of words."""

from annotation.pure.numeric import np


def word_edits(old: str, new: str) -> tuple[int, int]:
    """(words put in, taken out or replaced, at least, to make the new text of the old one; words of the new text).

    The quotient is a translation edit rate with the corrected text as its only reference (HTER, Snover et al. 2006;
    quoted), without moves of words, which that counts as one edit each. Words stand between white space.
    """
    one, other = old.split(), new.split()
    same = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    codes = {word: k for k, word in enumerate({*one, *other})}
    short, long = (np.array([codes[word] for word in text[same:]], dtype=np.int64) for text in (one, other))
    steps = np.arange(len(long) + 1)
    row = steps
    for k, word in enumerate(short, 1):
        taken = np.concatenate([[k], np.minimum(row[1:] + 1, row[:-1] + (long != word))])
        row = np.minimum.accumulate(taken - steps) + steps
    return int(row[-1]), len(other)
