"""Score predictions against gold by the official scorers' definitions, each under its own name; count edits of words.

HotpotQA, MuSiQue and SQuAD agree on ordinary cases and differ in edge cases (yes and no, answers that are
empty after normalising, two empty supports), so every figure names its scorer. A dataset is scored by the
scorer of its format.

Questions with several correct answers have FanOutQA's accuracies (Zhu et al. 2024, FanOutQA, ACL, short papers); their
code is fanoutqa/eval/string.py and scorer.py in the repository zhudotexe/fanoutqa. *Loose* accuracy of a response is
the share of the reference answers that occur in its text, between word boundaries, both normalised; *strict* accuracy
is 1 if all of them do. Both are averaged over questions, and a missing response counts 0. Nothing is taken off for
wrong answers beside the right ones. Differences: an answer counts if any of its aliases occurs; and texts are
normalised as in SQuAD, with the commas in numbers removed, whereas FanOutQA brings words to their lemmas with spaCy.
Inflected words may therefore count there and not here.
"""

import re
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotation.pure.data.example import Example
from annotation.pure.numeric import np
from annotation.pure.text.normalization import answer_key, normalise_answer

CLOSED_ANSWERS = frozenset({"yes", "no", "noanswer"})


class Score(NamedTuple):
    """The score of one prediction, each part 0..1."""

    em: float
    f1: float
    precision: float
    recall: float


