"""`ablation:1` to `ablation:14`: the dataset without one kind of features (annotation.pure.derivations.ablation).

Items keep the id and group of their question, so that no worker gets two ablations of one question, or an ablation
and the original.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from annotation.derivations import base
from annotation.derivations.base import (
    CannotDerive,
    Derivation,
    DerivationGroup,
    Derived,
    Features,
    Source,
    Tally,
    needs_options,
)
from annotation.pure.data.example import Example, option_of
from annotation.pure.derivations.ablation import (
    ABLATION,
    ABLATIONS,
    ORIGINAL,
    SEEDED,
    SHUFFLES,
    Ablated,
    Counts,
    ablate,
    gold_span,
)
from annotation.pure.derivations.ablation_text import UNKNOWN
from annotation.pure.setting_fields import setting
from annotation.pure.statistics.metrics import ACCURACY, scored_as, scorer_for
from annotation.pure.text.spans import Span, cut
from annotation.pure.text.translation_marks import gettext_noop

NO_CONTEXT = 14  # drops the whole context, so it only applies to questions with options
MOST_SEEDS = 50


def _seeds(default: int, most: int) -> Any:
    return setting(
        default,
        label=gettext_noop("Seeds"),
        help=gettext_noop(
            "Repeats each question once for each seed, as one group. Use five for models, as the paper "
            "averages them, and one for people. Ablations without randomness need only one."
        ),
        least=1,
        most=most,
    )


@dataclass(frozen=True)
class AblationOptions:
    """`solved`: path of predictions on the original; `sample`: how many questions to draw, 0 for all."""

    solved: str = setting(
        "",
        label=gettext_noop("Keep only what a model solves: its predictions on the original"),
        help=gettext_noop(
            'JSONL with {"id", "predicted_answer"} on each line, or one object {id: answer}. Questions '
            "without a fully correct answer are left out."
        ),
        kind="upload",
    )
    sample: int = setting(
        0,
        label=gettext_noop("Number of questions"),
        help=gettext_noop("0 keeps all. The same seed draws the same questions for every ablation. The paper drew 20."),
        least=0,
    )
    seeds: int = _seeds(1, 1)


@dataclass(frozen=True)
class SeededOptions(AblationOptions):
    """The same of an ablation that leaves something to chance."""

    seeds: int = _seeds(1, MOST_SEEDS)


@dataclass(frozen=True)
class ShuffleOptions(AblationOptions):
    """The same with five seeds to begin with."""

    seeds: int = _seeds(5, MOST_SEEDS)  # as the paper averages them


@dataclass
class Ablation(Derivation):
    """A derivation that applies one of `ABLATIONS`."""

    number: int
    does: str
    how: str = field(init=False)
    title: str = field(init=False)
    suffix: str = field(init=False)
    Options: type = AblationOptions
    group: DerivationGroup = base.ABLATIONS
    rank = 14
    alters = True

    def __post_init__(self) -> None:
        self.how, self.suffix = f"ablation:{self.number}", f"ablation-{self.number}"
        self.title = TITLES[self.number]
        seeded = SeededOptions if self.number in SEEDED else AblationOptions
        self.Options = ShuffleOptions if self.number in SHUFFLES else seeded

    def source_problem(self, features: Features) -> str:
        return needs_options(features) if self.number == NO_CONTEXT else ""

    def derive(self, source: Source, options: AblationOptions, *, seed: int, tally: Tally) -> Derived:
        """All instances of a question in a row, under its id and as one group."""
        chosen = _chosen(source, options, self.number, seed=seed, tally=tally)
        averages = Averages(self.number)
        for position, example in enumerate(source.examples()):
            if position not in chosen:
                continue
            ablated = [_made(example, self.number, seed + k) for k in range(options.seeds)]
            if any(len(set(one.options)) < len(set(example.options)) for one, _ in ablated):
                tally.drop("two of its options read the same")
                continue
            averages.add(ablated[0][1].counts)
            tally.kept += len(ablated)
            tally.tick()
            yield from (("", one) for one, _ in ablated)
        tally.figures |= averages.figures()


def _chosen(source: Source, options: AblationOptions, number: int, *, seed: int, tally: Tally) -> set[int]:
    """The positions of the questions to ablate; the others are dropped with the reason."""
    solved = fully_solved(source, options.solved) if options.solved else None
    fit = []
    for position, example in enumerate(source.examples()):
        tally.read += 1
        if reason := _drop_reason(example, number):
            tally.drop(reason)
        elif solved is not None and position not in solved:
            tally.drop("the model does not solve it fully on the original")
        else:
            fit.append(position)
    if not options.sample or options.sample >= len(fit):
        return set(fit)
    drawn = Random(f"{seed}/sample").sample(fit, options.sample)
    tally.dropped["it was not drawn"] = len(fit) - len(drawn)
    return set(drawn)


def _drop_reason(example: Example, number: int) -> str:
    if not example.question.strip() or not example.paragraphs:
        return "it has no question or no context"
    if example.answerable is False:
        return "it is unanswerable"
    if number == NO_CONTEXT and not example.options:
        return "it has no options, and without its context there is nothing else to answer by"
    if example.options or not example.answers:
        return "" if example.options else "its answer is not known"
    return "" if gold_span(example) else "its answer is no span of the context and there are no options"


def _made(example: Example, number: int, seed: int) -> tuple[Example, Ablated]:
    ablated = ablate(example, number, seed=seed, gold=_noted_gold(example))
    gold, texts = ablated.gold, [p.text for p in ablated.example.paragraphs]
    answers = dict.fromkeys(ablated.example.answers)
    reads = (cut(texts, gold) or "") if gold else ""
    if reads.replace(UNKNOWN, "").strip():
        answers[reads] = None  # the answer as the ablated text has it, because a span model can return nothing else
    applied = {
        "number": number,
        "seed": seed if number in SEEDED else None,
        "dropped": ablated.counts.dropped,
        "gold": gold._asdict() if gold else None,
    }
    original = {
        "question": example.question,
        "paragraphs": [paragraph.text for paragraph in example.paragraphs],
        "options": list(example.options),
    }
    group, extra = example.group or example.id, {**example.extra, ABLATION: applied, ORIGINAL: original}
    return replace(ablated.example, answers=tuple(answers), group=group, extra=extra), ablated


def _noted_gold(example: Example) -> Span | None:
    """The answer's span by the `answer_start` noted from a SQuAD file; None if there is none or it does not match."""
    note = example.extra.get("@squad")
    fields = note.get("fields") if isinstance(note, dict) else None
    answers = fields.get("answers") if isinstance(fields, dict) else None
    if example.options or not isinstance(answers, list) or len(example.paragraphs) != 1:
        return None
    for answer in answers:
        start = answer.get("answer_start") if isinstance(answer, dict) else None
        if type(start) is int and answer.get("text") == example.answer:
            span = Span(0, start, start + len(example.answer or ""))
            return span if cut([example.paragraphs[0].text], span) == example.answer else None
    return None


