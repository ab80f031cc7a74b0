"""Optional capabilities of tasks; each is a mixin with a few methods.

A task lists its capabilities as base classes. The engine asks `isinstance(task, Payable)`, or calls the function of the
method's name below, which gives the default for tasks without the capability.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import Flaw
from annotation.pure.statistics.agreement import most_frequent
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.contract import TaskType
from annotation.tasktype.decisions import sameness
from annotation.tasktype.response_capabilities import (
    Adjudicable,
    Answered,
    Baselined,
    Comparable,
    Conditional,
    Consulting,
    Doubtful,
    FollowedUp,
    Judging,
    Rated,
    Reviewable,
    Stepwise,
    Structured,
    Traced,
)
from annotation.tasktype.response_capabilities import Worded as Worded
from annotation.tasktype.values import JSON, Features, FollowUp, GivenResponse, Label, Measure, RelatedResponses, Remark

GRADE = {"grade": Measure(_("Grade"), _("Right responses"))}
RIGHT, WRONG = _("Right. %(why)s"), _("This is not right. %(why)s")  # feedback by the grade


class Adaptable:
    """The task adapts to the content of a batch's datasets."""

    def suggest(self, features: Features) -> JSON:
        """Default options that fit the datasets."""
        return {}

    def fits(self, features: Features) -> bool:
        """Whether items with these features may be usable; if False, `needs` says why."""
        return True


class Fielded(ABC):
    """Options name fields of the items, so they are checked with the items of the datasets."""

    @abstractmethod
    def lacking(self, options: Any, examples: Iterable[Example]) -> Iterator[tuple[str, Flaw]]:
        """(option, what is wrong with it) of fields that none of the examples has; reads no more than it needs."""

    @abstractmethod
    def left_out(self, example: Example, options: Any) -> str:
        """The reason why `prepare` gives None for an example, as a gettext id."""

    @abstractmethod
    def warnings(self, options: Any, examples: Iterable[Example]) -> Iterator[Flaw]:
        """What a requester should know before a launch with these items; reads no more of them than it needs."""


class Varied(ABC):
    """The task asks something else with some options."""

    variants: ClassVar[tuple[str, ...]] = ()  # the names that `variant` gives

    def variant(self, options: Any) -> str:
        """The variant with these options; "": none. `NAME.md` has its instructions, `NAME.json` its practice."""
        return ""

    @abstractmethod
    def asked(self, options: Any) -> str:
        """What workers are asked with these options, in one line, in place of `question`: gettext id."""


class Sampled:
    """The task decides how a batch's items are sampled."""

    def single(self, options: Any) -> bool:
        """Whether a batch with these options takes one random item of each group instead of all."""
        return False

    def samples_groups(self, options: Any) -> bool:
        """Whether a batch's sample draws whole groups instead of items."""
        return False


class Arranged(ABC):
    """The task shows each assignment in a different random order."""

    @abstractmethod
    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """The payload in the order of one assignment. Responses keep the payload's positions."""


class Timed(ABC):
    """The task estimates how long its HITs take."""

    @abstractmethod
    def seconds(self, payload: JSON) -> int | None:
        """The usual duration of an assignment of this HIT; None: the batch's."""


class Enterable(ABC):
    """The task's controls may not fit the gold answer of each item."""

    ways_out: ClassVar[str]  # what a requester can do about such items: gettext id

    @abstractmethod
    def enterable(self, payload: JSON, gold: Example) -> bool:
        """Whether a worker who knows the gold answer can submit it and is then right; True without gold."""


class Live:
    """The task's page has fragments that scripts load while a worker works."""

    live: ClassVar[Mapping[str, Callable[[JSON, Mapping[str, str]], JSON]]]  # name -> context of `_name.html`


class Embedding(ABC):
    """The task shows pages of other sites in frames."""

    @abstractmethod
    def origins(self, payload: JSON) -> Sequence[str]:
        """Sites that the HIT's page may show in a frame, as sources of a content security policy."""


class Illustrated(ABC):
    """The task has worked examples, `_tutorial.html`, below the instructions."""

    @abstractmethod
    def tutorial(self, payload: JSON | None, language: str = "en") -> JSON | None:
        """Context of the folder's `_tutorial.html`: all of it (payload None), the part for one HIT, or None."""


class Practised(ABC):
    """The task gives its own feedback on the items of `practice.json`."""

    @abstractmethod
    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """Feedback on a practice response that passed `check`; `gold` is the item of practice.json."""


class Revealing(ABC):
    """The task shows workers something once their response is final."""

    @abstractmethod
    def afterwards(self, payload: JSON, example: Example) -> JSON | None:
        """Content shown to the worker after submission, which makes the response final; None: nothing."""


