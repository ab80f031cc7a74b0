"""Values that tasks and the engine exchange: problems, remarks, features, responses."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any

from annotation.pure.data.example import Example

JSON = dict[str, Any]
Baselines = Mapping[tuple[str, str], tuple[JSON, ...]]  # answers by (what was shown, the model or "" for people)


@dataclass(frozen=True, slots=True)
class Problem:
    """A worker's mistake, shown at the control it concerns. `message` is a gettext id with %(name)s placeholders.

    A warning stops a worker until they give a reason; imported responses are accepted despite it.
    """

    field: str
    message: str
    values: Mapping[str, Any] = made_by(default_factory=dict)
    warning: bool = False


class InvalidResponse(ValueError):
    """An imported response has a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message % problem.values)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Remark:
    """Feedback in practice: praise, advice on what to do differently, or something to compare with (`good` is None)."""

    good: bool | None
    message: str  # a gettext id with %(name)s places
    values: Mapping[str, Any] = made_by(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Features:
    """Features that any item of a batch's datasets has, so that a page's controls depend on no single item."""

    yes_no: bool = False
    unanswerable: bool = False
    options: bool = False
    sentences: bool = False
    supports: bool = True  # False: there are gold answers, but none names its support
    paragraphs: int = 0  # of the largest context
    datasets: int = 1
    contexts: frozenset[int] | None = None  # numbers of paragraphs in contexts; None: unknown
    hops: int | None = None  # of the longest decomposition; None: unknown
    ablated: bool | None = None  # whether something was taken out of any item; None: unknown


@dataclass(frozen=True, slots=True)
class GivenResponse:
    """One worker's latest response to a HIT, under their pseudonym."""

    worker: str
    answer: JSON
    seconds: float = 0.0  # active seconds
    paid: int | None = None  # US cents paid for it, without bonuses; None: nothing
    counts: Mapping[str, int] | None = None  # of its page, over all revisions (annotation/pure/batches/page_counts)
    seed: int | None = None  # by which its page was arranged; None: it was given elsewhere


@dataclass(frozen=True, slots=True)
class RelatedResponses:
    """The responses to a HIT of another batch that is about the same question (of the same group)."""

    task: str
    payload: JSON
    answers: tuple[JSON, ...]


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Asking some questions of a batch again: how they are derived from its results, and the batches to create.

    `batches`: {name: (task, options)}; `label`: of the button, a gettext id.
    """

    label: str
    how: str
    options: Mapping[str, Any]
    batches: Mapping[str, tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class HitWithResponses:
    """A HIT with its responses and everything else for reports."""

    hit: str
    dataset: str
    format: str
    example: Example
    payload: JSON
    given: tuple[GivenResponse, ...]
    excluded: str = ""  # why it is excluded; "": it is not
    predicted: tuple[GivenResponse, ...] = ()  # models' predictions on the same HIT, under the models' names
    wanted: int = 0  # number of responses that the HIT asks for; 0: unknown
    elsewhere: tuple[RelatedResponses, ...] = ()  # for a task that is Consulting
    baselines: Baselines = made_by(default_factory=dict)  # for a task that is Baselined


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of responses against gold, in 0..1, for qualification rounds."""

    label: str  # a gettext id, as is
    for_workers: str  # what workers read instead
    partial: bool = False  # whether values between 0 and 1 are possible
    is_default: bool = True  # whether a new round's rule asks for it, if it is partial


@dataclass(frozen=True, slots=True)
class Label:
    """A label by which responses are counted, and the fields of a stored response with this label."""

    words: str  # a gettext id
    holds: Mapping[str, bool | str]


class InvalidWording(ValueError):
    """A requester's wording is invalid; `message` is a gettext id with %(name)s placeholders."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values
