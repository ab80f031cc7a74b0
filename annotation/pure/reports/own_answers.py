"""Evidence that answers are people's own, collected response by response: same errors, pasting, speed, absences.

A worker is marked, for a person to look at, by any of three signs. A page left marks nobody.

- same errors: same wrong answers as a model or another worker, significant over all tests of the batch (`same_errors`);
- pasting: in at least OFTEN of at least ENOUGH responses, half or more of what was entered came from elsewhere;
- speed: at least OFTEN of at least ENOUGH responses came faster than reading. The floor is the words that must be read
  at READING_SPEED, three times the speed of silent reading (Brysbaert 2019), and five seconds, so that nobody is
  marked who listens to a screen reader set to a high speed.

Tables are JSON as in annotation/pure/reports/tables.py; titles, notes and columns are gettext ids.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from annotation.pure.batches.page_counts import total
from annotation.pure.data.example import JSON
from annotation.pure.reports.baselines import MODELS
from annotation.pure.reports.exclusion_tables import before_and_after
from annotation.pure.reports.tables import counted, rounded, table, text_cell
from annotation.pure.statistics.same_errors import SameErrors, WorkerTest, WrongAnswer, same_errors
from annotation.pure.statistics.significance import Q, chance_text
from annotation.pure.text.translation_marks import gettext_noop as _

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


KEY = "own_answers"  # in a report
WITHOUT = "without_marked"  # in a report: the figures without the workers who are marked
TITLE = _("Evidence that answers are people’s own")
BY_WORKER = _("by worker")
SCORES = _("with and without the marked workers")
HOW = _(
    "Errors are answers with F1 below 0.5. Under the null hypothesis, wrong answers to a question are exchangeable "
    "among the workers who gave them, so a popular wrong answer is no evidence."
)
REPEATS = _(
    "Repeats: pairs of questions on which the same worker gave the model’s wrong answer, or the same two workers gave "
    "the same one. n counts wrong answers, or pairs of them; p is one-sided, by permutation."
)
LIMITS = _(
    "A small p rules out chance, but neither a common source nor the same misreading, and does not say who copied. "
    "Without errors there is no evidence. No response should be rejected because of this alone."
)
NOBODY = _("No worker is marked, so there is no second human score without them.")
MARKS = {SAME: _("same errors"), PASTED: _("pasting"), FAST: _("speed")}
RULES = _(
    "Marked for a person to look at: same wrong answers with an adjusted p of at most 0.05 (the closest model or "
    "worker; Benjamini–Hochberg over all workers with at least 15 errors), or 3 of at least 10 responses that came "
    "faster than the supporting paragraphs can be read (700 words a minute, and 5 s)."
)
PASTING_RULE = _(
    "Or 3 of at least 10 responses of which at least half the text was pasted from elsewhere. Nobody is marked for "
    "leaving the page."
)
UNCOUNTED = _("The batch did not count pasting and time away from the page.")


def own_answer_tables(content: Mapping[str, Any]) -> list[JSON]:
    """The tests of the batch, the workers of whom there is something to show, and the scores without those marked."""
    found = content.get(KEY)
    if not found:
        return []
    result = [_tests(found)]
    if found["workers"]:
        result.append(_workers(found))
    return [*result, *_scores(content)]


def _tests(found: JSON) -> JSON:
    rows = [
        [_other(test["model"]), test["n"], test["same"], test["repeats"], rounded(test["expected"], 1), _p(test["p"])]
        for test in found["tests"]
    ]
    columns = [_("Same wrong answers as"), "n", _("The same"), _("Repeats"), _("Expected repeats"), "p"]
    n = len(found["marked"])
    marked = counted(n, _("One worker is marked below."), _("%(n)s workers are marked below.")) if n else NOBODY
    numbers = [False, *[True] * 5]
    return _table("own-answers", columns, rows, [HOW, REPEATS, LIMITS, marked]) | {"numbers": numbers}


def _other(model: str, worker: str = "") -> Any:
    """What a test compares with: a model, by what it saw, or another worker."""
    shown, _slash, name = model.partition("/")
    if name:
        return text_cell(MODELS[shown], model=name) if shown else name
    return text_cell(_("worker %(worker)s"), worker=worker) if worker else text_cell(_("another worker"))


def _p(chance: float | None) -> str | None:
    return None if chance is None else chance_text(chance)


def _workers(found: JSON) -> JSON:
    columns = [_("Worker"), _("Marked by"), _("Errors"), _("Same wrong answers as"), _("The same")]
    columns += [_("Expected by chance"), _("Adjusted p"), _("Faster than reading")]
    if found["counted"]:
        columns += [_("Pasted characters"), _("Page left"), _("Minutes away")]
    rows = [_worker(row, found["counted"]) for row in found["workers"]]
    note = [RULES, PASTING_RULE if found["counted"] else UNCOUNTED]
    of = [{"worker": row["worker"]} for row in found["workers"]]
    leading: list[JSON | None] = [{}, None, {}, *[None] * (len(columns) - 3)]  # to the worker's responses
    more = {"variant": BY_WORKER, "leads": True, "of": of, "of_columns": leading}
    numbers = [column not in TEXTS for column in columns]
    return _table("own-answers-workers", columns, rows, note) | more | {"numbers": numbers}


TEXTS = {_("Worker"), _("Marked by"), _("Same wrong answers as")}  # columns


def _worker(row: JSON, counts: bool) -> list[Any]:
    test = row["test"]
    same: list[Any] = [None] * 4
    if test:
        share, expected = _of(test["same"], test["n"]), rounded(test["expected"], 1)
        same = [_other(test["model"], test["other"]), share, expected, _p(test["adjusted"])]
    fast = _of(row["fast"], row["timed"]) if row["timed"] else None
    cells = [row["worker"], _marked_by(row["marks"]), row["errors"], *same, fast]
    return [*cells, *_counts(row["counts"])] if counts else cells


def _of(number: int, total: int) -> str:
    return f"{number}/{total}"


def _marked_by(marks: list[str]) -> JSON | None:
    if not marks:
        return None
    names = {f"mark{k}": text_cell(MARKS[mark]) for k, mark in enumerate(marks)}
    return text_cell(", ".join(f"%({name})s" for name in names), **names)


def _counts(sums: Mapping[str, int] | None) -> list[Any]:
    """Characters pasted from elsewhere with their share, absences and their minutes."""
    if sums is None:
        return [None] * 3
    pasted = str(sums["pasted"])
    if sums["pasted"]:
        pasted += f" ({100 * sums['pasted'] / sums['entered']:.0f} %)"
    return [pasted, sums["away"], round(sums["away_seconds"] / 60)]


def _scores(content: Mapping[str, Any]) -> list[JSON]:
    """The human score of each dataset with and without the workers who are marked; of other tasks, what changes."""
    without = content.get(WITHOUT)
    if not without:
        return []
    if "datasets" not in without:
        changed = before_and_after(without["tables"], content.get("tables") or [])
        columns = [_("With the marked workers"), _("Without them")]
        named = {"name": "own-answers-scores", "title": TITLE, "variant": SCORES, "note": ""}
        return [each | named | {"columns": [*each["columns"][:2], *columns]} for each in changed]
    rows = []
    for name in content["datasets"]:
        for words, report in ((_("with all workers"), content), (_("without the marked workers"), without)):
            part = report["datasets"][name]
            cells = [part[of]["human_score"][kind] for of in ("answer", "support") for kind in ("em", "f1")]
            rows.append([name, text_cell(words), part["n"], report["k"], *cells])
    columns = [_("Dataset"), _("Human score"), "n", "k", "EM", "F1", "EM", "F1"]
    spans = [["", 4], [_("Answer"), 2], [_("Support"), 2]]
    note = [_("In percent, with 95 % intervals in brackets."), _("The human score as in “Human performance”.")]
    return [_table("own-answers-scores", columns, rows, note) | {"variant": SCORES, "spans": spans}]


def _table(name: str, columns: list[str], rows: list[list[Any]], note: list[Any]) -> JSON:
    return table(name, TITLE, columns, rows, note, bars=False, leads=False)
