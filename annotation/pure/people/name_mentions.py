"""People mentioned in a text, as “@name”."""

import re
from collections.abc import Iterable

from annotation.pure.text.normalization import fold


def mentioned(text: str, names: Iterable[str]) -> set[str]:
    """Those of the names that follow an @ in the text, in any spelling that folds alike.

    Where one name begins with another, as “Ana Maria” with “Ana”, only the longer one is mentioned. An @ within a
    word, as in an e-mail address, mentions nobody.
    """
    spellings: dict[str, set[str]] = {}
    for name in names:
        if spelling := fold(f"@{name.strip()}")[1:]:  # after the @, as in the text
            spellings.setdefault(spelling, set()).add(name)
    if not spellings:
        return set()
    longest_first = sorted(spellings, key=len, reverse=True)
    pattern = rf"(?<!\w)@({'|'.join(map(re.escape, longest_first))})(?!\w)"
    found = re.findall(pattern, fold(text))
    return {name for spelling in found for name in spellings[spelling]}
