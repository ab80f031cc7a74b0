"""Every sentence that reports on labels say of a batch holds against the rows: zero, one, voided, unpaid."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.flow.reports import batch_scores, methods_facts
from annotation.models import Batch, Hit, Project
from annotation.pure.reports import methods
from annotation.pure.reports.tables import sentence
from annotation.registry import task_type
from annotation.tasktype import capabilities
from tasks.hops.steps import ARMS
from tests.conftest import records
from tests.flow.acting import newcomer, submit, take
from tests.flow.reports import batch_states, label_counts
from tests.flow.reports.batch_states import EQUAL, state_of
from tests.flow.reports.report_figures import contradicting
from tests.flow.reports.sentence_checks import METHODS, WHOM
from tests.flow.reports.sentence_rows import Check, Rows, missed, number, wrong
from tests.long_forms import first
from tests.tasks.test_answerability import twins
from tests.tasks.test_sufficiency import pairs_of

JSON = dict[str, Any]
TASKS = Path(__file__).resolve().parents[3] / "tasks"
SHARE = r"([\d.]+) %(?: \[[\d., ]+\])?"
COUNT = r"(one|One|\d+)"


class Said(Rows):
    """A batch's rows, and what was said of each HIT that counts."""

    def __init__(self, batch: Batch) -> None:
        super().__init__(batch)
        self.said: dict[Hit, list[JSON]] = {}
        for row in self.counted:
            if row.current:
                self.said.setdefault(row.hit, []).append(row.current.answer)

    def each(self, key: str) -> list[list[Any]]:
        return [[answer[key] for answer in answers] for answers in self.said.values()]

    @property
    def edges(self) -> list[list[str]]:
        return [list(edge) for result in self.each("bridges") for edge in zip(*result, strict=True)]

    @property
    def groups(self) -> dict[str, list[Hit]]:
        found: dict[str, list[Hit]] = {}
        for hit in self.hits:
            found.setdefault(hit.item.example.group, []).append(hit)
        return found

    @property
    def whole(self) -> list[list[Hit]]:
        """The groups of which every HIT counts and has an answer."""
        return [hits for hits in self.groups.values() if all(hit in self.said for hit in hits)]

    def scores(self, part: str) -> list[float]:
        """The score of each whole group, at as many responses an instance as most of them can have."""
        found = [len(answers) for answers in self.said.values()]
        k = min(max(found), max(min(found), min(hit.wanted for hit in self.said)))
        return [label_counts.group_score(hits, self.said, k, part) for hits in self.whole]


def most(labels: Iterable[Hashable]) -> Hashable:
    """The label that most gave; "tied" where two have as many."""
    counts = Counter(labels)
    ahead = [label for label, count in counts.items() if count == max(counts.values())]
    return ahead[0] if len(ahead) == 1 else "tied"


def is_share(result: str, holds: Iterable[float]) -> bool:
    each = list(holds)
    return bool(each) and abs(float(result) - 100 * sum(each) / len(each)) < 0.06


def is_drop(p: Fraction, others: int, printed: str, shown: str, drop: str) -> bool:
    """Whether the expected drop is that of the rate as printed, and of the rate itself."""
    rounded = float(round(p, 3))
    given = [(float(printed), rounded), (float(drop), float(p))]
    return float(shown) == rounded and all(
        abs(value - label_counts.expected_drop(at, others)) < 0.00006 for value, at in given
    )


def holding(said: Said, hits: list[Hit]) -> dict[int, Hashable]:
    """What annotators agree on of each pair of a question, by its number of supports; "" where they do not."""
    found: dict[int, Hashable] = {}
    for k, hit in enumerate(hits):
        votes = Counter(answer["verdict"] for answer in said.said.get(hit, []))
        (label, count), *_others = [*votes.most_common(), ("", 0)]
        enough = votes.total() >= hit.wanted and 2 * count > votes.total()
        found[k] = label if enough else ""
    return found


def agreed(said: Said) -> list[list[Hashable]]:
    """The verdicts of (f1, f2), (f1, fr) and (fr, f2) of each question on all of which annotators agree."""
    found = []
    for hits in said.groups.values():
        ordered = sorted(hits, key=lambda hit: (-len(hit.item.example.extra["pair"]["supports"]), hit.pk))
        kinds = list(holding(said, ordered).values())
        if all(kind in ("sufficient", "insufficient") for kind in kinds):
            found.append(kinds)
    return found


