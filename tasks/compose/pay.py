"""Pay and expected time of compositions: MuSiQue paid about 15 US dollars an hour (section 5, S7)."""

from collections.abc import Mapping

# Seconds of a composition by its hops: the times at which 25, 40 and 60 US cents are 15 dollars an hour.
SECONDS: Mapping[int, int] = {2: 60, 3: 96, 4: 144}

# Seconds of one bridge. Its two paragraphs of 20 to 300 words are searched for marked mentions, not read through; the
# figure is a quick but honest look, since too long a one would let a "no" pay more than it should.
EDGE_SECONDS = 12


def overpaid(pay: Mapping[int, int], discarded: int) -> int:
    """The number of hops whose composition pays less a minute than a "no" at the first bridge; 0: none does."""
    for hops, cents in pay.items():
        if discarded * SECONDS[hops] > cents * EDGE_SECONDS:
            return hops
    return 0


def most_for_a_no(pay: Mapping[int, int]) -> int:
    """The highest pay of a "no" in US cents, given the pay of compositions in US cents by number of hops."""
    return min(cents * EDGE_SECONDS // SECONDS[hops] for hops, cents in pay.items())
