"""Spellings that are one answer in a vote and one word in a search; official scorers keep their own normalisation."""

from __future__ import annotations

import pytest

from annotation.pure.data.example import Example
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.statistics.metrics import key as key_of_lines
from annotation.pure.text.fuzzy_search import search
from annotation.pure.text.normalization import answer_key, fold
from annotation.tasktype.helpers.answering import doubted

SAME = [
    ("O'Brien", "O’Brien", "O‘Brien", "O`Brien", "O´Brien", "OʼBrien"),
    ('"The Owl"', "“The Owl”", "„The Owl“", "«The Owl»", "＂The Owl＂"),
    ("1914-1918", "1914–1918", "1914—1918", "1914‑1918", "1914 – 1918", "1914−1918", "1914--1918"),
    ("Zoë Quell", "Zoe\u0308 Quell", "ZOË\u00a0QUELL", "Zoë\u2009 Quell", "Zoë\u200b Quell"),
    ("final office", "ﬁnal oﬃce", "fi\u00adnal office", "\ufefffinal office"),
    ("Straße 12", "STRASSE １２", "strasse 12"),
    ("Österreich", "ÖSTERREICH", "O\u0308sterreich"),
    ("Москва", "МОСКВА"),
    ("İzmir", "I\u0307zmir", "izmir", "IZMIR"),
    ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"),
    ("nº 5", "no 5"),
    ("각", "\u1100\u1161\u11a8"),
]
DIFFERENT = [
    ("Zoe", "Zoë"),
    ("1914-1918", "19141918x"),
    ("resume", "résumé"),
    ("naïve", "naive"),
    ("Mara", "Maria"),
    ("가", "각"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda row: ascii(row[0]))
def test_spellings_of_one_answer_count_as_one(spellings: tuple[str, ...]) -> None:
    assert len({fold(text) for text in spellings}) == 1
    assert len({answer_key(text) for text in spellings}) == 1
    assert len({key_of_lines(f"{text}\nother") for text in spellings}) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_answers_stay_others(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_folding_twice_changes_nothing() -> None:
    assert all(fold(fold(text)) == fold(text) for row in SAME for text in row)


def test_official_scorers_still_tell_spellings_apart() -> None:
    assert MUSIQUE.answer("O’Brien", ("O'Brien",)).em == 0
    assert MUSIQUE.key("1914–1918") == "1914–1918"


def test_another_spelling_of_gold_is_no_reason_to_doubt_it() -> None:
    def said(*texts: str) -> list[dict[str, str]]:
        return [{"kind": "typed", "text": text} for text in texts]

    gold = Example(id="1", question="Which years?", paragraphs=(), answers=("1914-1918",))
    assert doubted(said("1914–1918", "1914 — 1918", "x"), gold) is None
    told = doubted(said("1920–1921", "1920-1921", "x"), gold)
    assert told is not None
    assert told["votes"] == 2


def test_a_search_finds_words_in_every_spelling() -> None:
    paragraphs = [("ÖSTERREICHS Norden", "by Mara O’Brien"), ("Zoe\u0308", "co\u00adoperation")]
    for words, place in (("österreichs", 0), ("zoë", 1), ("cooperation", 1), ("o'brien", 0)):
        first, second = search(words, paragraphs)
        assert (first.paragraph, first.score > 0, second.score) == (place, True, 0)
