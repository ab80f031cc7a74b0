"""The ablations: what each takes out, and that the gold stays findable."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.ablation import ABLATIONS, ablate, gold_span, other_number
from annotation.pure.derivations.ablation_text import (
    CAUSAL_WORDS,
    FUNCTION_WORDS,
    LOGICAL_WORDS,
    UNKNOWN,
    Token,
    class_of,
    passage,
    segments,
)
from annotation.pure.text.spans import Span, cut
from annotation.pure.text.tagging import hanta, penn, sentences, tokens

HERON = (
    "The Grey Heron was launched by Ada Lorne at Tolmouth in 1871, because all of her twelve sons weren't sailing. "
    "She ran aground (near Wick), as some ships do. Their captain's dog swam 3 miles."
)


def about(
    text: str = HERON, *, answer: str = "Grey Heron", question: str = "Which ship did Ada Lorne launch?"
) -> Example:
    return Example("q1", question, (Paragraph("Ships", text),), answers=(answer,))


def ablated(number: int, example: Example | None = None, seed: int = 0) -> str:
    return ablate(example or about(), number, seed=seed).example.paragraphs[0].text


def words(text: str) -> list[str]:
    return [text[a:b] for a, b in tokens(text)]


@pytest.mark.parametrize(
    ("word", "claws", "tag"),
    [
        ("their", "DPS", "PRP$"),
        ("in", "PRP", "IN"),  # CLAWS's PRP is a preposition
        ("of", "PRF", "IN"),
        ("12", "CRD", "CD"),
        ("they", "PNP", "PRP"),
        ("ran", "VVD", "VBD"),
        ("has", "VHZ", "VBZ"),
        ("be", "VBI", "VB"),
        ("what", "DTQ", "WP"),
        ("whose", "DTQ", "WP$"),
        ("where", "AVQ", "WRB"),
        ("mid-1858", "CRD", "JJ"),
        ("1939-1945", "NN1", "CD"),
        ("?", "PUN", "."),
        ("(", "NN1", "-LRB-"),
        ("🦩", "NN1", ":"),
        ("x", "no such tag", "FW"),
    ],
)
def test_tags_of_claws_become_penn_tags(word: str, claws: str, tag: str) -> None:
    assert penn(claws, word) == tag


def test_the_tagger_speaks_penn_of_their_in_and_12() -> None:
    row = ["Ships", "in", "their", "row", "carry", "12", "men"]
    tagged = dict(zip(row, hanta(row), strict=True))
    assert (tagged["their"][0], tagged["in"][0], tagged["12"][0]) == ("PRP$", "IN", "CD")
    assert tagged["men"] == ("NNS", "man")


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("She didn't, it's 3.5 miles.", ["She", "did", "n't", ",", "it", "'s", "3.5", "miles", "."]),
        ("U.S. ships of the 1990s", ["U.S.", "ships", "of", "the", "1990s"]),
        ("a mid-1858 co-op (20th)", ["a", "mid-1858", "co-op", "(", "20th", ")"]),
        ("👩🏽‍🔧 e\u0301te\u0301 שלום!", ["👩🏽‍🔧", "e\u0301te\u0301", "שלום", "!"]),
    ],
)  # fmt: skip
def test_texts_are_cut_into_words_numbers_clitics_and_signs(text: str, cut: list[str]) -> None:
    assert words(text) == cut


@given(st.text())
def test_tokens_and_sentences_leave_out_nothing_but_white_space(text: str) -> None:
    for spans in (tokens(text), sentences(text)):
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        assert edges == sorted(edges)
        assert not "".join(text[edges[k] : edges[k + 1]] for k in range(0, len(edges), 2)).strip()


def test_the_list_of_function_words_is_nltks_of_179() -> None:
    assert len(FUNCTION_WORDS) == 179
    assert {"i", "themselves", "wouldn't"} <= FUNCTION_WORDS


def test_of_a_question_only_question_words_stay() -> None:
    made = ablate(about(question="In which year, and how, did she sail?"), 1)
    assert [w for w in made.example.question.split() if not w.startswith(UNKNOWN)] == ["which", "how"]
    assert made.example.paragraphs == about().paragraphs
    assert made.counts.dropped == made.counts.question - 2


def test_function_words_and_content_words_share_out_the_context_and_signs_stay() -> None:
    function, content = ablated(2), ablated(3)
    assert function.startswith(f"The {UNKNOWN} {UNKNOWN} was {UNKNOWN} by")
    assert content.startswith(f"{UNKNOWN} Grey Heron {UNKNOWN} launched {UNKNOWN} Ada Lorne")
    counts = [ablate(about(), number).counts for number in (2, 3)]
    signs = sum(not any(map(str.isalnum, word)) for word in words(HERON))
    assert counts[0].dropped + counts[1].dropped + signs == counts[0].context
    assert "(" in function
    assert "(" in content


def test_words_become_parts_of_speech_with_numbers_that_question_and_context_share() -> None:
    example = about("The ship sailed. Ships sail!", answer="ship", question="Which ships sail?")
    made = ablate(example, 4)
    assert made.example.paragraphs[0].text == ("@other0 @noun0 @verb0 [VBD] @period0 @noun0 [NNS] @verb0 @period1")
    assert made.example.question == "@wh0 @noun0 [NNS] @verb0 @period2"
    assert made.gold == Span(0, 8, 14)


def test_the_options_of_multiple_choice_are_renamed_with_the_question() -> None:
    example = Example("r", "Who sailed?", (Paragraph("", "Ada sailed."),), ("Ada",), options=("Ada", "Mara"))
    made = ablate(example, 4).example
    name = made.paragraphs[0].text.split()[0]
    assert made.options[0] == name
    assert made.options[1] != name
    assert made.answers == (name,)


@pytest.mark.parametrize(
    ("word", "tag", "name"),
    [("ship", "NNP", "noun"), ("ran", "VBD", "verb"), ("first", "JJ", "adj"), ("soon", "RB", "adv"),
     ("7", "CD", "number"),
         ("who", "WP", "wh"), ("to", "TO", "prep"), (",", ",", "punct"), ("!", ".", "period"), ("the", "DT", "other")],
)  # fmt: skip
def test_every_class_has_its_name(word: str, tag: str, name: str) -> None:
    assert class_of(word, tag) == name


def test_all_sentences_that_share_most_words_with_the_question_stay() -> None:
    text = "The ship sank. Ada wept. A ship came."
    made = ablate(about(text, answer="Ada", question="Which ship?"), 5)
    assert made.example.paragraphs[0].text == f"The ship sank. {UNKNOWN} {UNKNOWN}{UNKNOWN} A ship came."
    assert made.counts.dropped == 3


@pytest.mark.parametrize(
    ("number", "listed"), [(10, LOGICAL_WORDS), (12, CAUSAL_WORDS), (11, frozenset({"she", "her", "their"}))]
)
def test_exactly_the_listed_words_are_dropped(number: int, listed: frozenset[str]) -> None:
    before, after = words(HERON), words(ablated(number).replace(UNKNOWN, "ØØØ"))
    gone = {old.lower() for old, new in zip(before, after, strict=True) if new == "ØØØ"}
    assert gone == {word.lower() for word in before} & listed
    assert [new for new in after if new != "ØØØ"] == [old for old in before if old.lower() not in listed]


def test_numbers_become_others_with_as_many_digits() -> None:
    text = ablated(9)
    assert text != HERON
    assert len(words(text)) == len(words(HERON))
    year = words(text)[words(HERON).index("1871")]
    assert year.isdigit()
    assert len(year) == 4
    assert words(text)[words(HERON).index("twelve")].isdigit()
    assert "mid-1858" in ablated(9, about("A Grey Heron of mid-1858."))


@given(st.from_regex(r"[0-9]{1,3}([.,][0-9]{1,3}){0,2}", fullmatch=True), st.integers(0, 99))
def test_another_number_has_the_same_form_and_is_another(numeral: str, seed: int) -> None:
    made = other_number(numeral, Random(seed))
    assert made != numeral
    assert [sign.isdigit() or sign for sign in made] == [sign.isdigit() or sign for sign in numeral]


@given(st.integers(0, 12), st.integers(1, 4), st.data())
def test_segments_are_as_long_as_the_gold_and_it_is_one_of_them(size: int, length: int, data: st.DataObject) -> None:
    row = [Token(f"w{k}", 3 * k, 3 * k + 2) for k in range(size)]
    gold = None
    if size >= length:
        first = data.draw(st.integers(0, size - length))
        gold = (row[first].start, row[first + length - 1].end)
    cut_up = segments(row, gold, length)
    assert [token for segment in cut_up for token in segment] == row
    assert all(1 <= len(segment) <= length for segment in cut_up)
    assert sum(len(segment) < length for segment in cut_up) <= 2
    if gold:
        assert row[first : first + length] in cut_up


@pytest.mark.parametrize("number", [6, 7, 8])
@given(seed=st.integers(0, 99), answer=st.sampled_from(["Grey Heron", "1871", "Ada Lorne", "3 miles", "dog", "miles."]))
def test_shuffles_are_permutations_that_keep_the_gold_whole(number: int, seed: int, answer: str) -> None:
    made = ablate(about(answer=answer), number, seed=seed)
    text = made.example.paragraphs[0].text
    assert Counter(words(text)) == Counter(words(HERON))
    assert made.gold is not None
    assert text[made.gold.start : made.gold.end] == answer


def test_the_words_of_a_sentence_stay_in_it_and_its_last_stays_last() -> None:
    text = ablated(7, about("Ada saw the Grey Heron. It sank at sea!"))
    first, second = text.split(" . ") if " . " in text else text.rsplit(" .", 1)
    assert Counter(words(first)) == Counter(words("Ada saw the Grey Heron"))
    assert Counter(words(second)) == Counter(words("It sank at sea!"))
    assert text.endswith("!")


def test_without_a_span_single_words_move() -> None:
    example = Example("r", "Who?", (Paragraph("", "One two three four."),), ("Ada",), options=("Ada", "Mara"))
    assert gold_span(example) is None
    assert len({ablated(6, example, seed) for seed in range(12)}) > 6


def test_sentences_of_the_source_and_their_labels_move_together() -> None:
    paragraph = Paragraph.of_sentences("T", ("One sank.", "Two swam.", "Three flew.", "Four ran."))
    example = Example("f", "Who swam?", (paragraph,), ("Two",), facts=((0, 1),))
    made = ablate(example, 8, seed=3).example
    assert made.paragraphs[0].sentences != paragraph.sentences
    ((place, sentence),) = made.facts or ()
    assert (made.paragraphs[place].sentences or ())[sentence].strip() == "Two swam."


SCRAPS = ("Ada", "12", ",", "it", "the", "ran", "👩🏽‍🔧", "שלום", "e\u0301", ".", "n't", "Wick's")


@pytest.mark.parametrize("number", sorted(ABLATIONS))
@given(
    parts=st.lists(st.sampled_from(SCRAPS), max_size=12),
    seed=st.integers(0, 5),
    drawn=st.booleans(),
)  # fmt: skip
def test_the_place_of_the_gold_is_known_in_every_ablation(
    number: int, parts: list[str], seed: int, drawn: bool
) -> None:
    text = " ".join([*parts[:6], "Grey Heron", *parts[6:]])
    paragraph = Paragraph.of_sentences("T", (text, "It sank.")) if drawn else Paragraph("T", text)
    example = Example("q", "Which ship?", (paragraph,), ("Grey Heron",))
    made = ablate(example, number, seed=seed)
    assert made.gold is not None
    assert made.before is not None
    now = cut([p.text for p in made.example.paragraphs], made.gold)
    same = number in (1, 3, 6, 7, 8, 9, 10, 11, 12, 13)
    if same:
        assert now == "Grey Heron"
    elif number == 4:
        assert (now or "").startswith("@")
    else:
        assert now in ("Grey Heron", f"{UNKNOWN} {UNKNOWN}")
    assert ablate(example, number, seed=seed) == made, "the same seed gives the same"
    for p in made.example.paragraphs:
        assert [p.text[a:b] for a, b in p.sentence_spans()] == list(p.sentences or (p.text,))


def test_a_gold_within_a_token_keeps_its_part_of_it() -> None:
    made = ablate(about("The Grey Heron-class of 1871 sank.", answer="Heron"), 3)
    text = made.example.paragraphs[0].text
    assert made.gold is not None
    assert text[made.gold.start : made.gold.end] == "Heron"


def test_another_tagger_may_be_given() -> None:
    made = ablate(about("Ada ran."), 11, tagger=lambda row: [("PRP", word) for word in row])
    assert made.example.paragraphs[0].text == f"{UNKNOWN} {UNKNOWN}{UNKNOWN}"


def test_there_is_no_fifteenth() -> None:
    with pytest.raises(ValueError, match="there are 1 to 14"):
        ablate(about(), 15)


def test_sentences_are_drawn_where_the_source_draws_none() -> None:
    text = "Dr. Lorne came in. She sat down."
    assert [text[s.start : s.end] for s in passage(text).sentences] == ["Dr. Lorne came in.", "She sat down."]
