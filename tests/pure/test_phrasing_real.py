"""On MuSiQue's own compositions the checks are quiet, and they find what is planted there.

Planted, once for each question and hop, seeded: into the question, between two words, an answer that another hop uses
or the final one, in each form of `planted.LEAKS` (slips: one in a word of 5 letters or more, two in one of 8 or more);
in place of the question each of its single-hop questions, as it stands and with the answers for its `#k`, unchanged or
with one small edit. Answers whose words all stand in one hop's question are left out: the writer has to use those.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from annotation.pure.data import dag
from annotation.pure.data.example import Hop
from annotation.pure.text.composed_question_checks import LEVELS, Finding, coverage, findings, most_words
from annotation.pure.text.masking import resolved, without_references
from tests.long_forms import first
from tests.pure import planted
from tests.shared_data import shared_data

FILES = ["musique_ans_dev_130.jsonl", "musique_ans_train_60.jsonl", "musique_ans_dev_decompositions_1600.jsonl"]
QUIET, FOUND = 0.02, 0.95
SEED = 7

Composition = tuple[str, tuple[Hop, ...]]


@pytest.fixture(scope="module")
def compositions() -> list[Composition]:
    """Every different question of the files with its hops."""
    found: dict[str, Composition] = {}
    for name in FILES:
        for line in shared_data(name).read_text().splitlines():
            record = json.loads(line)
            hops = tuple(Hop(step["question"], step["answer"]) for step in record["question_decomposition"])
            found.setdefault(record["question"], (record["question"], hops))
    return list(found.values())


def checked(question: str, hops: tuple[Hop, ...]) -> list[Finding]:
    return findings(question, hops, most_words=most_words(hops))


@pytest.mark.soak
def test_errors_are_rare_on_real_compositions(compositions: list[Composition]) -> None:
    alarms: Counter[str] = Counter()
    for question, hops in compositions:
        checks = {finding.check for finding in checked(question, hops)}
        alarms.update(checks | ({"an error"} if any(LEVELS[check] == "error" for check in checks) else set()))
    assert len(compositions) > 1_600
    assert alarms["an error"] <= QUIET * len(compositions), alarms
    assert alarms["hop_missing"] <= 0.05 * len(compositions), alarms
    assert alarms["too_long"] <= QUIET * len(compositions), alarms


def test_real_compositions_use_most_of_their_hops_words(compositions: list[Composition]) -> None:
    used = [used for question, hops in compositions for row in coverage(question, hops) for _word, used in row.words]
    assert sum(used) >= 0.75 * len(used)


@pytest.mark.soak
@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[] if form == "verbatim" else pytest.mark.soak) for form in planted.LEAKS]
)
def test_a_planted_answer_is_found(form: str, compositions: list[Composition]) -> None:
    rng = Random(f"{SEED}/{form}")
    result: Counter[bool] = Counter()
    missed = []
    for question, hops in compositions:
        for hop, answer in _leakable(hops):
            leak = planted.LEAKS[form](rng, answer)
            if leak is None:
                continue
            changed = planted.with_leak(rng, question, leak)
            check = "gives_away_final" if hop == len(hops) else "gives_away"
            found = any((one.check, one.hop) == (check, hop) for one in checked(changed, hops))
            result[found] += 1
            missed += [] if found else [(answer, leak)]
    assert result[True] >= FOUND * result.total() > 1_000, missed[:20]


def _leakable(hops: tuple[Hop, ...]) -> Iterator[tuple[int, str]]:
    heads = {head for head, _tail in dag.edges(hops)} | {len(hops)}
    asked = [set(_lower(without_references(hop.question))) for hop in hops]
    for hop in sorted(heads):
        answer = hops[hop - 1].answer.strip(" .,;:!?()'\"")
        needed = set(_lower(answer)) - {"a", "an", "the"}
        if needed and not any(words >= needed for words in asked):
            yield hop, answer


def _lower(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@pytest.mark.soak
@pytest.mark.parametrize("edited", first(1, [False, True]), ids=["unchanged", "with a small edit"])
@pytest.mark.parametrize("filled", first(1, [False, True]), ids=["with its #k", "with the answers for its #k"])
def test_a_repeated_hop_is_found(edited: bool, filled: bool, compositions: list[Composition]) -> None:
    rng = Random(SEED)
    result: Counter[bool] = Counter()
    missed = []
    for _question, hops in compositions:
        for hop in hops:
            text = resolved(hop.question, hops) if filled else hop.question
            text = planted.retyped(rng, text) if edited else text
            found = any(one.check == "repeats_hop" for one in checked(text, hops))
            result[found] += 1
            missed += [] if found else [(hop.question, text)]
    assert result[True] >= FOUND * result.total() > 1_000, (result, missed[:20])
