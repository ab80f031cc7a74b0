"""What a reader should know of a table, a column, a chart or a headline figure of a report.

Each kind of figure has one entry, by the name of its table or chart: in `figure_texts`, or for a task's own tables in
`explained.toml` of its folder. What stands above the entries of a file holds for those that say nothing else. Texts are
gettext ids. `sections` has all of them in the order of the guide.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import Translate
from annotation.pure.text.translation_marks import gettext_noop as _

# Whom intervals are about, by what they resample.
WHOM = {
    "items": _("These workers, on items like these. Other workers may differ by more than the interval."),
    "crossed": _("Workers and items like these: the interval is about both."),
    "mixed": _("The interval over annotators and items: workers and items like these. The range: these responses."),
    "enough": _(
        "From seven annotators on: workers and items like these. With fewer: these workers on items like these."
    ),
    "worker": _("Each worker alone, on items like theirs. The interval says nothing of other workers."),
    "workers": _("Workers like these on these items: the interval resamples workers."),
    "none": _("These responses only; there is no interval."),
    "compared": _("Workers and items like these. A single worker or a model is taken as given: items like theirs."),
    "plan": _("Studies of this plan: the interval is that of the simulation."),
    "paper": _(
        "Ours: workers and items like these; “items only” where all values are equal. The paper's: its own sample."
    ),
}

# The rows that figures are computed from; the keys of counts in a report (flow/reports/collected_responses).
ROWS = {
    "items": (_("%(n)s HIT that counts"), _("%(n)s HITs that count"), _("HITs that count")),
    "responses": (_("%(n)s response that counts"), _("%(n)s responses that count"), _("responses that count")),
    "several": (
        _("%(n)s HIT with two or more responses"),
        _("%(n)s HITs with two or more responses"),
        _("HITs with two or more responses"),
    ),
    "labelled": (
        _("%(n)s HIT with a label in the source"),
        _("%(n)s HITs with a label in the source"),
        _("HITs with a label in the source"),
    ),
    "scored": (_("%(n)s scored HIT"), _("%(n)s scored HITs"), _("HITs that are scored")),
    "hits": (_("%(n)s HIT of the batch"), _("All %(n)s HITs of the batch"), _("all HITs of the batch")),
    "excluded": (_("%(n)s excluded HIT"), _("%(n)s excluded HITs"), _("excluded HITs")),
    "accepted": (_("%(n)s assignment"), _("%(n)s assignments"), _("assignments")),
    "began": (
        _("%(n)s worker who accepted a HIT"),
        _("%(n)s workers who accepted a HIT"),
        _("workers who accepted a HIT"),
    ),
    "answered": (
        _("%(n)s HIT with responses, excluded or not"),
        _("%(n)s HITs with responses, excluded or not"),
        _("HITs with responses, excluded or not"),
    ),
    "answers": (_("%(n)s HIT with an answer"), _("%(n)s HITs with an answer"), _("HITs with an answer")),
    "blocked": (
        _("%(n)s response whose block is recorded"),
        _("%(n)s responses whose block is recorded"),
        _("responses whose block is recorded"),
    ),
    "placed": (_("%(n)s response given here"), _("%(n)s responses given here"), _("responses given here")),
    "predicted": (_("items with a prediction"), _("items with a prediction"), _("items with a prediction")),
    "checks": (_("hidden gold"), _("hidden gold"), _("hidden gold")),
    "decisions": (_("adjudicated HITs"), _("adjudicated HITs"), _("adjudicated HITs")),
    "batches": (_("the batches’ reports"), _("the batches’ reports"), _("the batches’ reports")),
    "answerers": (_("the batch’s items"), _("the batch’s items"), _("the batch’s items")),
    "datasets": (_("the datasets’ items"), _("the datasets’ items"), _("the datasets’ items")),
    "simulations": (_("simulated studies"), _("simulated studies"), _("simulated studies")),
    "study": (_("the HITs of each batch"), _("the HITs of each batch"), _("the HITs of each batch")),
}

RESULTS = _("Results")
# What a table is about, in the order of a report, by its rows, whom it is about, or its key; else `RESULTS`.
SUBJECTS = {
    RESULTS: frozenset[str](),
    _("Agreement"): frozenset({"several", "decisions"}),
    _("Models"): frozenset({"predicted"}),
    _("Workers"): frozenset({"worker", "workers", "began", "accepted", "people", "confusion", "pay-by-worker"})
    | {"own-answers", "own-answers-workers", "own-answers-scores"},
    _("Time and order"): frozenset({"blocked", "placed", "progress"}),
    _("Excluded HITs"): frozenset({"excluded", "hits", "answered"}),
}

# What changes a figure, where `changes` names it.
CHANGES = {
    "responses": _("More responses, excluding a HIT. Decisions on single responses change nothing."),
    "scores": _(
        "More responses, excluding a HIT, another rule for ties. Decisions on single responses change nothing."
    ),
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """One kind of figure: its name, whom it is about, how it is computed, from which rows, and what changes it."""

    title: str
    whom: str  # one of WHOM
    how: str
    rows: str  # one of ROWS
    changes: str
    source: str = ""  # paper and section, as written in references: not translated
    columns: Mapping[str, str] = field(default_factory=dict)  # columns that need their own entry: gettext id to key


Entries = Mapping[str, Explanation]


@dataclass(frozen=True, slots=True)
class Chapter:
    """The entries of one place, as a section of the guide; `key` begins their anchors."""

    key: str
    title: str
    entries: Entries

    def anchor(self, name: str) -> str:
        return f"{self.key}-{name}"


def read(file: Path) -> dict[str, Explanation]:
    """The entries of a file of explanations; `changes` is one of CHANGES, by default "responses", or a text."""
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    shared = {"changes": "responses"} | {name: value for name, value in content.items() if isinstance(value, str)}
    given: dict[str, dict[str, Any]] = {
        key: shared | entry for key, entry in content.items() if isinstance(entry, dict)
    }
    return {
        key: Explanation(**entry | {"changes": CHANGES.get(entry["changes"], entry["changes"])})
        for key, entry in given.items()
    }


@cache
def chapter(key: str) -> Chapter:
    """The explanations of tables that no task has for itself, by the file in `figure_texts`."""
    file = Path(__file__).with_name("figure_texts") / f"{key}.toml"
    return Chapter(key, tomllib.loads(file.read_text(encoding="utf-8"))["title"], read(file))


VARIANTS = ("corrected-", "with-excluded-")  # before names of tables that show the same of other rows
# Charts that are not named after the table whose figures they draw.
CHARTS = {
    **{f"{part}-by-dataset": "human-performance" for part in ("answer", "support")},
    **{f"{part}-by-{cut}": cut for part in ("answer", "support") for cut in ("hops", "shape")},
    **{f"{part}-by-count": "by-count" for part in ("answer", "support")},
}


def key_of(name: str, study: str = "") -> str:
    """The key of a table or chart: its name without a dataset at its end and a variant at its beginning."""
    plain = name.removesuffix(f"-{study}") if study else name
    for variant in VARIANTS:
        plain = plain.removeprefix(variant)
    return CHARTS.get(plain, plain)


def table_key(table: Mapping[str, Any]) -> str:
    """The key of a table's explanation."""
    return str(table.get("kind") or key_of(table["name"], table.get("study", "")))