TITLES = {
    1: gettext_noop("Ablation 1: question interrogatives only"),
    2: gettext_noop("Ablation 2: function words only"),
    3: gettext_noop("Ablation 3: content words only"),
    4: gettext_noop("Ablation 4: vocabulary anonymization"),
    5: gettext_noop("Ablation 5: most similar sentences only"),
    6: gettext_noop("Ablation 6: context words shuffled"),
    7: gettext_noop("Ablation 7: sentence words shuffled"),
    8: gettext_noop("Ablation 8: sentence order shuffled"),
    9: gettext_noop("Ablation 9: dummy numerics"),
    10: gettext_noop("Ablation 10: logical words dropped"),
    11: gettext_noop("Ablation 11: pronoun words dropped"),
    12: gettext_noop("Ablation 12: causal words dropped"),
    13: gettext_noop("Ablation 13: drop all Q words"),
    14: gettext_noop("Ablation 14: drop all C words"),
}
DOES = {
    1: gettext_noop("Keeps only the interrogatives of the question: what, who, when, how and similar words."),
    2: gettext_noop("Keeps only the function words of the context."),
    3: gettext_noop("Drops the function words of the context."),
    4: gettext_noop("Replaces every word with its part of speech and a number. Each lemma has its own number."),
    5: gettext_noop("Keeps only the sentences that share the most words with the question."),
    6: gettext_noop("Shuffles the words of each paragraph. The answer stays in one piece."),
    7: gettext_noop("Shuffles the words of each sentence, except its last token. The answer stays in one piece."),
    8: gettext_noop("Shuffles the sentences of each paragraph."),
    9: gettext_noop("Replaces the numerals of the context with random numbers."),
    10: gettext_noop("Drops all, any, each, every, few, if, more, most, no, nor, not, other, same, some and than."),
    11: gettext_noop("Drops the personal and possessive pronouns of the context."),
    12: gettext_noop("Drops as, because, cause, since, therefore and why."),
    13: gettext_noop("Drops the whole question. Only the context and the options remain."),
    14: gettext_noop("Drops the whole context of questions with options. Only the question and the options remain."),
}