def agreed_on_both(said: Said) -> list[Hashable]:
    both = [hit for hit in said.hits if len(hit.item.example.extra["pair"]["supports"]) == 2]
    kinds = holding(said, both).values()
    return [kind for kind in kinds if kind]


def has_proxy(kinds: list[Hashable]) -> bool:
    return kinds[0] == "sufficient" and "sufficient" in kinds[1:]


def by_label(said: Said) -> list[float]:
    """Of each HIT the chance that the majority, tied or not, calls it what its label says."""
    found = []
    for hit, answers in said.said.items():
        kind = most(answer["answerable"] for answer in answers)
        found.append(0.5 if kind == "tied" else float(kind == hit.item.example.answerable))
    return found


def fate(hit: Hit, answers: list[JSON]) -> str:
    """What a majority does with a question and its sub-questions."""
    against = sum(answer["discard"] != "no" for answer in answers)
    if 2 * against > len(answers):
        return "discarded"
    kept = [answer["hops"] for answer in answers if answer["discard"] == "no"]
    texts = [
        most(" ".join(hops[k][part].lower().split()).strip("?") for hops in kept)
        for k in range(len(hit.payload["hops"]))
        for part in ("question", "answer")
    ]
    return "tied" if 2 * against == len(answers) or "tied" in texts else "kept"


def fates(said: Said) -> list[str]:
    return [fate(hit, answers) for hit, answers in said.said.items()]


def solved(said: Said) -> list[Hashable]:
    return [most(result) for result in said.each("solvable")]


def classes(said: Said) -> Iterator[Hashable]:
    for answers in said.said.values():
        yield most((one["guessable"], one["necessary"] if one["guessable"] else one["solvable"]) for one in answers)


REMOVED = {0: "the", 4: "was", 6: "by", 10: "at", 11: "the", 13: "of", 15: "in"}  # of the first example, by position


def is_reconstructed(hit: Hit, answers: list[JSON]) -> bool:
    """Whether three of five blanks have the removed word by majority; all removed words are function words."""
    words = [most(answer["words"][k].lower() for answer in answers) for k in range(5)]
    return sum(word == REMOVED[at] for word, at in zip(words, hit.payload["blanks"], strict=True)) >= 3


