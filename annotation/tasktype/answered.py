"""A capability of tasks whose responses are answers: what a report needs to tell whether they are people's own."""

from abc import ABC, abstractmethod

from annotation.pure.data.example import Example
from annotation.tasktype.values import JSON


class Answered(ABC):
    """Responses are answers that gold calls right or wrong, and that are read from a text."""

    @abstractmethod
    def wrong_answer(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> str | None:
        """The answer as the scorer of `format` compares it, if it is wrong; None if it is right, or gold is unknown."""

    @abstractmethod
    def least_words(self, payload: JSON, gold: Example) -> int | None:
        """How many words must be read to find the answer; None if that is unknown, or nothing is to be read."""
