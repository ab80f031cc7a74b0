"""Capabilities of tasks by their responses: what these are, what they lead to, and how requesters review them.

They are mixins, as those of annotation.tasktype.capabilities.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from annotation.pure.data.example import Example
from annotation.pure.reports.model_aspects import Aspect
from annotation.tasktype.values import JSON, FollowUp, GivenResponse, RelatedResponses


class Answered(ABC):
    """Responses are answers that gold calls right or wrong, and that are read from a text."""

    @abstractmethod
    def wrong_answer(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> str | None:
        """The answer as the scorer of `format` compares it, if it is wrong; None if it is right, or gold is unknown."""

    @abstractmethod
    def least_words(self, payload: JSON, gold: Example) -> int | None:
        """How many words must be read to find the answer; None if that is unknown, or nothing is to be read."""


class Rated(ABC):
    """Responses are values by the names of criteria, of the item or of each element of a list of it."""

    @abstractmethod
    def criteria_of(self, options: Any) -> list[str]:
        """The names of a batch's criteria."""

    @abstractmethod
    def equal_criteria(self, options: Sequence[Any]) -> list[str]:
        """The names of the criteria with figures that are the same in batches with these options."""

    @abstractmethod
    def comparison(self, sides: Sequence[tuple[str, Any, JSON]]) -> list[JSON]:
        """Tables of what batches asked, and their figures: of each its label, its options and its last report."""

    @abstractmethod
    def narrowed(self, payload: JSON, names: Collection[str]) -> JSON | None:
        """The payload for grades and differences of these criteria alone; None if it has none of them."""

    @abstractmethod
    def values(self, payload: JSON, answer: JSON) -> Iterator[JSON]:
        """{"criterion", "element" (position), "element_id", "value", "asked"}; element None: of the item."""

    @abstractmethod
    def selector(self, options: Any, expression: str) -> Callable[[JSON], bool]:
        """Whether an aggregated response fulfils an expression. Raises InvalidWording for an invalid one."""

    @abstractmethod
    def of_columns(self, payload: JSON, rows: Sequence[JSON]) -> JSON:
        """A response from rows of a table with a column for each criterion. Raises ValueError."""

    @abstractmethod
    def combined(self, options: Any, answers: Sequence[JSON]) -> tuple[JSON, float]:
        """A model's responses to one item as one, and the share of them that agree, 0..1."""


class Judging(ABC):
    """Responses judge something of an item that a model can judge, too."""

    @abstractmethod
    def judged(self, options: Any) -> Sequence[Aspect]:
        """What each response judges of an item, for the figures of models beside people."""

    def strata_field(self, options: Any) -> str:
        """The field by whose values the figures have strata; "" for none."""
        return ""


class Structured(ABC):
    """Replies of models have a JSON schema of their own, made from what the page shows and asks."""

    def model_content(self, shown: JSON) -> JSON:
        """What a model is shown and asked, as JSON, from a payload as it is shown."""
        return {name: value for name, value in shown.items() if name != "order"}

    @abstractmethod
    def reply_schema(self, shown: JSON) -> JSON:
        """The JSON schema of a model's reply."""

    def answer_of(self, shown: JSON, reply: Any) -> Any:
        """A model's reply as a response that `complete` takes. Raises ValueError that says what is wrong."""
        if not isinstance(reply, dict):
            raise ValueError("must be an object")
        return {name: reply[name] for name in self.reply_schema(shown)["properties"] if name in reply}


def model_content(task: object, shown: JSON) -> JSON:
    return task.model_content(shown) if isinstance(task, Structured) else shown


def reply_schema(task: object, shown: JSON) -> JSON | None:
    return task.reply_schema(shown) if isinstance(task, Structured) else None


def answer_of(task: object, shown: JSON, reply: Any) -> Any:
    return task.answer_of(shown, reply) if isinstance(task, Structured) else reply


