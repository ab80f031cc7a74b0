"""What is recorded of a batch for its methods paragraph (annotation/pure/reports/methods.py)."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.pure.reports.tables import Sentence


class Derived(NamedTuple):
    """A step by which a dataset's items are shown otherwise than in its source; texts are gettext ids."""

    dataset: str
    source: str
    title: str
    does: str
    options: tuple[tuple[str, Any], ...]  # label and value, a number or a text cell


class Agreement(NamedTuple):
    """A measure of agreement. `about` says with the first of several measures what they compare, and how many pairs."""

    measure: str  # a gettext id
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    share: bool = False  # in percent
    by_chance: bool = False  # what guessing would give: without an interval
    about: tuple[str | dict[str, Any], int] | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """The recorded facts of a batch; unrecorded ones keep their default."""

    question: str = ""  # the question put to annotators: a gettext id
    asked: tuple[Sentence, ...] = ()  # what was asked in particular, as the task's report says it
    rubric_sha256: str = ""
    hits: int = 0  # without hidden gold
    datasets: tuple[tuple[str, int], ...] = ()  # name and HITs
    drawn_by: str = ""  # the model by whose confidence the items were drawn
    hops: tuple[tuple[int, int], ...] = ()  # (number of hops, 0: unknown; number of HITs)
    derived: tuple[Derived, ...] = ()
    per_hit: tuple[int, int] = (0, 0)  # different annotators for an item: the fewest and the most asked for
    responses: tuple[int, int] = (0, 0)  # the fewest and the most that an item that counts has
    unanswered: int = 0  # HITs that count and have no answer
    suggest: str = ""  # the model whose answer some pages started with
    suggested: int = 0  # responses that started with one, which of these facts only `paid` counts
    erased: int = 0  # answers that participants withdrew, which no other fact counts
    answers: int = 0
    workers: int = 0
    counted_workers: int = 0  # workers with an answer that figures count
    first: str = ""  # days of the first and the last answer that was given here, in UTC
    last: str = ""
    imported: int = 0  # answers that were given elsewhere
    chosen: int = 0  # annotators let in by name
    consented: int = 0  # annotators with an answer that was given here who accepted the project's consent text
    marketplace: str = ""
    requirements: tuple[str, ...] = ()
    rounds: tuple[tuple[str, int, int], ...] = ()  # title, who took it, who passed
    preface: str = ""  # what stands before the task's own instructions, in Markdown
    instructions_versions: tuple[int, ...] = ()  # versions of the instructions under which answers were submitted
    unversioned: int = 0  # answers of which it is not known under which
    check_share: float = 0.0  # of hidden gold
    seconds: float | None = None  # median active time of an answer
    timed: int = 0  # answers whose time was measured
    paid: str = ""  # dollars in all, without fees
    unpaid: int = 0  # answers of a batch that pays, which wait for a decision or for their payment
    earners: int = 0  # annotators with measured time, all of it decided on and paid
    wage: str = ""  # median over them, dollars an hour
    tenth: str = ""  # its 10th percentile
    first_look: int = 0  # responses at the first look at the scores before all were in
    extended: int = 0  # items that got more assignments after it
    stopped: bool = False  # whether the batch was closed after it with responses missing
    agreements: tuple[Agreement, ...] = ()
    picked: int = 0  # HITs decided by a requester who accepted an answer unchanged
    reworded: int = 0  # HITs that a requester adjudicated with a wording of their own
    twice: int = 0  # HITs on which two requesters decided independently
    agreed: int = 0  # those of them on which both decisions give the same result
    edited: int = 0  # answers reworded by a requester, if requesters review all of them
    rejected: int = 0  # answers that a requester rejected, and so did not pay
    refused: int = 0  # of answers to HITs that count, those that a requester discarded or returned
    excluded: tuple[tuple[str, int], ...] = ()  # reason and HITs
    excluded_responses: int = 0
    arm: str = ""  # of an experiment; the batch's name
    in_order: bool = False  # whether each annotator did all arms, in a drawn order; otherwise one, drawn at random
    arms: tuple[tuple[str, int, int], ...] = ()  # name, annotators who began, annotators who submitted a response
    positions: tuple[tuple[int, int], ...] = ()  # of this arm in drawn orders: who began, who submitted, at 1, 2, ...
    registered: str = ""  # day in UTC on which the batch was preregistered
    registered_sha256: str = ""
    registered_late: bool = False  # whether a response was in by then
    departures: tuple[tuple[str, str, str], ...] = ()  # label of the setting, as registered, as it is now
