"""Evidence that answers are people's own, collected response by response: same errors, pasting, speed, absences.

A worker is marked, for a person to look at, by any of three signs. A page left marks nobody.

- same errors: same wrong answers as a model or another worker, significant over all tests of the batch (`same_errors`);
- pasting: in at least OFTEN of at least ENOUGH responses, half or more of what was entered came from elsewhere;
- speed: at least OFTEN of at least ENOUGH responses came faster than reading. The floor is the words that must be read
  at READING_SPEED, three times the speed of silent reading (Brysbaert 2019), and five seconds, so that nobody is
  marked who listens to a screen reader set to a high speed.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.pure.batches.page_counts import total
from annotation.pure.statistics.same_errors import SameErrors, WorkerTest, WrongAnswer, same_errors
from annotation.pure.statistics.significance import Q

READING_SPEED = 700  # words a minute
SETTLING = 5.0  # seconds before reading begins
OFTEN, ENOUGH = 3, 10  # responses with a sign, of how many
SAME, PASTED, FAST = "same", "pasted", "fast"  # what a worker may be marked by


def least_seconds(words: int) -> float:
    """The seconds within which nobody reads so many words."""
    return SETTLING + 60 * words / READING_SPEED


@dataclass(slots=True)
class _Signs:
    """Of one worker's responses."""

    responses: int = 0
    timed: int = 0
    fast: int = 0
    counted: list[Mapping[str, int]] = field(default_factory=list)

    def marks(self) -> list[str]:
        pasted = sum(2 * counts["pasted"] >= max(1, counts["entered"]) for counts in self.counted)
        often = {PASTED: (pasted, len(self.counted)), FAST: (self.fast, self.timed)}
        return [name for name, (number, of) in often.items() if number >= OFTEN and of >= ENOUGH]

    def has_something(self) -> bool:
        """Whether there is anything to show of the worker."""
        sums = total(self.counted)
        return bool(self.marks() or sums["pasted"] or self.fast >= OFTEN or sums["away"] >= max(OFTEN, self.responses))


@dataclass(slots=True)
class OwnAnswers:
    """What a batch's responses and predictions say. `models` are named by what they saw and their name."""

    errors: list[WrongAnswer] = field(default_factory=list)
    models: defaultdict[str, dict[Hashable, str]] = field(default_factory=lambda: defaultdict(dict))
    signs: defaultdict[str, _Signs] = field(default_factory=lambda: defaultdict(_Signs))

    def add(
        self,
        question: Hashable,
        worker: str,
        *,
        wrong: str | None,
        seconds: float,
        words: int | None,
        counts: Mapping[str, int] | None,
    ) -> None:
        """Add a response.

        `wrong`: the wrong answer; `seconds` active, 0 if unknown; `words` that must be read; `counts` of its page.
        """
        signs = self.signs[worker]
        signs.responses += 1
        if wrong is not None:
            self.errors.append(WrongAnswer(question, worker, wrong))
        if seconds > 0 and words is not None:
            signs.timed += 1
            signs.fast += seconds < least_seconds(words)
        if counts is not None:
            signs.counted.append(counts)

    def add_prediction(self, question: Hashable, model: str, wrong: str | None) -> None:
        """Add a model's prediction for a question."""
        wrongly = self.models[model]
        if wrong is not None:
            wrongly[question] = wrong

    def as_json(self, seed: int) -> dict[str, Any]:
        """{"tests", "workers", "marked", "counted"}: the tests of the batch, and the workers of whom there is
        something to show, those who are marked first; `counted`: whether pages counted pasting.
        """
        found = same_errors(self.errors, dict(sorted(self.models.items())), seed)
        closest, errors = _closest(found), Counter(error.worker for error in self.errors)
        rows = [self._worker(name, errors[name], closest.get(name)) for name in sorted(self.signs)]
        shown = [row for row in rows if row["marks"] or self.signs[row["worker"]].has_something()]
        return {
            "tests": [asdict(test) for test in found.batch],
            "workers": sorted(shown, key=lambda row: not row["marks"]),
            "marked": [row["worker"] for row in shown if row["marks"]],
            "counted": any(signs.counted for signs in self.signs.values()),
        }

    def _worker(self, name: str, errors: int, test: WorkerTest | None) -> dict[str, Any]:
        signs = self.signs[name]
        same = [SAME] if test and test.adjusted <= Q else []
        return {
            "worker": name,
            "errors": errors,
            "test": asdict(test) if test else None,
            "timed": signs.timed,
            "fast": signs.fast,
            "counts": total(signs.counted) if signs.counted else None,
            "marks": same + signs.marks(),
        }


def _closest(errors: SameErrors) -> dict[str, WorkerTest]:
    """Each worker's test with the smallest p value."""
    tests: dict[str, WorkerTest] = {}
    for test in errors.workers:
        if test.worker not in tests or test.p < tests[test.worker].p:
            tests[test.worker] = test
    return tests
