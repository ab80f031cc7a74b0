"""Vennory holds together: its questions can be answered, its bridges meet and its dates agree."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from annotation.demo import encyclopedia
from annotation.pure.data.dag import SHAPES, edges, problems, shape
from annotation.pure.data.example import Example
from annotation.pure.text.spans import mentions
from tests.single_hops import singlehop_examples

ARTICLES = encyclopedia.paragraphs()
SINGLES = encyclopedia.singlehop()
RECORDS = encyclopedia.multihop()
EXAMPLES = encyclopedia.examples(seed=1)

# Who lived when something happened that an article dates: (person, year, article).
DEEDS = [
    ("isolde-tarne", 1412, "port-anselm"),
    ("isolde-tarne", 1421, "salt-charter"),
    ("piers-cawdry", 1455, "cawdry-haven"),
    ("joss-varrel", 1470, "hindermouth"),
    ("joss-varrel", 1473, "joss-varrel"),
    ("bettany-quillon", 1509, "quillhaven"),
    ("hob-tarne", 1530, "little-anselm"),
    ("hugh-drummet", 1674, "stubborn-joan"),
    ("hugh-drummet", 1674, "wandering-bell"),
    ("hugh-drummet", 1675, "bell-waking"),
    ("hugh-drummet", 1690, "bell-statute"),
    ("lysbet-crane", 1688, "lysbet-crane"),
    ("lysbet-crane", 1690, "bell-statute"),
    ("tamsin-oake", 1698, "tamsin-yard"),
    ("tamsin-oake", 1702, "feast-of-small-boats"),
    ("rafe-skerrit", 1702, "skerrit-yard"),
    ("mellisand-orr", 1719, "mellisand-orr"),
    ("wenna-skell", 1733, "tarrel"),
    ("nell-averick", 1741, "salt-in-the-cradle"),
    ("nell-averick", 1744, "nell-averick"),
    ("ludo-varrel", 1752, "varrel-and-daughters"),
    ("agnes-locke", 1766, "agnes-locke"),
    ("tobit-ferrow", 1766, "agnes-locke"),
    ("mara-quell", 1773, "grey-petrel"),
    ("corin-hask", 1773, "grey-petrel"),
    ("tobit-ferrow", 1773, "the-combs"),
    ("mara-quell", 1774, "mara-quell"),
    ("agnes-locke", 1779, "candle-point-light"),
    ("tobit-ferrow", 1786, "pilots-almanack"),
    ("corin-hask", 1786, "pilots-almanack"),
    ("linnet-skell", 1796, "hushpipe"),
    ("jory-pennick", 1796, "hushpipe"),
    ("jory-pennick", 1798, "petrel-come-home"),
    ("mara-quell", 1799, "lantern-night"),
    ("perrin-locke", 1803, "combs-light"),
    ("perrin-locke", 1809, "perrin-locke"),
    ("maron-quell", 1809, "perrin-locke"),
    ("silvan-merrit", 1819, "blind-ferryman"),
    ("ottoline-fray", 1819, "blind-ferryman"),
    ("silvan-merrit", 1822, "seventh-daughter-song"),
    ("maron-quell", 1827, "maron-quell"),
    ("ottoline-fray", 1833, "ottoline-fray"),
    ("silvan-merrit", 1835, "silvan-merrit"),
    ("sabine-ollery", 1835, "silvan-merrit"),
    ("dorcas-pym", 1846, "gull-stack-light"),
    ("sabine-ollery", 1846, "fog-pie"),
    ("dorcas-pym", 1851, "first-herring"),
    ("benedine-tolley", 1884, "lit-window-act"),
    ("dorcas-pym", 1887, "dorcas-pym"),
    ("edda-marl", 1894, "edda-marl"),
    ("clement-ivory", 1913, "long-low-tide"),
]

# (launched, ended); None where the ship still sails
SHIPS = {
    "grey-petrel": (1771, 1798),
    "grey-plover": (1804, 1861),
    "lady-of-brackwater": (1725, 1758),
    "patient-heron-ship": (1659, 1693),
    "wandering-bell": (1668, 1702),
    "seventh-daughter-ship": (1815, 1840),
    "isolde-tarne-ship": (1902, None),
    "candlewick": (1867, 1881),
    "good-ewe": (1931, None),
    "contrary": (1849, 1910),
}

# (elder, younger, generations between them)
KIN = [
    ("isolde-tarne", "hob-tarne", 3),
    ("agnes-locke", "perrin-locke", 1),
    ("tobit-ferrow", "perrin-locke", 1),
    ("wenna-skell", "linnet-skell", 2),
    ("mara-quell", "maron-quell", 1),
]


def life(key: str) -> tuple[int, int]:
    article = ARTICLES[key]
    found = re.match(rf"{article.title} \((\d{{4}})–(\d{{4}})\)", article.text)
    assert found, f"{key} does not open with name and years"
    return int(found[1]), int(found[2])


def mentioned(answer: str, text: str) -> bool:
    return any(True for _ in mentions(answer, text))


def of_kind(kind: str) -> list[str]:
    return [key for key, article in ARTICLES.items() if article.kind == kind]


def test_there_is_enough_of_everything() -> None:
    assert len(ARTICLES) >= 78
    assert len(SINGLES) >= 150
    assert len(RECORDS) >= 45
    counts = Counter(example.shape for example in EXAMPLES)
    assert set(counts) == set(SHAPES)
    assert min(counts.values()) >= 5


@pytest.mark.parametrize("name", ["encyclopedia", "singlehop", "multihop"])
def test_a_line_is_a_record(name: str) -> None:
    lines = (Path(encyclopedia.__file__).parent / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(isinstance(json.loads(line), dict) for line in lines)


def test_keys_titles_ids_and_questions_are_unique() -> None:
    lines = (Path(encyclopedia.__file__).parent / "encyclopedia.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(ARTICLES) == len({article.title for article in ARTICLES.values()})
    assert len({single.question for single in SINGLES.values()}) == len(SINGLES)
    assert len({record["id"] for record in RECORDS}) == len(RECORDS)
    assert len({record["question"] for record in RECORDS}) == len(RECORDS)


@pytest.mark.parametrize("key", ARTICLES)
def test_an_article_has_forty_to_a_hundred_and_twenty_words(key: str) -> None:
    text = ARTICLES[key].text
    assert 40 <= len(text.split()) <= 120
    assert text == " ".join(text.split())
    assert text[-1] in ".”"


def test_a_single_hop_question_is_short_and_answered_verbatim() -> None:
    for single in SINGLES.values():
        assert len(single.question.split()) <= 14, single
        assert single.question.endswith("?"), single
        assert single.answer in ARTICLES[single.key].text, single
        assert not mentioned(single.answer, single.question), single
        assert len(set(single.answers)) == len(single.answers), single


def test_every_article_is_asked_about() -> None:
    assert {single.key for single in SINGLES.values()} == set(ARTICLES)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_bridges_are_mentioned_where_a_number_stands_for_them(record: dict) -> None:
    singles = [SINGLES[hop["singlehop"]] for hop in record["hops"]]
    for hop, single in zip(record["hops"], singles, strict=True):
        result = re.sub(r"#(\d)", lambda k: singles[int(k[1]) - 1].answer, hop["question"])
        assert result == single.question
    assert (record["answer"], *record["aliases"]) == singles[-1].answers
    assert len({single.key for single in singles}) == len(singles)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_a_question_gives_no_answer_away(example: Example) -> None:
    for hop in example.hops:
        assert not mentioned(hop.answer, example.question)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_only_the_supports_hold_the_answer(example: Example) -> None:
    assert example.supports is not None
    *earlier, last = (example.paragraphs[hop.support] for hop in example.hops if hop.support is not None)
    assert example.answer in last.text
    for position, paragraph in enumerate(example.paragraphs):
        if position not in example.supports:
            for answer in example.answers:
                assert not mentioned(answer, f"{paragraph.title}. {paragraph.text}"), paragraph.title
    assert not any(mentioned(example.answers[0], paragraph.text) for paragraph in earlier)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_an_example_is_whole(example: Example) -> None:
    assert len(example.paragraphs) == len(set(example.paragraphs)) == 10
    assert example.supports == tuple(sorted({hop.support for hop in example.hops if hop.support is not None}))
    assert example.shape == shape(example.hops) == example.id.split("__")[0]
    assert sorted(edges(example.hops)) == sorted(SHAPES[example.shape])
    assert problems(example.hops) == ()
    assert example.group == example.id
    assert Example.from_json(json.loads(json.dumps(example.as_json()))) == example


def test_the_order_of_paragraphs_follows_the_seed() -> None:
    assert encyclopedia.examples(seed=1) == EXAMPLES
    other = encyclopedia.examples(seed=2)
    assert all(set(a.paragraphs) == set(b.paragraphs) for a, b in zip(other, EXAMPLES, strict=True))
    assert sum(a.paragraphs != b.paragraphs for a, b in zip(other, EXAMPLES, strict=True)) > 50


def test_single_hop_examples_hold_their_answers() -> None:
    examples = singlehop_examples()
    assert len(examples) == len(SINGLES)
    for example in examples:
        assert example.supports == (0,)
        assert example.answers[0] in example.paragraphs[0].text


@pytest.mark.parametrize("key", of_kind("person"))
def test_a_person_lives_a_plausible_life(key: str) -> None:
    born, died = life(key)
    assert 18 <= died - born <= 95
    for other in re.findall(r"\b1[3-9]\d\d\b", ARTICLES[key].text):
        assert born <= int(other) <= died, f"{key} has {other}"


@pytest.mark.parametrize(("person", "year", "source"), DEEDS)
def test_a_deed_falls_into_its_doers_grown_up_life(person: str, year: int, source: str) -> None:
    born, died = life(person)
    assert str(year) in ARTICLES[source].text
    assert born + 15 <= year <= died


@pytest.mark.parametrize(("elder", "younger", "generations"), KIN)
def test_kin_are_born_in_order(elder: str, younger: str, generations: int) -> None:
    years = life(younger)[0] - life(elder)[0]
    assert 15 * generations <= years <= 55 * generations


@pytest.mark.parametrize("key", of_kind("ship"))
def test_a_ship_is_launched_before_it_ends(key: str) -> None:
    launched, ended = SHIPS[key]
    assert str(launched) in ARTICLES[key].text
    if ended:
        assert str(ended) in ARTICLES[key].text
        assert launched < ended
    for other in re.findall(r"\b1[3-9]\d\d\b", ARTICLES[key].text):
        assert launched <= int(other) <= (ended or 2000), f"{key} has {other}"


@pytest.mark.parametrize(
    ("statement", "sums"),
    [
        ("the Grey Petrel served for twenty-seven years", 1771 + 27 == 1798),
        ("Brackwater was renamed six years after its Lady was launched", 1725 + 6 == 1731),
        ("Dorcas Pym kept her light for forty-one years", 1846 + 41 == 1887),
        ("and logged every night of them", round(41 * 365.25) == 14975),
        ("Sabine Ollery was a widow for fifteen years", life("silvan-merrit")[1] + 15 == life("sabine-ollery")[1]),
        ("the Candlewick's wreck led to a law within three years", 1881 + 3 == 1884),
        ("the lugger had won eleven races before it lost", 1815 + 12 == 1827),
    ],
)
def test_sums_come_out(statement: str, sums: bool) -> None:
    assert sums, statement


@pytest.mark.parametrize(
    ("year", "keys"),
    [
        ("1688", ["vennory", "skarrow", "lysbet-crane"]),
        ("1731", ["mellisand", "naming-act"]),
        ("1674", ["stubborn-joan", "wandering-bell"]),
        ("1827", ["seventh-daughter-ship", "maron-quell"]),
        ("1846", ["gull-stack-light", "fog-pie", "patient-heron-inn"]),
        ("1790", ["ostervell", "wick-school"]),
        ("1798", ["grey-petrel", "petrel-come-home"]),
    ],
)
def test_articles_that_tell_of_one_event_date_it_alike(year: str, keys: list[str]) -> None:
    assert all(year in ARTICLES[key].text for key in keys)


def test_the_traps_are_set() -> None:
    """One name, two things: what the question whether two mentions are the same is for."""
    for name, keys in {
        "Patient Heron": ("patient-heron-ship", "patient-heron-inn"),
        "Seventh Daughter": ("seventh-daughter-ship", "seventh-daughter-song"),
        "Isolde Tarne": ("isolde-tarne", "isolde-tarne-ship"),
    }.items():
        assert all(name in ARTICLES[key].title for key in keys)