DERIVATION: tuple[Ablation, ...] = tuple(Ablation(number, DOES[number]) for number in ABLATIONS)


# (average tokens dropped, per cent of questions touched) of SQuAD 1.1, SQuAD 2.0 and RACE
PAPER = {
    1: ((10.7, 100.0), (10.4, 100.0), (10.6, 100.0)),
    2: ((76.6, 100.0), (78.5, 100.0), (146.5, 100.0)),
    3: ((50.8, 100.0), (52.7, 100.0), (132.6, 100.0)),
    5: ((105.0, 97.8), (109.8, 98.5), (288.0, 99.8)),
    9: ((5.7, 86.3), (5.3, 83.4), (6.2, 90.0)),
    10: ((2.1, 75.7), (2.5, 78.8), (7.6, 97.2)),
    11: ((2.3, 72.6), (1.9, 70.8), (19.4, 99.1)),
    12: ((1.4, 66.5), (1.5, 69.5), (2.3, 78.2)),
}
NAMES = ("SQuAD 1.1", "SQuAD 2.0", "RACE")


@dataclass
class Averages:
    """Sums of the counts of questions, of which `figures` are the averages."""

    number: int
    questions: int = 0
    touched: int = 0
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, counts: Counts) -> None:
        self.questions += 1
        self.touched += counts.dropped > 0
        self.sums.update(asdict(counts))

    def figures(self) -> dict[str, Any]:
        """Averages over the questions, each counted once; a shuffle drops nothing."""
        n = max(1, self.questions)
        average = {name: round(self.sums[name] / n, 1) for name in ("question", "context", "sentences", "dropped")}
        result: dict[str, Any] = {
            "questions": self.questions,
            "average tokens of a question": average["question"],
            "average tokens of a context": average["context"],
            "average sentences of a context": average["sentences"],
        }
        if self.number in SHUFFLES:
            return result
        result["average tokens dropped or replaced"] = average["dropped"]
        result["questions touched in %"] = round(100 * self.touched / n, 1)
        for name, (dropped, touched) in zip(NAMES, PAPER.get(self.number, ()), strict=False):
            result[f"the paper's {name}"] = {"average tokens dropped": dropped, "questions touched in %": touched}
        return result


_FORM = '{"id", "predicted_answer"} on each line, or one object {id: answer}'


def fully_solved(source: Source, path: str) -> set[int]:
    """The positions of the questions whose prediction has F1 1. Raises CannotDerive for an unreadable file.

    The scorer is that of the question's format; options are compared as they are, or named by their letters.
    """
    predicted = _predictions(path)
    positions, met = set(), 0
    for position, example in enumerate(source.examples()):
        met += example.id in predicted
        if example.id in predicted and example.answers:
            answer = _answer(predicted[example.id], example)
            scorer = ACCURACY if example.options else scorer_for(scored_as(example, source.format))
            if scorer.answer(answer, example.answers).f1 == 1:
                positions.add(position)
    if not met:
        raise CannotDerive(f"none of the predictions has the id of a question of {source.name}")
    return positions


def _answer(text: str, example: Example) -> str:
    try:
        return option_of(text, example.options) if example.options else text
    except ValueError as beyond:
        raise CannotDerive(f"the prediction for {example.id} cannot be read: {beyond}") from None


def _predictions(path: str) -> dict[str, str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        return dict(_pairs(text))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, CannotDerive):
            raise
        raise CannotDerive(f"the predictions cannot be read: {error}; give {_FORM}") from error


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    whole = _whole(text)
    if isinstance(whole, dict) and "predicted_answer" not in whole:
        rows: Any = [(1, item) for item in whole.items()]
    else:
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows = [(number, _row(json.loads(line))) for number, line in lines]
    for number, (item_id, answer) in rows:
        if not isinstance(item_id, str) or not isinstance(answer, str):
            raise CannotDerive(f"line {number} of the predictions does not have the form {_FORM}")
        yield item_id, answer


def _row(value: Any) -> tuple[Any, Any]:
    return (value.get("id"), value.get("predicted_answer")) if isinstance(value, dict) else (None, None)


def _whole(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
