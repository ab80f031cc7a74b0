"""The base of tasks in which a worker takes decisions: what follows from their declaration."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, ClassVar

from annotation.pure.data.example import Example
from annotation.pure.ratings.model_replies import object_schema
from annotation.pure.reports.model_aspects import Aspect
from annotation.pure.statistics.agreement import mean_disagreement
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses, Judging, Labelled, Problem, Simulated, Structured, TaskType
from annotation.tasktype.decisions import Decision, decided, label_of
from annotation.tasktype.helpers.answering import unshuffled
from annotation.tasktype.helpers.report_tables import about, counted_rows, label_tables, report, text_cell


class DecisionTask(Simulated, Judging, Labelled, Structured, TaskType):
    """A response has one of `labels`, by default those of `decision`. A task overrides what is otherwise with it."""

    decision: ClassVar[Decision]  # all that the page asks, unless `decisions` says otherwise
    labels = {}
    further: ClassVar[JSON] = {}  # JSON schemas of fields of models' replies that are no decisions
    on: ClassVar[str] = _("the label")  # what workers agree on, in sentences of the report

    def __init_subclass__(cls, **about: Any) -> None:
        super().__init_subclass__(**about)
        if "decision" in vars(cls) and "labels" not in vars(cls):
            cls.labels = cls.decision.labels

    def decisions(self, payload: JSON) -> Sequence[Decision]:
        """What the page asks, in this order, of a payload as it is shown or stored."""
        return (self.decision,)

    def known(self, gold: Example) -> str:
        """The right label; "" if the gold does not tell it."""
        return ""

    def said(self, answer: JSON) -> Sequence[str]:
        """The labels of a response, one for each thing on which responses may differ."""
        return [label_of(self.labels, answer)]

    def judged(self, options: Any) -> Sequence[Aspect]:
        """The label, if it is all that the page asks."""
        if not hasattr(self, "decision"):
            return ()
        labels = {name: text_cell(label.words) for name, label in self.labels.items()}
        return (Aspect("label", text_cell(self.on), lambda answer: label_of(self.labels, answer) or None, labels),)

    def reply_schema(self, shown: JSON) -> JSON:
        """The decisions, after `further`."""
        asked = {
            one.field: one.schema if one.place is None else {"type": "array", "items": one.schema}
            for one in self.decisions(shown)
        }
        return object_schema({**self.further, **asked})

    def answer_of(self, shown: JSON, reply: Any) -> JSON:
        """The reply's fields; a number is the position of what is shown."""
        return {name: unshuffled(shown, value) for name, value in super().answer_of(shown, reply).items()}

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        return [problem for one in self.decisions(payload) for problem in one.problems(answer)]

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The most frequent label, "tied" or "undecided", and the votes for each."""
        return decided(self.labels, [label_of(self.labels, answer) for answer in answers])

    def differences(self, payload: JSON, answers: Sequence[JSON]) -> float:
        """The share of pairs of responses whose labels differ, averaged over the labels of a response."""
        return mean_disagreement(zip(*map(self.said, answers), strict=False))

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
        first, second = list(self.labels)[:2]
        known = self.known(gold) or rng.choice((first, second))
        label = known if right else second if known == first else first
        return dict(self.labels[label].holds)

    def gradable(self, payload: JSON, gold: Example) -> bool:
        return self.known(gold) in self.labels

    def grade(self, payload: JSON, answer: JSON, gold: Example) -> float:
        """1 for the right label, else 0."""
        return float(label_of(self.labels, answer) == self.known(gold))

    def report(self, hits: Iterable[HitWithResponses], options: Any, *, seed: int) -> JSON:
        """Agreement, labels by three rules of aggregation, and each worker's labels."""
        hits = list(hits)
        rows = counted_rows(hits)
        gold = {row.hit: self.known(row.example) for row in rows if self.gradable(row.payload, row.example)}
        tables = label_tables(rows, self.labels, on=self.on, seed=seed, gold=gold or None)
        return {"task": self.kind, **report(hits, tables, paragraph=about(rows))}
