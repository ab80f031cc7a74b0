"""The derivation that parts a dataset into train, dev and test, with its report."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.dataset_splits import Unit, keys, split
from annotation.pure.setting_fields import InvalidValues
from tests.derivations.sources import MUSIQUE_ANS, Listed, derived, graphs, made, real

SHARES = {"train": 0.5, "dev": 0.25, "test": 0.25}


def parts(found: list[tuple[str, Example]]) -> dict[str, list[Example]]:
    by_output: dict[str, list[Example]] = {"-train": [], "-dev": [], "-test": []}
    for output, example in found:
        by_output[output].append(example)
    return by_output


def keys_of(examples: list[Example]) -> set[str]:
    return {key for example in examples for key in keys(example)}


def test_train_overlaps_with_nothing_and_the_report_adds_up() -> None:
    source = Listed([replace(each, extra={"source": each.id[-1]}) for each in graphs(80, seed=2)])
    found, tally = derived("splits", source, seed=5, **SHARES)
    by_output = parts(found)
    assert not keys_of(by_output["-train"]) & keys_of(by_output["-dev"] + by_output["-test"])
    assert len(by_output["-train"]) == 40
    assert tally.read == 80
    assert tally.kept == len(found) == 80 - tally.dropped.total()
    questions = tally.figures["questions"]
    assert {name: part["number"] for name, part in questions.items()} == {
        **{name: len(by_output[f"-{name}"]) for name in ("train", "dev", "test")},
        "removed": tally.dropped.total(),
    }
    assert sum(questions["train"]["sources"].values()) == 40
    shared = keys_of(by_output["-dev"]) & keys_of(by_output["-test"])
    left = tally.figures["overlap of dev with test"]
    assert left["answers"] == sum(key.startswith("answer:") for key in shared)
    assert tally.figures["overlap of dev and test with train"]["questions that overlap"] == 0
    assert [example.id for output, example in found] == [e.id for e in source.examples() if e in dict_of(found)]


def dict_of(found: list[tuple[str, Example]]) -> list[Example]:
    return [example for _, example in found]


def test_the_same_seed_gives_the_same_splits() -> None:
    source = Listed(graphs(60, seed=2))
    assert derived("splits", source, seed=1)[0] == derived("splits", source, seed=1)[0]


def test_twins_stay_together() -> None:
    contexts = Listed(graphs(60, seed=9), others={"pool": graphs(80, seed=1)})
    full = made("unanswerable-twins", Listed(made("contexts", contexts, pool="pool")))
    found, tally = derived("splits", Listed(full), **SHARES)
    where = Counter((example.id, output) for output, example in found)
    assert set(where.values()) == {2}
    assert len({name for name, _ in where}) == len(where)
    assert sum(part["number"] for part in tally.figures["questions"].values()) == len(full) / 2


def test_single_hop_questions_are_split_by_their_paragraphs_and_answers() -> None:
    singles = [replace(each, hops=(), question=f"q {each.id}", supports=(0,)) for each in graphs(40)]
    by_output = parts(derived("splits", Listed([*singles, *(replace(s, id=f"{s.id}b") for s in singles)]))[0])
    ids = [{example.id.rstrip("b") for example in part} for part in by_output.values()]
    assert not ids[0] & (ids[1] | ids[2])


@pytest.mark.parametrize("shares", [{"train": 0.5}, {"train": 1.1, "dev": -0.2}, {"train": 0.9, "dev": 0.1}])
def test_shares_that_do_not_sum_to_one_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(InvalidValues, match="train"):
        derived("splits", Listed(graphs(3)), **shares)


def test_a_share_may_be_nothing() -> None:
    by_output = parts(derived("splits", Listed(graphs(10)), train=1, dev=0, test=0)[0])
    assert [len(part) for part in by_output.values()] == [10, 0, 0]
    by_output = parts(derived("splits", Listed(graphs(10)), train=0.0, dev=0.5, test=0.5)[0])
    assert [len(part) for part in by_output.values()] == [0, 5, 5]


def test_real_questions_are_split_without_leakage() -> None:
    found, tally = derived("splits", Listed(real(*MUSIQUE_ANS)), seed=1)
    by_output = parts(found)
    assert not keys_of(by_output["-train"]) & keys_of(by_output["-dev"] + by_output["-test"])
    assert len(by_output["-train"]) == 152
    assert tally.dropped.total() < 10


def test_hop_counts_keep_their_mix_however_many_sources_there_are() -> None:
    units = [Unit(frozenset({f"k{at}"}), f"{2 + at % 2}/source {at % 37}") for at in range(400)]
    names = split(units, dev=40, test=40, rng=random.Random(3))
    for part in ("dev", "test"):
        hops = Counter(unit.kind[0] for unit, name in zip(units, names, strict=True) if name == part)
        assert hops == {"2": 20, "3": 20}


def test_sources_keep_their_mix_within_a_hop_count() -> None:
    units = [Unit(frozenset({f"k{at}"}), f"2/{'maps' if at % 4 else 'letters'}") for at in range(400)]
    names = split(units, dev=40, test=40, rng=random.Random(3))
    dev = Counter(unit.kind for unit, name in zip(units, names, strict=True) if name == "dev")
    assert dev == {"2/maps": 30, "2/letters": 10}


def test_where_hops_come_from_goes_along_to_the_graphs_and_into_the_report() -> None:
    """A record's own word for it counts; where there is none, the dataset that it came in."""
    around = "It is told in the old book of the coast, which many have read and some have copied by hand since then."
    rows = [("1", "Who led Farrow?", "Mara Quell", {}), ("2", "Where was Mara Quell born?", "Tarn", {"source": "maps"})]
    records = [
        Example(row, question, (Paragraph(row, f"{answer}. {around}"),), (answer,), (0,), extra=extra)
        for row, question, answer, extra in rows
    ]
    singles = made("singlehop", Listed(records, name="book"))
    assert [single.extra["source"] for single in singles] == ["book", "maps"]
    pairs = made("composable-pairs", Listed(singles))
    assert [pair.extra["source"] for pair in pairs] == [["book", "maps"]]
    for source in (pairs, singles):
        found = made("graphs", Listed(source), hop_tokens=0, two_hop_tokens=0)
        assert [graph.extra["source"] for graph in found] == [["book", "maps"]]
    _, tally = derived("splits", Listed(found), train=1.0, dev=0.0, test=0.0)
    assert tally.figures["questions"]["train"]["sources"] == {"book, maps": 1}
