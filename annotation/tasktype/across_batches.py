"""Capabilities of tasks whose results also rest on responses in other batches (annotation.tasktype.capabilities)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from annotation.pure.data.example import Example
from annotation.tasktype.values import JSON, FollowUp, RelatedResponses


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
