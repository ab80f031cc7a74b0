"""What an ablation did to a dataset, beside the paper's figures (Sugawara et al. 2020, Table 8)."""

from __future__ import annotations

from typing import Any

from annotation.pure.derivations.ablation import SHUFFLES, Counts

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


class Averages:
    """Adds up the counts of questions."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._n = self._question = self._context = self._sentences = self._dropped = self._touched = 0

    def add(self, counts: Counts) -> None:
        self._n += 1
        self._question += counts.question
        self._context += counts.context
        self._sentences += counts.sentences
        self._dropped += counts.dropped
        self._touched += counts.dropped > 0

    def figures(self) -> dict[str, Any]:
        """Averages over the questions, each counted once; a shuffle drops nothing."""
        n = max(1, self._n)
        found: dict[str, Any] = {
            "questions": self._n,
            "average tokens of a question": round(self._question / n, 1),
            "average tokens of a context": round(self._context / n, 1),
            "average sentences of a context": round(self._sentences / n, 1),
        }
        if self._number in SHUFFLES:
            return found
        found["average tokens dropped or replaced"] = round(self._dropped / n, 1)
        found["questions touched in %"] = round(100 * self._touched / n, 1)
        for name, (dropped, touched) in zip(NAMES, PAPER.get(self._number, ()), strict=False):
            found[f"the paper's {name}"] = {"average tokens dropped": dropped, "questions touched in %": touched}
        return found
