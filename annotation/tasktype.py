"""The contract of a task type: one question put to a person, from example to verdict.

A task type is a folder in `tasks/`; tasks/README.md says how to add one. Payloads, answers and verdicts are
JSON at rest; a folder may give them frozen dataclasses of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import field as made_by
from random import Random
from typing import Any, ClassVar

from annotation.pure.example import Example
from annotation.pure.words import gettext_noop as _

JSON = dict[str, Any]
Live = Callable[[JSON, Mapping[str, str]], JSON]
UNSETTLED = frozenset({"tied", "several", "discarded", "undecided", "split"})  # kinds of verdicts that settle nothing


@dataclass(frozen=True, slots=True)
class Problem:
    """A worker's mistake, said at the control it concerns. `message` is a gettext id with %(name)s places.

    A warning hinders a worker until they give a reason; it does not keep out an answer that was made elsewhere.
    """

    field: str
    message: str
    values: Mapping[str, Any] = made_by(default_factory=dict)
    warning: bool = False


class CannotTake(ValueError):
    """An answer that was made elsewhere has a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message % problem.values)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Remark:
    """What practice says about an answer: what was good in it, or what to do otherwise."""

    good: bool
    message: str  # a gettext id with %(name)s places
    values: Mapping[str, Any] = made_by(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Features:
    """What the datasets of a batch hold anywhere, so that a page's controls depend on no single item."""

    yes_no: bool = False
    unanswerable: bool = False
    options: bool = False
    sentences: bool = False
    paragraphs: int = 0  # of the largest context
    datasets: int = 1
    contexts: frozenset[int] | None = None  # how many paragraphs contexts have; None: not known
    hops: int | None = None  # of the longest decomposition; None: not known


@dataclass(frozen=True, slots=True)
class Given:
    """One worker's latest answer to a HIT; workers go by their pseudonyms."""

    worker: str
    answer: JSON
    seconds: float = 0.0  # of active work on it
    paid: int | None = None  # US cents that the ledger paid for it, without bonuses; None: nothing


@dataclass(frozen=True, slots=True)
class Judged:
    """A HIT with everything that is known of it once people have answered."""

    hit: str
    dataset: str
    format: str
    example: Example
    payload: JSON
    given: tuple[Given, ...]
    excluded: str = ""  # why scores leave it out; empty: they do not
    predicted: tuple[Given, ...] = ()  # models' answers to the same HIT, under the models' names
    wanted: int = 0  # how many answers the HIT asks for; 0: not known


@dataclass(frozen=True, slots=True)
class Measure:
    """What an answer is measured by against gold, in 0..1, in qualification rounds."""

    label: str  # a gettext id
    partial: bool = False  # whether it can be anything between 0 and 1


@dataclass(frozen=True, slots=True)
class Label:
    """A decision that answers are counted by, and the fields that an answer at rest holds when it decides so."""

    words: str  # a gettext id
    holds: Mapping[str, bool | str]


class Unfit(ValueError):
    """A requester's wording cannot stand; `message` is a gettext id with %(name)s places."""

    def __init__(self, message: str, **values: Any) -> None:
        super().__init__(message % values)
        self.message, self.values = message, values


class TaskType(ABC):
    """Socket 3. One instance a folder, named TASK on the last line of its task.py."""

    kind: ClassVar[str]  # the folder's name
    title: ClassVar[str]  # what requesters read
    question: ClassVar[str]  # what workers are asked, in one line
    needs: ClassVar[str]  # what an item must hold to be asked about, as a sentence, "Needs …": gettext id
    Options: ClassVar[type]  # frozen dataclass: what a requester may set per batch; fields' metadata: option_forms.py
    live: ClassVar[Mapping[str, Live]] = {}
    criteria: ClassVar[Mapping[str, str]] = {}  # what a review judges: key -> gettext id; none: no review
    writes: ClassVar[str] = ""  # what a requester who writes an answer is told: gettext id; none: they only pick
    measures: ClassVar[Mapping[str, Measure]] = {"grade": Measure(_("Grade"))}  # what a round may be passed by
    labels: ClassVar[Mapping[str, Label]] = {}  # the decisions by which requesters look answers up; none: no decisions
    launched: ClassVar[bool] = True  # whether requesters launch batches of it; else only a program makes them
    snippets: ClassVar[tuple[str, ...]] = ()  # feedback that a requester may begin from
    assignments: ClassVar[int] = 3  # how many workers a new batch asks about each item, as the task's paper did
    meeting: ClassVar[str] = "one"  # how a new batch lets members of a group meet one worker: "one", "apart" or "free"

    def options(self, stored: Mapping[str, Any]) -> Any:
        """Options from JSON at rest or the command line; raises ValueError naming an unknown or unfit one."""
        known = {f.name: f for f in fields(self.Options)}
        for name, value in stored.items():
            if name not in known:
                raise ValueError(f"{self.kind} has no option {name!r}; it has {', '.join(known) or 'none'}")
            if type(value) is int and type(known[name].default) is float:
                continue  # JSON and people write 1 for 1.0
            if type(value) is not type(known[name].default):
                raise ValueError(f"option {name} must be {type(known[name].default).__name__}, not {value!r}")
            choices = known[name].metadata.get("choices")
            if choices is not None and value not in choices:
                raise ValueError(f"option {name} must be one of {', '.join(choices)}, not {value!r}")
        return self.Options(**stored)

    def suggest(self, features: Features) -> JSON:
        """The options that fit the datasets, before a requester changes any."""
        return {}

    def fits(self, features: Features) -> bool:
        """Whether items with these features can be asked about, as far as features tell; if not, `needs` says why."""
        return True

    @abstractmethod
    def prepare(self, example: Example, options: Any, rng: Random) -> JSON | None:
        """What the worker will see, frozen when the batch is launched; None skips the example."""

    @abstractmethod
    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        """What still hinders submitting: completeness, consistency, honesty. Positions are the payload's."""

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A judgment made elsewhere as an answer at rest; raises ValueError saying what is wrong with it."""
        if not isinstance(answer, dict):
            raise ValueError("must be an object")
        for problem in self.check(payload, answer):
            if not problem.warning:
                raise CannotTake(problem)
        return answer

    def group(self, example: Example) -> str | None:
        """Who must not meet one worker freely, and what is complete only together; None: alone."""
        return example.group or None

    def single(self, options: Any) -> bool:
        """Whether a batch with these options takes one item of each group, drawn at random, instead of all."""
        return False

    def samples_groups(self, options: Any) -> bool:
        """Whether a batch's sample draws whole groups, which tell something only together, instead of items."""
        return False

    def seconds(self, payload: JSON) -> int | None:
        """How long an assignment of this HIT usually takes; None: as long as the batch says."""
        return None

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
        """What a simulated worker answers in a rehearsal, rightly or not; None: nobody can be simulated here.

        The answer passes `check`, or the simulated worker returns the HIT.
        """
        return None

    def pay(self, payload: JSON, answer: JSON | None) -> int | None:
        """US cents that this answer earns, or without one the most that any earns; None: what the batch says."""
        return None

    def least_pay(self, payload: JSON) -> int | None:
        """US cents that every answer earns, which a marketplace promises as the reward; what goes beyond is a bonus."""
        return self.pay(payload, None)

    def origins(self, payload: JSON) -> Sequence[str]:
        """Which other sites the HIT's page may show in a frame, as sources of a content security policy."""
        return ()

    def least(self, payload: JSON, answer: JSON) -> int:
        """How many answers the HIT needs at least, now that this one was given; 0: as many as it was launched for."""
        return 0

    def tutorial(self, payload: JSON | None) -> JSON | None:
        """Context of the folder's `_tutorial.html`: all of it (None), or what helps with one HIT; None: has none."""
        return None

    def feedback(self, payload: JSON, answer: JSON, gold: Example) -> list[Remark]:
        """What practice says at once about an answer that passed `check`; `gold` is the item of practice.json."""
        return []

    def afterwards(self, payload: JSON, example: Example) -> JSON | None:
        """What a worker is shown once the answer is submitted, which is then final; None: nothing."""
        return None

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """The payload in the order of one assignment. Answers keep the payload's positions."""
        return payload

    @abstractmethod
    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The verdict: what several answers mean together.

        Answers that a requester refused are not among them; `accepted` is True in one that was accepted in a review.
        Without criteria, an answer that alone was accepted comes alone: it decides, however many votes are wanted.
        """

    def unsettled(self, verdict: JSON) -> bool:
        """Whether people leave the HIT open, so that a requester is to adjudicate."""
        return bool(verdict.get("tied")) or verdict.get("kind") in UNSETTLED

    def agreeing(self, payload: JSON, answers: Sequence[JSON], verdict: JSON) -> int:
        """How many of the answers say what the verdict says; all of them where answers are no votes."""
        votes = verdict.get("votes")
        counted = votes.get(verdict["kind"]) if isinstance(votes, Mapping) else None
        return counted if isinstance(counted, int) else len(answers)

    @abstractmethod
    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """0..1 against gold, for qualification rounds and hidden gold."""

    def gradable(self, gold: Example) -> bool:
        """Whether the gold tells enough to grade an answer by; what it does not tell is no hidden gold."""
        return bool(gold.answers) or gold.answerable is False

    def measure(self, payload: JSON, answer: JSON, gold: Example, *, format: str) -> Mapping[str, float]:
        """Each of `measures` for one answer; `format` is that of the dataset, which says how it is scored."""
        return {"grade": self.grade(payload, answer, gold)}

    @abstractmethod
    def report(self, judged: Iterable[Judged], options: Any, *, seed: int) -> JSON:
        """The paper's tables as JSON, figures in 0..1 with n and 95 % interval."""

    @abstractmethod
    def export(self, example: Example, verdict: JSON) -> list[Example]:
        """What the dataset looks like after the verdict: none, one or several examples."""

    def compare(self, payload: JSON, given: Sequence[Given], gold: Example) -> JSON:
        """What the folder's `_compare.html` shows a requester: the answers to a HIT side by side against gold.

        `columns` holds one entry for each given answer; its `worker` is the name that the page uses.
        """
        return {"columns": [{} for _answer in given]}

    def doubt(self, payload: JSON, answers: Sequence[JSON], gold: Example) -> JSON | None:
        """What people agree on against gold, {"text" ("": no answer), "votes", "answers"}; None where they do not."""
        return None

    def brief(self, payload: JSON, answer: JSON) -> str:
        """The answer in a few words, for lists that requesters read."""
        told = [answer.get(name) for name in ("question", "text", "verdict", "discard")]
        return next((value for value in told if isinstance(value, str) and value), "") or ", ".join(
            f"{name}: {value}" for name, value in answer.items() if value not in ("", None, [], {})
        )

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """How much the answers disagree, 0 (all alike) to 1: the order of the review list."""
        return 0.0

    def edited(self, payload: JSON, answer: JSON, text: str) -> JSON:
        """The answer with the requester's wording in place of the worker's; for task types with criteria or `writes`.

        It takes what `review` gives as `text`, passes `check`, and raises Unfit for a wording that cannot stand.
        """
        raise NotImplementedError(f"{self.kind} has nothing to edit")

    def review(self, payload: JSON, answer: JSON) -> JSON:
        """Context of the folder's `_review.html`; `text` is the wording, as `edited` takes it; "": nothing to edit."""
        return {"text": ""}

    def provenance(self, payload: JSON, answers: Sequence[JSON], verdict: JSON) -> JSON:
        """What an exported example should say of how it came to be, besides who, when and where."""
        return {}
