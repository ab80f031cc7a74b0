"""Tables of the evidence that answers are people's own (annotation/pure/statistics/own_answers.py).

Tables are JSON as in annotation/pure/reports/tables.py; titles, notes and columns are gettext ids.
"""

from collections.abc import Mapping
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.baselines import MODELS
from annotation.pure.reports.exclusion_tables import before_and_after
from annotation.pure.reports.tables import counted, rounded, table, text_cell
from annotation.pure.statistics.own_answers import FAST, PASTED, SAME
from annotation.pure.statistics.significance import chance_text
from annotation.pure.text.translation_marks import gettext_noop as _

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
