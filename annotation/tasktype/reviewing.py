"""Capabilities of tasks whose responses requesters review, edit or write (annotation.tasktype.capabilities)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from annotation.tasktype.values import JSON


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