ZERO = Score(0.0, 0.0, 0.0, 0.0)
FULL = Score(1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Scorer:
    """One official scorer, by its edge cases; `name` and `version` accompany every figure made with it.

    `closed_guard`: no partial credit between yes, no or noanswer and any other answer.
    `empty_f1`: F1 of two answers that are both empty after normalising (their EM is 1 in all scorers).
    `empty_support_f1`: F1 of two empty supports (their EM is 1).
    `scores_unanswerable`: the gold of an unanswerable question is the empty answer; otherwise such a
    question is left out of the plain means (MuSiQue scores it in pairs: `human_scores.pair_scores`).
    `best_each`: with several gold answers each figure is the best over them, not precision and recall of one of them.
    `verbatim`: compare the answers as they are, for options to choose from; F1 is then EM.
    """

    name: str
    version: str = "1"
    closed_guard: bool = False
    empty_f1: float = 1.0
    empty_support_f1: float = 1.0
    scores_unanswerable: bool = False
    best_each: bool = False
    verbatim: bool = False

    @property
    def label(self) -> str:
        return f"{self.name}/{self.version}"

    def key(self, answer: str) -> str:
        """The form in which two answers count as the same."""
        return answer.strip() if self.verbatim else normalise_answer(answer)

    def gold(self, answers: Sequence[str], answerable: bool | None = None) -> tuple[str, ...] | None:
        """The answers to score against, or None if there is nothing to score (hidden, or left out)."""
        if answerable is False:
            return ("",) if self.scores_unanswerable else None
        if not answers or not self.scores_unanswerable:
            return tuple(answers) or None
        return tuple(answer for answer in answers if self.key(answer)) or ("",)

    def answer(self, prediction: str, golds: Sequence[str]) -> Score:
        """Best score against the answer and its aliases: EM and F1 each at their best.

        Precision and recall belong to the (first) alias with the best F1, or are the best too (`best_each`).
        Raises ValueError without gold.
        """
        if not golds:
            raise ValueError("there is no gold answer to score against")
        key = self.key(prediction)
        scores = [self._compare(key, self.key(gold)) for gold in golds]
        if len(scores) == 1:
            return scores[0]
        if self.best_each:
            return Score(*map(max, zip(*scores, strict=True)))
        best = max(scores, key=lambda score: score.f1)
        return best._replace(em=max(score.em for score in scores))

    def support(self, prediction: Collection[Hashable], gold: Collection[Hashable]) -> Score:
        """Overlap of two sets: paragraph positions, titles, or (title, sentence) pairs."""
        predicted, right = frozenset(prediction), frozenset(gold)
        if not predicted and not right:
            return Score(1.0, self.empty_support_f1, 0.0, 0.0)
        return _overlap(len(predicted & right), len(predicted), len(right))

    def _compare(self, prediction: str, gold: str) -> Score:
        if prediction == gold:
            return FULL if gold or self.verbatim else Score(1.0, self.empty_f1, self.empty_f1, self.empty_f1)
        if self.verbatim or (self.closed_guard and (prediction in CLOSED_ANSWERS or gold in CLOSED_ANSWERS)):
            return ZERO
        predicted, right = prediction.split(), gold.split()
        score = _overlap(_shared(predicted, right), len(predicted), len(right))
        return score._replace(em=0.0) if score.em else score  # the same words in another order


def joint(first: Score, *others: Score) -> Score:
    """HotpotQA's joint score: the products of precision, recall and EM, and the F1 of the products."""
    em, precision, recall = first.em, first.precision, first.recall
    for other in others:
        em, precision, recall = em * other.em, precision * other.precision, recall * other.recall
    both = precision + recall
    f1 = 2 * precision * recall / both if both > 0 else 0.0
    return Score(em, f1, precision, recall)


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """The size of the intersection of two bags of words; for a few words a Counter takes six times as long."""
    left: dict[str, int] = {}
    for word in second:
        left[word] = left.get(word, 0) + 1
    shared = 0
    for word in first:
        if left.get(word):
            left[word] -= 1
            shared += 1
    return shared


def _overlap(shared: int, predicted: int, gold: int) -> Score:
    if not shared:
        return ZERO
    precision, recall = shared / predicted, shared / gold
    exact = 1.0 if shared == predicted == gold else 0.0
    return Score(exact, 2 * precision * recall / (precision + recall), precision, recall)


HOTPOTQA = Scorer("hotpotqa", closed_guard=True, empty_f1=0.0, empty_support_f1=0.0)
TWOWIKI = Scorer(
    "2wikimultihopqa", version="1.1", closed_guard=True, empty_f1=0.0, empty_support_f1=0.0, best_each=True
)
MUSIQUE = Scorer("musique")
SQUAD = Scorer("squad", scores_unanswerable=True)
SQUAD_1 = Scorer("squad1.1", empty_f1=0.0)
ACCURACY = Scorer("accuracy", verbatim=True)

# Our jsonl and csv can have any dataset's records: MuSiQue's scorer supports aliases and twins.
_BY_FORMAT = {
    **dict.fromkeys(("hotpotqa", "dire", "subqa"), HOTPOTQA),
    **dict.fromkeys(("musique", "disconnection", "jsonl", "csv"), MUSIQUE),
    "2wikimultihopqa": TWOWIKI,
    "squad": SQUAD,
    "race": ACCURACY,
}


SCORED_AS = "@scored_as"  # in `extra` of an example: the format whose scorer it keeps in a dataset of another one


def scored_as(example: Example, format_name: str) -> str:
    """The format whose scorer an example has in a dataset of the format named."""
    own = example.extra.get(SCORED_AS)
    return own if isinstance(own, str) and own in _BY_FORMAT else format_name


def keeping_scorer(example: Example, format_name: str, *, within: str) -> Example:
    """The example of format `format_name` for a dataset of the format `within`, marked to keep its scorer."""
    own = scored_as(example, format_name)
    if scorer_for(own) is scorer_for(within):
        return example
    return replace(example, extra={**example.extra, SCORED_AS: own})


def scorer_for(format_name: str) -> Scorer:
    """The scorer of a dataset by the name of its format (`--format`). ValueError for an unknown name."""
    if format_name not in _BY_FORMAT:
        raise ValueError(f"no scorer for format {format_name!r}; known: {', '.join(_BY_FORMAT)}")
    return _BY_FORMAT[format_name]


AnswerSet = Sequence[Sequence[str]]  # the correct answers, each with its aliases
COMMAS = re.compile(r"(?<=\d),(?=\d)")


class Accuracy(NamedTuple):
    """Both accuracies of a response, 0..1."""

    loose: float
    strict: float


def accuracy(response: str, answers: AnswerSet) -> Accuracy:
    """The accuracies of a response, a text of any form. Raises ValueError without answers."""
    if not answers:
        raise ValueError("there are no answers to find")
    text = _normalised(response)
    found = [any(_occurs(_normalised(alias), text) for alias in aliases) for aliases in answers]
    return Accuracy(sum(found) / len(found), float(all(found)))


def _normalised(text: str) -> str:
    return normalise_answer(COMMAS.sub("", text))


def _occurs(answer: str, text: str) -> bool:
    return bool(answer) and re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def lines_of(text: str) -> list[str]:
    """The answers of a response with one on each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def key(text: str) -> str:
    """The form in which two lists of answers count as the same: order and repetitions do not matter."""
    return "\n".join(sorted({answer_key(line) for line in lines_of(text)}))


def word_edits(old: str, new: str) -> tuple[int, int]:
    """(words put in, taken out or replaced, at least, to make the new text of the old one; words of the new text).

    The quotient is a translation edit rate with the corrected text as its only reference (HTER, Snover et al. 2006;
    quoted), without moves of words, which that counts as one edit each. Words stand between white space.
    """
    one, other = old.split(), new.split()
    same = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    codes = {word: k for k, word in enumerate({*one, *other})}
    short, long = (np.array([codes[word] for word in text[same:]], dtype=np.int64) for text in (one, other))
    steps = np.arange(len(long) + 1)
    row = steps
    for k, word in enumerate(short, 1):
        taken = np.concatenate([[k], np.minimum(row[1:] + 1, row[:-1] + (long != word))])
        row = np.minimum.accumulate(taken - steps) + steps
    return int(row[-1]), len(other)
