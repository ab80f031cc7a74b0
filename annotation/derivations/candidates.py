"""`candidates`: models' answers for people to judge beside the reference, most of which exact match calls wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from annotation.derivations.base import CannotDerive, Derivation, Derived, Features, Source, Tally
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import setting
from annotation.pure.statistics.metrics import ACCURACY, Score, scored_as, scorer_for
from annotation.pure.text.normalization import normalise_answer
from annotation.pure.text.translation_marks import gettext_noop

CANDIDATE, GIVEN_BY, MATCHES, F1 = "candidate", "given_by", "exact_match", "f1"  # in `extra` of an item
SYSTEMS = "systems"  # in the figures of the derivation's report
NO_ANSWERS = gettext_noop("None of its questions has an answer.")


@dataclass(frozen=True)
class CandidateOptions:
    """`predictions`: names of models with commas between them; `control`: a share of the answers that match."""

    predictions: str = setting(
        "",
        label=gettext_noop("Models"),
        help=gettext_noop(
            "Names of models whose predictions were imported for this dataset, with commas between them."
        ),
        required=True,
        length=2000,
    )
    control: float = setting(
        0.1,
        label=gettext_noop("Share of the answers that match"),
        help=gettext_noop(
            "All answers that exact match calls wrong are asked about, and of the others this share: 1 asks about all."
        ),
        least=0,
        most=1,
    )


class Candidates(Derivation):
    how: str = "candidates"
    title: str = gettext_noop("Models' answers to judge")
    does: str = gettext_noop(
        "Makes an item of each question and distinct answer of some models, for the rubric same-answer."
    )
    suffix: str = "candidates"
    Options: type = CandidateOptions
    rank: int = 17

    def source_problem(self, features: Features) -> str:
        return "" if features.get("answers") else NO_ANSWERS

    def derive(self, source: Source, options: CandidateOptions, *, seed: int, tally: Tally) -> Derived:
        """Answers are distinct if the official scorers compare them as different. `extra` has the answer, the models
        that gave it, whether it matches and its F1; no rubric but one that names these shows them. The tally's figure
        `systems` counts the questions of each model, and of these the answers that match and the empty ones.
        """
        rng, counts = Random(seed), {"wrong": 0, "control": 0, "matching": 0}
        names = list(dict.fromkeys(filter(None, map(str.strip, options.predictions.split(",")))))
        if not names:
            raise CannotDerive("name at least one model: --option predictions=MODEL")
        given = {name: source.predictions(name) for name in names}
        systems = {name: {"questions": 0, "matching": 0, "unanswered": 0} for name in names}
        for position, example in enumerate(source.examples()):
            tally.read += 1
            if not example.answers:
                tally.drop("it has no answer")
                continue
            made, answers = 0, {name: told[position] for name, told in given.items() if position in told}
            for name, answer in answers.items():
                systems[name]["questions"] += 1
                systems[name]["unanswered"] += not answer.strip()
            for candidate, models in _distinct(answers):
                score = _score(candidate, example, source.format)
                matches = score.em == 1
                counts["matching" if matches else "wrong"] += 1
                for name in models:
                    systems[name]["matching"] += matches
                if matches and rng.random() >= options.control:
                    continue
                counts["control"] += matches
                made += 1
                extra = {CANDIDATE: candidate, GIVEN_BY: models, MATCHES: matches, F1: score.f1}
                one = replace(example, id=f"{example.id}--{made}", extra={**example.extra, **extra})
                yield "", replace(one, group=example.group or example.id)
            tally.kept += made
            if not made:
                tally.drop("no model has an answer to it that is asked about")
        tally.figures |= {**counts, SYSTEMS: systems}


def _distinct(answers: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """(answer, models that gave it), as the first of them wrote it; without empty ones."""
    found: dict[str, tuple[str, list[str]]] = {}
    for model, answer in answers.items():
        if answer.strip():
            found.setdefault(normalise_answer(answer) or answer.strip(), (answer.strip(), []))[1].append(model)
    yield from found.values()


def _score(candidate: str, example: Example, format: str) -> Score:
    scorer = ACCURACY if example.options else scorer_for(scored_as(example, format))
    return scorer.answer(candidate, example.answers)


DERIVATION = Candidates()
