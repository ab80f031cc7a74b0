"""What a page sends of an item before its response, by the rules of static/js/draft.js and static/js/prefetch.js."""

from __future__ import annotations

from itertools import pairwise
from random import Random

PAUSE, RENEW, QUICK = 5, 45, 45  # seconds
CHANGES = 3  # two supporting paragraphs and the answer


def before_response(seconds: int, chance: Random, *, held: bool) -> list[str]:
    """The requests of somebody who reads for half of the time and then changes the answer, at random moments.

    "draft"; "prefetch", a draft that brings the next item, which is not `held` yet; and "renew", where no draft was
    saved for long.
    """
    changes = sorted(chance.uniform(seconds / 2, seconds) for _ in range(CHANGES))
    sent, last = [], 0.0
    for number, (change, following) in enumerate(pairwise([*changes, seconds]), start=1):
        if number == CHANGES and not held:
            sent.append((change, "prefetch"))
        elif following - change >= PAUSE:
            sent.append((change + PAUSE, "draft"))
    all_sent = []
    for at, what in [*sent, (float(seconds), "")]:
        while held and at - last > RENEW:
            last += RENEW
            all_sent.append("renew")
        last, held = at, held or what == "prefetch"
        all_sent.append(what)
    return all_sent[:-1]