class SecondOpinion(ABC):
    """The task wants more responses after some responses."""

    @abstractmethod
    def least(self, payload: JSON, answer: JSON) -> int:
        """The minimum number of responses that the HIT needs after this one; 0: as many as at launch."""


class Bridging(ABC):
    """People judge whether the edges of a decomposition connect one entity."""

    @abstractmethod
    def bridges(self, payload: JSON, answers: Sequence[JSON]) -> list[dict[str, int]]:
        """For each edge, in the order of `dag.edges`, the number of judgments "same", "different" and "unsure"."""


class Payable(ABC):
    """The reward depends on the response."""

    @abstractmethod
    def pay(self, payload: JSON, answer: JSON | None) -> int | None:
        """US cents that this response earns (without a response: the maximum); None: the batch's reward."""

    def least_pay(self, payload: JSON) -> int | None:
        """US cents that every response earns, the reward on a marketplace; the rest is a bonus."""
        return self.pay(payload, None)


class Simulated(ABC):
    """Simulated workers can do the task in dry runs."""

    @abstractmethod
    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
        """A simulated worker's response, right or wrong, or None; if `check` refuses it, the HIT is returned."""


class Measured(ABC):
    """The task has measures of a response against gold besides its grade."""

    measures: ClassVar[Mapping[str, Measure]]  # figures that a round's rule may use

    @abstractmethod
    def measure(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
        """Each of `measures` of one response, by the scorer of the dataset's `format`; paragraphs may be missing."""


class Labelled:
    """Responses are labels."""

    labels: ClassVar[Mapping[str, Label]]  # labels by which requesters can filter responses


CAPABILITIES: tuple[type, ...] = (
    Adaptable, Fielded, Varied, Sampled, Arranged, Timed, Enterable, Live, Embedding, Illustrated, Practised,
    Revealing, Stepwise, Conditional, Consulting, FollowedUp, Baselined, SecondOpinion, Bridging, Payable, Simulated,
    Measured, Labelled, Comparable, Doubtful, Worded, Reviewable, Adjudicable, Traced, Answered, Judging, Rated,
    Structured,
)  # fmt: skip


def suggest(task: TaskType, features: Features) -> JSON:
    return task.suggest(features) if isinstance(task, Adaptable) else {}


def fits(task: TaskType, features: Features) -> bool:
    return not isinstance(task, Adaptable) or task.fits(features)


def variant(task: TaskType, stored: Mapping[str, Any]) -> str:
    """The variant of the task with a batch's stored options."""
    return task.variant(task.options(stored)) if isinstance(task, Varied) else ""


def variants(task: TaskType) -> tuple[str, ...]:
    """The variants of the task, the usual one ("") first."""
    return ("", *task.variants) if isinstance(task, Varied) else ("",)


def asked(task: TaskType, stored: Mapping[str, Any]) -> str:
    """What workers are asked with a batch's stored options, in one line: gettext id."""
    return task.asked(task.options(stored)) if isinstance(task, Varied) else task.question


def single(task: TaskType, options: Any) -> bool:
    return isinstance(task, Sampled) and task.single(options)


def samples_groups(task: TaskType, options: Any) -> bool:
    return isinstance(task, Sampled) and task.samples_groups(options)


def arrange(task: TaskType, payload: JSON, rng: Random) -> JSON:
    return task.arrange(payload, rng) if isinstance(task, Arranged) else payload


def seconds(task: TaskType, payload: JSON) -> int | None:
    return task.seconds(payload) if isinstance(task, Timed) else None


def live(task: TaskType) -> Mapping[str, Callable[[JSON, Mapping[str, str]], JSON]]:
    return task.live if isinstance(task, Live) else {}


def origins(task: TaskType, payload: JSON) -> Sequence[str]:
    return task.origins(payload) if isinstance(task, Embedding) else ()


def tutorial(task: TaskType, payload: JSON | None, language: str) -> JSON | None:
    return task.tutorial(payload, language) if isinstance(task, Illustrated) else None


def feedback(task: TaskType, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
    """By default whether the response is right by its grade, and the item's own reason, `why` in its `extra`."""
    if isinstance(task, Practised):
        return task.feedback(payload, answer, gold)
    if not task.gradable(payload, gold):
        return []
    right = task.grade(payload, answer, gold) == 1
    return [Remark(right, RIGHT if right else WRONG, {"why": str(gold.extra.get("why", ""))})]


def afterwards(task: TaskType, payload: JSON, example: Example) -> JSON | None:
    return task.afterwards(payload, example) if isinstance(task, Revealing) else None


def kept(task: TaskType, payload: JSON, stored: JSON | None, answer: JSON) -> JSON:
    return task.kept(payload, stored, answer) if isinstance(task, Stepwise) else answer


def with_next_step(task: TaskType, payload: JSON, stored: JSON | None, answer: JSON) -> JSON | None:
    return task.with_next_step(payload, stored, answer) if isinstance(task, Stepwise) else None


def stored(task: TaskType, payload: JSON, answer: JSON) -> JSON:
    return task.stored(payload, answer) if isinstance(task, Conditional) else answer


def follow_up(task: TaskType, stored: Mapping[str, Any]) -> FollowUp | None:
    """How questions of a batch with these stored options are asked again."""
    return task.follow_up(task.options(stored)) if isinstance(task, FollowedUp) else None


def opened_by(task: TaskType, aggregate: JSON, gold: Example, elsewhere: Sequence[RelatedResponses]) -> str:
    return task.opened_by(aggregate, gold, elsewhere) if isinstance(task, Consulting) else ""


def least(task: TaskType, payload: JSON, answer: JSON) -> int:
    return task.least(payload, answer) if isinstance(task, SecondOpinion) else 0


def pay(task: TaskType, payload: JSON, answer: JSON | None) -> int | None:
    return task.pay(payload, answer) if isinstance(task, Payable) else None


def least_pay(task: TaskType, payload: JSON) -> int | None:
    return task.least_pay(payload) if isinstance(task, Payable) else None


def imitate(task: TaskType, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
    return task.imitate(payload, gold, rng, right=right) if isinstance(task, Simulated) else None


def enterable(task: TaskType, payload: JSON, gold: Example) -> bool:
    return not isinstance(task, Enterable) or task.enterable(payload, gold)


def measures(task: TaskType) -> Mapping[str, Measure]:
    return task.measures if isinstance(task, Measured) else GRADE


def measure(task: TaskType, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
    if isinstance(task, Measured):
        return task.measure(payload, answer, gold, format=format)
    return {"grade": task.grade(payload, answer, gold)}


def labels(task: TaskType) -> Mapping[str, Label]:
    return task.labels if isinstance(task, Labelled) else {}


def compare(task: TaskType, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    return task.compare(payload, given, gold) if isinstance(task, Comparable) else {"columns": [{} for _one in given]}


def doubt(task: TaskType, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
    return task.doubt(payload, answers, gold) if isinstance(task, Doubtful) else None


def review(task: TaskType, payload: JSON, answer: JSON) -> JSON:
    return task.review(payload, answer) if isinstance(task, Worded) else {"text": ""}


def edited(task: TaskType, payload: JSON, answer: JSON, text: str) -> JSON:
    if not isinstance(task, Worded):
        raise TypeError(f"{task.kind} has nothing to edit")
    return task.edited(payload, answer, text)


def edited_words(task: TaskType, payload: JSON, answer: JSON, text: str) -> str:
    """A requester's wording of a response as readers see it: the text, or of a form's answer a few words."""
    if not text or start(task, payload, [answer]) is None:
        return text
    return task.brief(payload, edited(task, payload, answer, text))


def criteria(task: TaskType) -> Mapping[str, str]:
    return task.criteria if isinstance(task, Reviewable) else {}


def snippets(task: TaskType) -> tuple[str, ...]:
    return task.snippets if isinstance(task, Reviewable) else ()


def writes(task: TaskType) -> str:
    return task.writes if isinstance(task, Adjudicable) else ""


def start(task: TaskType, payload: JSON, answers: Sequence[JSON]) -> JSON | None:
    return task.start(payload, answers) if isinstance(task, Adjudicable) else None


def change(task: TaskType, payload: JSON, answer: JSON, wanted: JSON) -> str:
    return task.change(payload, answer, wanted) if isinstance(task, Adjudicable) else ""


def provenance(task: TaskType, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
    return task.provenance(payload, answers, aggregate) if isinstance(task, Traced) else {}


def takes_suggestions(task: TaskType) -> bool:
    """Whether pages can start with an answer: not if steps open one by one, nor if a response leads to more."""
    return task.launched and not isinstance(task, Stepwise | SecondOpinion | Revealing)


def combined(task: TaskType, options: Any, answers: Sequence[JSON]) -> tuple[JSON, float]:
    """A model's responses to one item as one, and the share that agree: by default the most frequent.

    Those with the same label and the same text (case and spaces aside) are the same, whatever their support.
    """
    if isinstance(task, Rated):
        return task.combined(options, answers)
    return most_frequent(answers, lambda answer: sameness(labels(task), answer))
