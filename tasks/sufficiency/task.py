"""Whether two paragraphs suffice to answer the question: sufficiency of pairs (DiRe, appendix D)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import (
    JSON,
    Adaptable,
    Arranged,
    Comparable,
    Features,
    GivenResponse,
    HitWithResponses,
    Problem,
    Sampled,
    TaskType,
    Timed,
    Traced,
    Varied,
)  # fmt: skip
from annotation.tasktype.decisions import Decision, votes_for
from annotation.tasktype.helpers.answering import shuffled
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.helpers.evidence import are_spans, by_position, words_of
from annotation.tasktype.helpers.hops import reading_seconds
from annotation.tasktype.helpers.lettered_text import Stretch, lettered
from annotation.tasktype.keys import DECIDING, FRAME, Key, by_action

from .decisions import FIRM, INSUFFICIENT, SAID, SUFFICIENT, VERDICT, SufficiencyOptions, decided, pair_of
from .report import sufficiency_report

KEPT = "sufficient"  # in the `extra` of an exported item


class Sufficiency(Varied, Adaptable, Sampled, Arranged, Timed, Comparable, Traced, DecisionTask):
    title = _("Judge whether two paragraphs are sufficient")
    question = _("Are these paragraphs enough to find the answer?")
    keys = by_action(
        *FRAME,
        *DECIDING,
        *VERDICT.keys,
        Key("evidence", "e", _("Mark the selection as evidence"), _("mark evidence")),
        Key("first", "1", _("Select in the first paragraph (arrows, Shift)"), _("first paragraph")),
        Key("second", "2", _("Select in the second paragraph"), _("second")),
        Key("nothing", "x", _("Remove all evidence")),
        Key("mention", "a", _("Next mention of the answer"), _("next mention")),
    )
    needs = _("Requires a question with exactly two paragraphs, and its answer if the batch shows it.")
    meeting = "apart"
    Options = SufficiencyOptions
    shows = ("answers",)
    decision = VERDICT

    def fits(self, features: Features) -> bool:
        return features.contexts is None or 2 in features.contexts

    def asked(self, options: SufficiencyOptions) -> str:
        return self.question if options.show_answer else _("Are these paragraphs enough to answer the question?")

    def prepare(self, example: Example, options: SufficiencyOptions, rng: Random) -> JSON | None:
        """The question and its two paragraphs; skipped with any other number, or without the answer to be shown."""
        if len(example.paragraphs) != 2 or not example.question or (options.show_answer and not example.answers):
            return None
        return {
            "question": example.question,
            "answer": example.answers[0] if options.show_answer else "",
            "paragraphs": [{"title": p.title, "text": p.text} for p in example.paragraphs],
            "cannot_tell": options.cannot_tell,
            "evidence": options.evidence,
            "agreement": options.agreement,
            "votes": options.votes,
        }

    def samples_groups(self, options: SufficiencyOptions) -> bool:
        return True

    def seconds(self, payload: JSON) -> int:
        """Time to read the question and both paragraphs once."""
        texts = [paragraph["text"] for paragraph in payload["paragraphs"]]
        return reading_seconds([payload["question"], payload["answer"], *texts], least=10)

    def arrange(self, payload: JSON, rng: Random) -> JSON:
        """Shuffle the two paragraphs; `order[k]` is the payload's position of the k-th shown."""
        return shuffled(payload, "paragraphs", rng)

    def decisions(self, payload: JSON) -> tuple[Decision]:
        return (VERDICT if payload["cannot_tell"] else FIRM,)

    def known(self, gold: Example) -> str:
        """The decision by the dataset's labels; "" if they are hidden. A pair suffices if it has every support."""
        if pair := pair_of(gold):
            return pair.naive
        if gold.supports is None:
            return ""
        return SUFFICIENT if set(gold.supports) == {0, 1} else INSUFFICIENT

    def check(self, payload: JSON, answer: JSON) -> list[Problem]:
        problems = super().check(payload, answer)
        if answer["evidence"] and not (payload["evidence"] and are_spans(answer["evidence"], payload["paragraphs"])):
            problems.append(Problem("evidence", _("Evidence must be words from the two paragraphs. Mark it again.")))
        return problems

    def complete(self, payload: JSON, answer: Any) -> JSON:
        """A judgment made elsewhere as {"verdict": "sufficient" | "insufficient" | "unsure", "evidence": []}."""
        if not isinstance(answer, Mapping) or not isinstance(answer.get("verdict"), str):
            raise ValueError('needs {"verdict": "sufficient", "insufficient" or "unsure"}')
        evidence = by_position(answer.get("evidence", []), [p["title"] for p in payload["paragraphs"]])
        return super().complete(payload, {"verdict": answer["verdict"], "evidence": evidence})

    def aggregate(self, payload: JSON, answers: Sequence[JSON]) -> JSON:
        """The agreed decision by the batch's rule; one vote is enough unless a number is required."""
        verdicts = [answer["verdict"] for answer in answers]
        settled = any(answer.get("accepted") for answer in answers)  # by a requester
        kind = decided(verdicts, agreement=payload["agreement"], votes=0 if settled else payload["votes"])
        return {"kind": kind, "votes": votes_for(self.labels, verdicts), "answers": len(verdicts)}

    def imitate(self, payload: JSON, gold: Example, rng: Random, *, right: bool) -> JSON | None:
        imitated = super().imitate(payload, gold, rng, right=right)
        return imitated and {**imitated, "evidence": []}

    def report(self, hits: Iterable[HitWithResponses], options: SufficiencyOptions, *, seed: int) -> JSON:
        return {"task": self.kind, **sufficiency_report(hits, options, seed=seed)}

    def export(self, example: Example, aggregate: JSON) -> list[Example]:
        """The pair with its sufficiency if the workers agree on it; else none."""
        if aggregate["kind"] not in (SUFFICIENT, INSUFFICIENT):
            return []
        return [replace(example, extra={**example.extra, KEPT: aggregate["kind"] == SUFFICIENT})]

    def provenance(self, payload: JSON, answers: Sequence[JSON], aggregate: JSON) -> JSON:
        return {"votes": aggregate["votes"], "agreement": payload["agreement"]}

    def compare(self, payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
        supports = set(gold.supports or ())
        return {
            "columns": [
                {"verdict": one.answer["verdict"], "evidence": words_of(one.answer["evidence"], payload["paragraphs"])}
                for one in given
            ],
            "marked": any(one.answer["evidence"] for one in given),
            "labelled": self.known(gold),
            "kind": self.aggregate(payload, [one.answer for one in given])["kind"],
            "rows": [
                {
                    "title": paragraph["title"],
                    "support": k in supports,
                    "pieces": lettered(paragraph["text"], _evidence_in(k, given)),
                }
                for k, paragraph in enumerate(payload["paragraphs"])
            ],
            "words": SAID,
            "payload": payload,
        }


def _evidence_in(place: int, given: Sequence[GivenResponse]) -> Iterator[Stretch]:
    for one in given:
        for span in one.answer["evidence"]:
            if span["paragraph"] == place:
                yield span["start"], span["end"], one.worker


TASK: TaskType = Sufficiency()