COMMON: dict[str, Check] = {
    WHOM: METHODS[WHOM],
    r"Each item has (one|\d+) responses? \(k = (\d+)\)\.": lambda r, g: (
        {len(result) for result in r.said.values()} == {number(g[0])} == {number(g[1])}
    ),
    r"Items have (\d+) to (\d+) responses; .*": lambda r, g: (
        [min(map(len, r.said.values())), max(map(len, r.said.values()))] == [int(g[0]), int(g[1])] and g[0] != g[1]
    ),
}
PARAGRAPHS: dict[str, dict[str, Check]] = {
    "hops": {
        rf"{COUNT} annotators? decomposed {COUNT} questions?\.": lambda r, g: (
            [*map(number, g)] == [len({row.worker_id for row in r.counted}), len(r.said)]
        ),
        rf"By majority, {SHARE} were answered right citing all gold paragraphs, {SHARE} citing fewer\.": lambda r, g: (
            all(
                is_share(result, [one == kind for one in label_counts.statuses(r.said)])
                for result, kind in zip(g, ("cited", "fewer"), strict=True)
            )
        ),
        rf"{SHARE} of the answers to the question are right \(PM\)\.": lambda r, g: is_share(
            g[0], label_counts.wholes(r.said)
        ),
        rf"Of these, {SHARE} come with a wrong answer to a sub-question\.": lambda r, g: is_share(
            g[0], label_counts.failures(r.said)
        ),
        rf"Workers were right on one step or several in {SHARE} of their responses\.": lambda r, g: is_share(
            g[0], label_counts.kinds(r.said)
        ),
    },
    "choose": {
        rf"Of {COUNT} graphs? with .* chose a composition for {SHARE} and none of them for {SHARE}\.": lambda r, g: (
            number(g[0]) == len(r.said)
            and is_share(g[1], [most(result) not in (None, "tied") for result in r.each("chosen")])
            and is_share(g[2], [most(result) is None for result in r.each("chosen")])
        ),
        rf"The votes are tied for {SHARE}\.": lambda r, g: (
            is_share(g[0], [most(result) == "tied" for result in r.each("chosen")]) and float(g[0]) > 0
        ),
    },
    "coreference": {
        rf"{COUNT} annotators? judged {COUNT} bridges? of {COUNT} graphs?\.": lambda r, g: (
            [*map(number, g)] == [len({row.worker_id for row in r.counted}), len(r.edges), len(r.said)]
        ),
        rf"By majority, {SHARE} mention the same entity and {SHARE} do not\.": lambda r, g: all(
            is_share(result, [most(edge) == kind for edge in r.edges])
            for result, kind in zip(g, ("same", "different"), strict=True)
        ),
        rf"For {SHARE} the majority cannot tell\.": lambda r, g: is_share(
            g[0], [most(edge) == "unsure" for edge in r.edges]
        ),
        rf"The votes are tied for {SHARE}\.": lambda r, g: is_share(g[0], [most(edge) == "tied" for edge in r.edges]),
    },
    "subquestions": {
        rf"{COUNT} annotators? checked {COUNT} questions? with (?:its|their) sub-questions\.": lambda r, g: (
            [*map(number, g)] == [len({row.worker_id for row in r.counted}), len(r.said)]
        ),
        rf"By majority, {SHARE} were kept and {SHARE} discarded\.": lambda r, g: all(
            is_share(result, [one == kind for one in fates(r)])
            for result, kind in zip(g, ("kept", "discarded"), strict=True)
        ),
        rf"On {SHARE}, annotators are tied on keeping the question or on a text\.": lambda r, g: is_share(
            g[0], [one == "tied" for one in fates(r)]
        ),
    },
    "answerability": {
        rf"By majority, people agreed with the label of ([\d.]+) of {COUNT} instances? \({SHARE}\)\.": lambda r, g: (
            (float(g[0]), number(g[1])) == (sum(by_label(r)), len(r.said)) and is_share(g[2], by_label(r))
        ),
        rf"{COUNT} (?:is|are) tied and counts? with the probability that .*": lambda r, g: (
            number(g[0]) == by_label(r).count(0.5)
        ),
        rf"On {COUNT} whole groups? they scored {SHARE} (answer|support) F1 with sufficiency\.": lambda r, g: (
            number(g[0]) == len(r.whole) and is_share(g[1], r.scores(g[2]))
        ),
        rf"On {COUNT} whole groups? all labels were correct in {SHARE}\.": lambda r, g: (
            number(g[0]) == len(r.whole) and is_share(g[1], r.scores("labels"))
        ),
        rf"{COUNT} groups? (?:was|were) excluded\.": lambda r, g: number(g[0]) == len(r.groups) - len(r.whole),
    },
    "sufficiency": {
        rf"Of {COUNT} questions? with agreement on all pairs, (\d+) had a proxy .* \({SHARE}\)\.": lambda r, g: (
            (number(g[0]), int(g[1])) == (len(agreed(r)), sum(map(has_proxy, agreed(r))))
            and is_share(g[2], map(has_proxy, agreed(r)))
        ),
        rf"{COUNT} questions? (?:was|were) excluded\.": lambda r, g: number(g[0]) == len(r.groups) - len(agreed(r)),
        rf"For {COUNT} questions?, annotators agree about both .* are not sufficient in {SHARE}\.": lambda r, g: (
            number(g[0]) == len(agreed_on_both(r))
            and is_share(g[1], [kind == "insufficient" for kind in agreed_on_both(r)])
        ),
        r"The expected drop of the human score with (\d+) non-supporting paragraphs is ([\d.]+) \(p = ([\d.]+)\), or "
        r"([\d.]+) unrounded \[[\d., ]+\]\.": lambda r, g: (
            {int(g[0])} == {hit.item.example.extra["pair"]["others"] for hit in r.hits}
            and is_drop(Fraction(sum(map(has_proxy, agreed(r))), len(agreed(r))), int(g[0]), *g[1:])
        ),
        r"The answer was (not )?shown, and “cannot tell” was (.*)\. A pair needed as many votes as assignments, .*": (
            lambda r, g: (g[0] is None) == r.batch.options.get("show_answer", True) and g[1] == "not offered"
        ),
    },
    "solvability": {
        rf"{COUNT} ablated questions? (?:was|were) judged\.": lambda r, g: number(g[0]) == len(r.said),
        r"By majority, (\d+) of (\d+) can be solved\.": lambda r, g: (
            (int(g[0]), int(g[1])) == (solved(r).count(True), len(r.said) - solved(r).count("tied"))
        ),
        r"For (\d+), annotators are tied on whether they can be solved\.": lambda r, g: (
            int(g[0]) == solved(r).count("tied") > 0
        ),
        r"For (\d+) there is a tie between classes\.": lambda r, g: int(g[0]) == [*classes(r)].count("tied") > 0,
    },
    "cloze": {
        rf"{COUNT} ablated sentences? (?:was|were) filled in\.": lambda r, g: number(g[0]) == len(r.said),
        r"By majority, (\d+) of (\d+) are reconstructable\.": lambda r, g: (
            (int(g[0]), int(g[1])) == (sum(is_reconstructed(*each) for each in r.said.items()), len(r.said))
        ),
        r"For (\d+), annotators are tied on whether the removed words are necessary\.": lambda r, g: (
            int(g[0]) == [most(result) for result in r.each("necessary")].count("tied") > 0
        ),
    },
}


