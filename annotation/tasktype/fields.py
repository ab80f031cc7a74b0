"""The capability of tasks whose options say which fields of an item they use (annotation.tasktype.capabilities)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import Flaw


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
