"""The contract of a task type, from example to aggregated response.

A task is a folder in `tasks/`; tasks/README.md says how to add one. Payloads, responses and results are stored as
JSON; internally a task may use frozen dataclasses.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from annotation.pure.data.example import Example
from annotation.tasktype.keys import DECIDING, FRAME, MENTION, Key, by_action
from annotation.tasktype.values import JSON, HitWithResponses, InvalidResponse, Problem

UNSETTLED = frozenset({"tied", "several", "discarded", "undecided", "split"})  # kinds of results without a majority


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Nothing to set."""


class TaskType(ABC):
    """A task; each folder has one instance, named TASK on the last line of its task.py.

    `prepare`, `check`, `aggregate`, `grade`, `report` and `export` are required; the rest has defaults that most tasks
    keep. Optional behaviour is a capability (annotation.tasktype.capabilities).
    """

    kind: ClassVar[str] = ""  # the folder's name, set by the registry
    title: ClassVar[str]  # shown to requesters
    question: ClassVar[str]  # shown to workers, in one line
    needs: ClassVar[str]  # what an item must contain, as a sentence, "Requires …": gettext id
    Options: ClassVar[type] = NoOptions  # frozen dataclass of a requester's settings, made of `setting`
    launched: ClassVar[bool] = True  # whether requesters can launch batches of it; else it is for the MTurk API only
    assignments: ClassVar[int] = 3  # default number of assignments per HIT, as in the task's paper
    of_ablations: ClassVar[bool] = False  # pages offer it only for items of which something was taken out
    leads_to: ClassVar[str] = ""  # the derivation that usually follows its results; "": the usual one
    keys: ClassVar[Mapping[str, Key]] = by_action(*FRAME, *DECIDING, MENTION)  # all of its page
    writes_questions: ClassVar[bool] = False  # whether workers write the questions of its results
    meeting: ClassVar[str] = "one"  # default of Batch.meeting: "one", "apart" or "free"

    shows: ClassVar[tuple[str, ...]] = ()  # gold that its page shows by design

    def __init_subclass__(cls, **about: Any) -> None:
        super().__init_subclass__(**about)
        if "kind" not in vars(cls):
            cls.kind = cls.__module__.split(".")[-2:][0]

    def options(self, stored: Mapping[str, Any]) -> Any:
        """The options of a batch, which `annotation.pure.setting_fields.read` checked before they were stored."""
        return self.Options(**stored)

    @abstractmethod
    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """The content shown to the worker, frozen at launch; None skips the example."""

    @abstractmethod
    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        """Problems that prevent submitting: completeness, consistency, honesty. Positions are the payload's."""

    def heading(self, payload: JSON) -> str:
        """What a HIT is called where its gold must not be seen: the question that workers see, or the hops'; or ""."""
        return str(payload.get("question") or " · ".join(hop["question"] for hop in payload.get("hops") or ()))

    def shown_fields(self, options: Any) -> Collection[str]:
        """The fields of an item, beside its question and paragraphs, that the page shows with these options."""
        return self.shows

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A response collected elsewhere, in the stored form. Raises ValueError that says what is wrong."""
        if not isinstance(answer, dict):
            raise ValueError("must be an object")
        for problem in self.check(payload, answer):
            if not problem.warning:
                raise InvalidResponse(problem)
        return answer

    def group(self, example: Example) -> str | None:
        """The group of the example, of which a worker usually gets only one item; None: no group."""
        return example.group or None

    def practice(self, options: Any) -> tuple[Example, ...] | None:
        """The practice items of a batch with these options; None: those of the folder."""
        return None

    @abstractmethod
    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """Aggregate the responses to a HIT.

        `answers` has no excluded responses; `accepted` is True in a response accepted in a review. In tasks without
        criteria an accepted response is passed alone, and decides, whatever number of votes is required.
        """

    def unsettled(self, aggregate: JSON) -> bool:
        """Whether the result is open, so that a requester is to adjudicate."""
        return bool(aggregate.get("tied")) or aggregate.get("kind") in UNSETTLED

    def agreeing(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> int:
        """The number of responses that agree with the result; all of them if responses are not votes."""
        votes = aggregate.get("votes")
        counted = votes.get(aggregate["kind"]) if isinstance(votes, Mapping) else None
        return counted if isinstance(counted, int) else len(answers)

    @abstractmethod
    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """Grade a response against gold, 0..1, for qualification rounds and hidden gold."""

    def gradable(self, payload: JSON, gold: Example) -> bool:
        """Whether the gold is sufficient to grade a response; if not, the item cannot be hidden gold."""
        return bool(gold.answers) or gold.answerable is False

    @abstractmethod
    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        """The paper's tables as JSON, figures in 0..1 with n and 95 % interval."""

    @abstractmethod
    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The examples of a dataset created from the result: none, one or several."""

    def brief(self, payload: JSON, answer: JSON) -> str:
        """The response in a few words, for lists."""
        texts = [answer.get(name) for name in ("question", "text", "verdict", "discard")]
        return next((value for value in texts if isinstance(value, str) and value), "") or ", ".join(
            f"{name}: {value}" for name, value in answer.items() if value not in ("", None, [], {})
        )

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float | None:
        """Disagreement of the responses, 0 (all equal) to 1, for sorting lists; None if they cannot be compared."""
        return 0.0
