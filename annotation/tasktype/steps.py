"""Capabilities of tasks in which what is asked depends on what was answered (annotation.tasktype.capabilities)."""

from abc import ABC, abstractmethod

from annotation.tasktype.values import JSON


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