def examples(task: str, count: int, state: str) -> list[JSON]:
    if task in ("answerability", "sufficiency"):
        made = twins if task == "answerability" else pairs_of
        return [example.as_json() for k in range(count) for example in made(k)]
    if task == "solvability" and state == batch_states.DERIVED:
        return records(count)
    own = json.loads((TASKS / task / "examples.json").read_text())[0]["example"]
    return [own | {"id": f"item-{k}", "group": ""} for k in range(count)]


def made(project: Project, folder: Path, task: str, seed: int) -> Batch:
    """A batch in the state of its seed; of `hops` each seed has another arm."""
    rng, state = Random(f"{task}/{seed}"), state_of(seed)
    found = examples(task, rng.choice([1, 1, 2, 3]), state)
    terms: JSON = {"assignments_per_hit": rng.choice([1, 2, 3]), "meeting": "free"}
    if task == "hops":
        terms["options"] = {"arm": list(ARMS)[seed % len(ARMS)]}
    batch = batch_states.launched(project, folder, task, found, state, rng, **terms)
    for k in range(batch_states.people(state, rng)):
        worker = newcomer(project, f"worker-{k}")
        for _turn in range(rng.choice([1, 2, 9])):
            if row := take(worker, batch):
                given = answer(row.hit, task, Random(row.hit_id) if state == EQUAL else rng)
                submit(row, given, key=f"0.{row.pk}")
    batch_states.decide_pay(batch, state, rng)
    batch_states.finish(batch, state, rng)
    return batch


def answer(hit: Hit, task: str, rng: Random) -> JSON:
    known = [
        capabilities.imitate(task_type(task), hit.payload, hit.item.example, rng, right=right)
        for right in (True, True, False)
    ]
    if task not in ("answerability", "sufficiency", "hops") and hit.item.source_id.startswith("item-"):
        known += json.loads((TASKS / task / "examples.json").read_text())[0]["answers"]
    return dict(rng.choice([one for one in known if one is not None]))


@pytest.mark.django_db
@pytest.mark.parametrize("seed", first(1, range(10)))
@pytest.mark.parametrize("task", PARAGRAPHS)
def test_every_sentence_on_labels_holds_against_the_rows_and_none_with_a_fault(
    project: Any, tmp_path: Path, task: str, seed: int
) -> None:
    batch = made(project, tmp_path, task, seed)
    report = batch_scores.score_batch(batch)
    rows, checks = Said(batch), PARAGRAPHS[task] | COMMON
    result = [sentence(one) for one in methods.sentences(methods_facts.facts_of(batch, report))]
    spoken = [sentence(one) for one in report["paragraph"]]
    assert wrong(result, METHODS, rows) == []
    assert wrong(spoken, checks, rows) == []
    assert missed(result, METHODS, rows) == []
    assert missed(spoken, checks, rows) == []
    assert contradicting(report) == []
    assert bool(result) == bool(rows.answers)
    assert bool(spoken) == bool(rows.said) or task == "sufficiency"  # which states its rules in any case
    assert ("US dollars" in " ".join(result)) == bool(rows.paid and rows.answers)
