"""Capabilities by what responses are: answers, which a report asks whether they are people's own; ratings; replies."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.reports.model_aspects import Aspect
from annotation.tasktype.values import JSON


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