def found(chapters: Iterable[Chapter], key: str) -> tuple[Chapter, Explanation] | None:
    """The entry of this key, in the first chapter that has one."""
    return next(((chapter, chapter.entries[key]) for chapter in chapters if key in chapter.entries), None)


def subject_of(chapters: Iterable[Chapter], name: str, key: str) -> str:
    """Which of SUBJECTS a table or chart of this name and key is about."""
    entry = found(chapters, key)
    marks = {key, *((entry[1].rows, entry[1].whom) if entry else ()), *(["excluded"] if VARIANTS[1] in name else [])}
    return next((words for words, own in SUBJECTS.items() if own & marks), RESULTS)


SHARED = ("answers", "labels", "batch", "models")  # of reports of several tasks


def sections(tasks: Iterable[Chapter], translate: Translate = str) -> list[JSON]:
    """[{"title", "entries": [{"anchor", "title", "whom", "how", "source", "rows", "changes"}]}] as text."""
    return [
        {"title": translate(own.title), "entries": list(_entries(own, translate))}
        for own in (*map(chapter, SHARED), *tasks, *map(chapter, ("comparison", "arms", "plan", "studies")))
        if own.entries
    ]


def _entries(own: Chapter, translate: Translate) -> Iterable[JSON]:
    for key, one in own.entries.items():
        texts = {"title": one.title, "whom": WHOM[one.whom], "how": one.how, "changes": one.changes}
        words = {name: translate(text) for name, text in texts.items()}
        yield {"anchor": own.anchor(key), "source": one.source, "rows": translate(ROWS[one.rows][2])} | words
