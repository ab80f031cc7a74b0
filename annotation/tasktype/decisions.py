"""Decisions: a worker chooses one of several labels. Each is declared once, with the field that stores it.

From the declaration come the form, the page, its keys, what is missing, votes and the aggregated response
(annotation.tasktype.helpers.decision_task).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any

from annotation.pure.statistics.agreement import most_said
from annotation.tasktype.keys import Key
from annotation.tasktype.values import JSON, Label, Problem


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a decision's labels.

    `says`: on its button and of its key; `words`: in tables and comparisons; `value`: what the page posts, and the
    action of its `key`; `stored`: what a response stores. One without a key, as a `text` to read, has its number.
    """

    label: str
    says: str
    key: str = ""
    words: str = ""
    value: str = ""
    stored: Hashable = ""
    text: bool = False


def choice(label: str, says: str, key: str = "", words: str = "") -> Choice:
    """A choice that is stored as its label; tables say what its button says, or its `words`."""
    return Choice(label, says, key, words or says, value=label, stored=label)


def yes_no(yes: str, no: str, *, labels: tuple[str, str] = ("yes", "no"), words: tuple[str, str] = ("", "")) -> Any:
    """Two choices, stored as true and false."""
    return Choice(labels[0], yes, "y", words[0], "yes", True), Choice(labels[1], no, "n", words[1], "no", False)


@dataclass(frozen=True, slots=True)
class Decision:
    """A question with the labels to choose from.

    `field` of a response stores the choice, as one of a list if there is a `place` in it; `ask` is the question above
    the buttons ("": that of the task), `missing` says that the choice is; both are gettext ids, with `values`. It is
    asked only of responses with the fields of `when`.
    """

    field: str
    choices: Sequence[Choice]
    ask: str = ""
    missing: str = ""
    values: Mapping[str, Any] = made_by(default_factory=dict)
    name: str = ""  # of its controls; default: the field
    place: int | None = None
    when: Mapping[str, Any] = made_by(default_factory=dict)

    @property
    def control(self) -> str:
        return self.name or self.field

    @property
    def blank(self) -> Any:
        """What a response without a choice stores."""
        return None if isinstance(self.choices[0].stored, bool) else ""

    @property
    def labels(self) -> dict[str, Label]:
        """The labels by which responses are counted."""
        return {one.label: Label(one.words, {self.field: one.stored}) for one in self.choices}  # type: ignore[dict-item]  # stored places have no labels

    @property
    def schema(self) -> JSON:
        """The JSON schema of what a response stores; null where it is not asked."""
        stored = [one.stored for one in self.choices]
        names = {bool: "boolean", str: "string", int: "integer", type(None): "null"}
        kinds = list(dict.fromkeys(names[type(one)] for one in stored))
        given: JSON = {"type": kinds if len(kinds) > 1 else kinds[0], "enum": stored}
        return {"anyOf": [given, {"type": "null"}]} if self.when else given

    @property
    def words(self) -> dict[str, str]:
        return {one.label: one.words for one in self.choices}

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(Key(one.value, one.key, one.says) for one in self.choices if one.key)

    def chosen(self, answer: JSON) -> Choice | None:
        """The choice that a response stores; None without a valid one."""
        stored = answer.get(self.field, "")
        if self.place is not None:
            stored = stored[self.place] if isinstance(stored, list) and self.place < len(stored) else ""
        same = (one for one in self.choices if type(one.stored) is type(stored) and one.stored == stored)
        return next(same, None)

    def label(self, answer: JSON) -> str:
        found = self.chosen(answer)
        return found.label if found else ""

    def value(self, answer: JSON) -> str:
        """What the page posts for a response; "" without a choice."""
        found = self.chosen(answer)
        return found.value if found else ""

    def read(self, posted: str) -> Any:
        """What a response stores for a posted value; blank for an unknown one."""
        return next((one.stored for one in self.choices if one.value == posted), self.blank)

    def is_asked(self, answer: JSON) -> bool:
        return self.when.items() <= answer.items()

    def problems(self, answer: JSON) -> list[Problem]:
        """That the choice is missing, if it is asked for."""
        if self.chosen(answer) or not self.is_asked(answer):
            return []
        return [Problem(self.control, self.missing, self.values)]


def label_of(labels: Mapping[str, Label], answer: JSON) -> str:
    """The label whose fields a response has; "" if it has those of none."""
    return next((name for name, label in labels.items() if label.holds.items() <= answer.items()), "")


def votes_for(names: Iterable[str], given: Iterable[str]) -> dict[str, int]:
    """How often each label was given."""
    counts = Counter(given)
    return {name: counts[name] for name in names}


def decided(names: Iterable[str], given: Sequence[str]) -> JSON:
    """{"kind": the most frequent label, "tied" or "undecided", "votes" by label, "answers"}."""
    kind = (most_said(given) or "tied") if given else "undecided"
    return {"kind": kind, "votes": votes_for(names, given), "answers": len(given)}


def sameness(labels: Mapping[str, Label], answer: JSON) -> tuple[str, str]:
    """What is equal in responses that say the same: label and text, without either all of it."""
    label, text = label_of(labels, answer), " ".join(str(answer.get("text") or "").casefold().split())
    return (label, text) if label or text else ("", repr(sorted(answer.items())))
