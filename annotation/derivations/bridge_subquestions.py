"""`bridge-subquestions`: generated sub-questions with their answers, for people to verify (Tang et al. 2021)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotation.derivations.base import CannotDerive, Derivation, Derived, Source, Tally, json_lines, needs_supports
from annotation.pure.data.example import Example, Hop
from annotation.pure.derivations.subquestions import bridge_entity, filled
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop

_FORM = '{"id", "sub1", "sub2"}'
SHAPE = "bridge"


@dataclass(frozen=True)
class SubquestionOptions:
    """`generated`: path of the sub-questions; without it the source's own two hops are taken."""

    generated: str = setting(
        "",
        label=gettext_noop("Generated sub-questions"),
        help=gettext_noop(
            'A JSONL file with {"id", "sub1", "sub2"} on each line. In sub2, ____, [ANSWER] or #1 stands for '
            "the first answer. Without a file, the two hops of the dataset are used, as in a folder with the "
            "three arrays."
        ),
        kind="upload",
    )


class BridgeSubquestions(Derivation):
    how: str = "bridge-subquestions"
    title: str = gettext_noop("Sub-questions of bridge questions")
    does: str = gettext_noop(
        "Adds generated sub-questions to bridge questions, finds the bridge entity that answers the first "
        "one, and inserts it into the second one."
    )
    suffix: str = "subquestions"
    Options: type = SubquestionOptions
    rank: int = 13

    source_problem = staticmethod(needs_supports)

    def derive(self, source: Source, options: SubquestionOptions, *, seed: int, tally: Tally) -> Derived:
        """The questions whose bridge entity is identified, with two hops; nothing is random."""
        generated = generated_at(options.generated) if options.generated else None
        cases: dict[str, int] = {}
        tally.figures["how the bridge entity was found"] = cases
        for example in source.examples():
            tally.read += 1
            subquestions, case = _derived(example, generated)
            if subquestions is None:
                tally.drop(case)
                continue
            cases[case] = cases.get(case, 0) + 1
            tally.kept += 1
            yield "", subquestions


def _derived(example: Example, generated: Mapping[str, tuple[str, str]] | None) -> tuple[Example | None, str]:
    """The example with its sub-questions and how the bridge was found, or None and why not."""
    supports = tuple(sorted(set(example.supports or ())))
    if example.shape and example.shape.lower() == "comparison":
        return None, "it is a comparison, not a bridge question"
    if len(supports) != 2 or example.answer is None:
        return None, "it has not exactly two supporting paragraphs, or no answer"
    own = (example.hops[0].question, example.hops[1].question) if len(example.hops) == 2 else None
    questions = own if generated is None else generated.get(example.id)
    if questions is None:
        return None, "there are no sub-questions for it"
    gold = [example.paragraphs[k] for k in supports]
    bridge = bridge_entity(*gold, question=example.question, answer=example.answer)
    if bridge.title is None:
        return None, f"the bridge entity is not identified: {bridge.case}"
    entity = _name(gold[bridge.title].title)
    second = filled(questions[1], entity) or questions[1]
    hops = (
        Hop(questions[0], entity, supports[1 - bridge.title], example.hops[0].id if example.hops else None),
        Hop(second, example.answer, supports[bridge.title], example.hops[1].id if len(example.hops) > 1 else None),
    )
    return replace(example, hops=hops, shape=example.shape or SHAPE), bridge.case


def _name(title: str) -> str:
    """A title without the brackets at its end."""
    head, _bracket, _tail = title.partition(" (")
    return head if title.endswith(")") and head else title


def generated_at(path: str) -> dict[str, tuple[str, str]]:
    """The two sub-questions by question id. Raises CannotDerive with the invalid line's number."""
    generated: dict[str, tuple[str, str]] = {}
    for place, record in json_lines(path, what="the sub-questions", form=_FORM):
        fields = [record.get(key) for key in ("id", "sub1", "sub2")] if isinstance(record, dict) else []
        texts = [text for text in fields if isinstance(text, str) and text.strip()]
        if len(texts) != 3:
            raise CannotDerive(f"{place} is not of the form {_FORM}")
        if texts[0] in generated:
            raise CannotDerive(f"{place} names {texts[0]} once more")
        generated[texts[0]] = (texts[1], texts[2])
    return generated


DERIVATION = BridgeSubquestions()