class Stepwise(ABC):
    """The page has steps that open one after another, each once the answer before it is final."""

    @abstractmethod
    def kept(self, payload: JSON, stored: JSON | None, answer: JSON) -> JSON:
        """A posted answer with the closed steps as they are stored, and no step that was not open."""

    @abstractmethod
    def with_next_step(self, payload: JSON, stored: JSON | None, answer: JSON) -> JSON | None:
        """The answer with its next step open, or what is stored if it has that; None: none follows, or not yet."""


class Conditional(ABC):
    """What is asked depends on the rest of the response; drafts keep what is not asked any more."""

    @abstractmethod
    def stored(self, payload: JSON, answer: JSON) -> JSON:
        """A complete answer as it is submitted, without what was not asked."""


class Worded(ABC):
    """Responses have a wording that requesters may edit."""

    @abstractmethod
    def review(self, payload: JSON, answer: JSON) -> JSON:
        """Context of the folder's `_review.html`; `text` is the wording, as `edited` takes it; "": nothing to edit.

        Without a wording `asks` may say what is to be decided in place of the criteria: gettext id.
        """

    @abstractmethod
    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The response with the requester's wording in place of the worker's.

        It accepts the `text` of `review`, passes `check`, and raises InvalidWording for an invalid wording.
        """


class Reviewable(Worded):
    """Requesters review responses."""

    criteria: ClassVar[Mapping[str, str]]  # criteria of a review: key -> gettext id
    snippets: ClassVar[tuple[str, ...]] = ()  # suggested feedback


class Adjudicable(Worded):
    """A requester who adjudicates may write a response."""

    writes: ClassVar[str]  # instructions to that requester: gettext id

    def start(self, payload: JSON, answers: Sequence[JSON]) -> JSON | None:
        """The answer to start from in `_write.html`, which has controls of the task's form; None: they write a text."""
        return None

    def change(self, payload: JSON, answer: JSON, wanted: JSON) -> str:
        """The text from which `edited` makes `wanted`, the answer of the form in `_write.html`, of a response."""
        raise NotImplementedError(f"{type(self).__name__} has no form to write")


class Consulting(ABC):
    """The result also depends on responses to the same question in other batches."""

    @abstractmethod
    def opened_by(self, aggregate: JSON, gold: Example, elsewhere: Sequence[RelatedResponses]) -> str:
        """The kind of open result if those responses call for a requester to look at it; "" if not."""


class FollowedUp(ABC):
    """Some results call for asking the question again, in another task."""

    @abstractmethod
    def follow_up(self, options: Any) -> FollowUp | None:
        """How to ask again in a batch with these options; None: not at all."""


class Baselined(ABC):
    """Responses in batches that show less of the same questions are baselines of the scores."""

    @abstractmethod
    def is_baseline(self, options: Any, *, derived: bool) -> bool:
        """Whether responses in a batch with these options may be baselines; `derived`: a dataset of it is derived."""

    @abstractmethod
    def baseline(self, payload: JSON, gold: Example, other: JSON) -> str:
        """Which baseline responses to the payload `other` are, one of `annotation.pure.reports.baselines.SHOWN`.

        "": none, because it shows as much as `payload`.
        """


class Comparable(ABC):
    """The task shows requesters the responses to a HIT side by side, in `_compare.html`."""

    @abstractmethod
    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        """Context of the folder's `_compare.html`: the responses to a HIT next to gold.

        `columns` has one entry for each response. `worker` of a response is its letter on the page. For adjudication
        `gold` is empty and the template gets `blind`: it shows no name, no score and no aggregated response.
        """


class Doubtful(ABC):
    """The task detects gold in doubt."""

    @abstractmethod
    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        """The workers' common answer against gold, {"text" ("": no answer), "votes", "answers"}; None without one."""


class Traced(ABC):
    """The task adds to the provenance of exported examples."""

    @abstractmethod
    def provenance(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
        """The task's additions to the provenance of an exported example, beyond workers, times and batch."""
