"""The checks of a composed question find what a writer must not do, where it stands, and leave good questions alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Hop
from annotation.pure.text.composed_question_checks import (
    CHECKS,
    LEVELS,
    Coverage,
    Finding,
    coverage,
    findings,
    most_words,
)
from annotation.pure.text.word_forms import kin, misspelt, words

TOWN = (
    Hop("Who founded the Tarn Observatory?", "Mara Quell"),
    Hop("In which town was #1 born?", "Port Anselm"),
    Hop("#2 >> river", "Lower Isk"),
)
GOOD = "On which river does the town lie where the founder of the Tarn Observatory was born?"


def found(question: str, hops: tuple[Hop, ...] = TOWN, most: int = 30) -> dict[str, Finding]:
    return {finding.id: finding for finding in findings(question, hops, most_words=most)}


def leaked(question: str, answer: str, *, asked: str = "Who runs the mill?") -> list[str]:
    """What of the question gives away the answer of a first hop of two."""
    hops = (Hop(asked, answer), Hop("Where does #1 live?", "Zwischenbrück"))
    finding = found(question, hops).get("gives_away-1")
    return list(finding.words) if finding else []


def test_a_good_composition_has_nothing_to_be_told() -> None:
    assert found(GOOD) == {}


def test_every_check_has_a_level_and_those_of_hops_have_the_hop_in_their_id() -> None:
    assert tuple(LEVELS) == CHECKS
    assert LEVELS["hop_missing"] == "warning"
    assert set(LEVELS.values()) == {"error", "warning"}
    assert Finding("hop_missing", 2).id == "hop_missing-2"
    assert Finding("too_long").id == "too_long"


@pytest.mark.parametrize(
    ("answer", "question", "words"),
    [
        ("Mara Quell", "Where does Mara Quell live?", "Mara Quell"),
        ("Mara Quell", "Where does MARA  QUELL live?", "MARA  QUELL"),
        ("Mara Quell", "Where is Mara Quell's house?", "Mara Quell's"),
        ("Mara Quell", "Where is mara quell’s house?", "mara quell’s"),
        ("Mara Quell", "Where do the Mara Quells live?", "Mara Quells"),
        ("Mara Quell", "Where does “Mara-Quell” live?", "Mara-Quell"),
        ("Mara Quell", "Where does Maraquell live?", "Maraquell"),
        ("Mara Quell", "Where does Mara Qeull live?", "Mara Qeull"),
        ("Mara Quell", "Where does Mara Quel live?", "Mara Quel"),
        ("Mara Quell", "Where does Mara J. Quell live?", "Mara J. Quell"),
        ("Mara Quell", "Where does Mara Ilse Quell live?", "Mara Ilse Quell"),
        ("Mara Édith Quell", "Where does Mara Edith Quell live?", "Mara Edith Quell"),
        ("Mara E. Quell", "Where does Mara Quell live?", "Mara Quell"),
        ("Sir Mara Quell", "Where does Mara Quell live?", "Mara Quell"),
        ("Quell Mills, Inc.", "Where is Quell Mills based?", "Quell Mills"),
        ("Quell (miller)", "Where does Quell live?", "Quell"),
        ("The Quellers", "Where do Quellers live?", "Quellers"),
        ("Quell, Mara", "Where does Mara Quell live?", "Mara Quell"),
        ("University of Anselm", "Where is Anselm University?", "Anselm University"),
        ("city", "Where are the cities?", "cities"),
        ("Thessaloniki", "Where is Thesalonikki?", "Thesalonikki"),
        ("3 September 1783", "Where was it on September 3, 1783?", "September 3, 1783"),
        ("1,250", "Where do 1250 live?", "1250"),
        ("US", "Where is the U.S. mint?", "U.S."),
        ("Governor of the Isk", "WHERE DOES THE GOVERNOR OF THE ISK LIVE?", "GOVERNOR OF THE ISK"),
        ("C++", "Where was C++ written?", "C++"),
        ("The Who", "Where did The Who live?", "The Who"),
        ("東京", "東京はどこですか？", "東京"),
        (
            "a small mill race between the two old river arms",
            "Where is the small mill race between both old river arms?",
            "small mill race between both old river arms",
        ),
    ],
)
def test_an_answer_on_the_way_is_found_however_it_is_written(answer: str, question: str, words: str) -> None:
    assert leaked(question, answer) == [words]


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Mara Quell", "Where does the Quell family live?"),
        ("Mara Quell", "Where does Mara live?"),
        ("Farrow", "Where is Farrowby?"),
        ("Iran", "Where is Iraq?"),
        ("1923", "Where was it in 1924?"),
        ("1923", "Where was it in 19231?"),
        ("12 May 1920", "Where was it in May 1920?"),
        ("Charles I", "Where was Charles V?"),
        ("King Charles I of Isk", "Where was King Charles V of Isk?"),
        ("The Who", "Who lives where?"),
        ("US", "Where does it take us?"),
        ("no", "Where is no river?"),
        ("the", "Where is the river?"),
        ("***", "Where is *** the river?"),
        ("", "Where is the river?"),
        ("South Isk", "Where is the south of the Isk?"),
    ],
)
def test_what_only_resembles_an_answer_is_left_alone(answer: str, question: str) -> None:
    assert leaked(question, answer) == []


@pytest.mark.parametrize(
    ("asked", "answer", "question"),
    [
        ("Who led the Senate before the Quells?", "The Senate", "Where does the body that led the Senate meet?"),
        ("Who was the first govenor of Anselm?", "Governor of Anselm", "Where did the first governor of Anselm live?"),
        ("Which king of Anselm was born in Port Isk?", "Port Anselm", "Where is Port Anselm?"),
        ("Which red oak mill is old?", "Red Oak Mill Race Arm", "Where is the Red Oak Mill Race?"),  # most of it
    ],
)
def test_words_that_a_hop_itself_uses_give_nothing_away(asked: str, answer: str, question: str) -> None:
    assert leaked(question, answer, asked=asked) == []


def test_a_word_of_a_hop_is_no_slip_of_an_answer() -> None:
    assert leaked("Where is the Garden of Herder?", "Harder", asked="Who planted the Garden of Herder?") == []
    assert leaked("Where is the Garden of Herder?", "Harder") == ["Herder"]


def test_the_answers_that_count_are_those_that_other_hops_use_and_the_last() -> None:
    hops = (Hop("Who founded Tarn?", "Quell"), Hop("Who owns Isk?", "Ember"), Hop("Who is the child of #1?", "Sorrel"))
    said = "Is Sorrel, or is Ember, the child of Quell, founder of Tarn, whose friend owns Isk?"
    assert set(found(said, hops)) == {"gives_away-1", "gives_away_final-3"}


def test_every_place_of_a_leak_is_told() -> None:
    question = "Where does Quell, that is Quell’s house, stand?"
    hops = (Hop("Who runs the mill?", "Quell"), Hop("Where does #1 live?", "Isk"))
    finding = found(question, hops)["gives_away-1"]
    assert [question[a:b] for a, b in finding.spans] == ["Quell", "Quell’s"] == list(finding.words)


@pytest.mark.parametrize(
    ("question", "hop"),
    [
        ("Who founded the Tarn Observatory?", 1),
        ("who founded tarn observatory", 1),
        ("By whom was the Tarn Observatory founded?", 1),
        ("Who fuonded the Tarn Observatory?", 1),
        ("In which town was Mara Quell born?", 2),
        ("In which town was #1 born?", 2),
        ("In which town was the person born?", 0),
        ("What is the river of Port Anselm?", 3),
        ("Where was the founder of the Tarn Observatory born?", 0),
        (GOOD, 0),
    ],
)
def test_a_question_that_is_one_of_the_hops_is_told(question: str, hop: int) -> None:
    assert [f.hop for f in found(question).values() if f.check == "repeats_hop"] == ([hop] if hop else [])


def test_a_relation_asked_of_itself_is_no_repetition() -> None:
    hops = (Hop("Sorrel Quell >> child", "Ember Quell"), Hop("#1 >> child", "Tarn Quell"))
    assert found("Who is the child of Sorrel Quell's child?", hops) == {}


def test_a_hop_without_any_of_its_words_is_told_with_them() -> None:
    finding = found("On which river does the town lie where an astronomer was born?")["hop_missing-1"]
    assert finding.words == ("founded", "Tarn", "Observatory")
    assert finding.spans == ()


def test_a_hop_of_many_words_needs_more_than_one_of_them() -> None:
    hops = (Hop("Who built the third red mill near Tarn with borrowed money?", "Quell"), Hop("Where is #1?", "Isk"))
    assert found("Where is the one near Tarn?", hops)["hop_missing-1"].words[0] == "built"
    assert "hop_missing-1" not in found("Where is the builder of the mill near Tarn?", hops)


@pytest.mark.parametrize(
    ("asked", "question", "used"),
    [
        ("Green >> performer", "Who sang Green?", {"Green": True, "performer": True}),
        ("Green >> performer", "Which performers made Blue?", {"Green": False, "performer": True}),
        ("Tarn >> place of birth", "Where was he born?", {"Tarn": False, "place": True, "birth": True}),
        ("Whom did #1 marry?", "Who was her husband?", {"marry": True}),
        ("Where was #1 born?", "What is his birthplace?", {"born": True}),
        ("Where is #1 located?", "What is its location?", {"located": True}),
        ("Who invented the loom?", "Where did the inventor of looms live?", {"invented": True, "loom": True}),
        ("Who marries #1's sisters?", "Which marriage has a sister?", {"marries": True, "sisters": True}),
        ("Which county has Tarn?", "Which country has Tarm?", {"county": False, "Tarn": False}),
        ("Which Observatory burnt?", "What observatry?", {"Observatory": True, "burnt": False}),
        ("#1 >> #2", "What?", {}),
        ("Who was born in 1920?", "Who was born in 1930?", {"born": True, "1920": False}),
    ],
)
def test_the_words_of_a_hop_count_as_used_in_other_forms(asked: str, question: str, used: dict[str, bool]) -> None:
    row = coverage(question, [Hop(asked, "x")])[0]
    assert dict(row.words) == used
    assert row.hop == 1
    assert row.skipped == (bool(used) and not any(used.values()))


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ("location", "located", True),
        ("running", "runner", True),
        ("cities", "city", True),
        ("born", "birth", True),
        ("birthplace", "birth", True),
        ("produce", "production", True),
        ("county", "country", False),
        ("continent", "container", False),
        ("port", "portrait", False),
    ],
)
def test_words_are_kin_by_their_endings(one: str, other: str, related: bool) -> None:
    assert kin(one, other) is kin(other, one) is related


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("Tarn lies on a river. Which one is it?", False),
        ("Tarn lies on a river. It is old. Which one is it?", True),
        ("Which of St. Mary's, Mt. Isk and the U.S. Army did J. R. Quell serve? Was it No. 5?", False),
        ("Was it Quell Ltd. Mill or Dr. Ember? Or the show Jeopardy! in Tarn?", False),
        ("Is it 3.5 million a.m. or p.m. in Tarn, e.g. Isk?", False),
        ("Is it so...? Really? Yes?", True),
        ("ここは町です。川です。どこですか？", True),
    ],
)
def test_more_than_two_sentences_are_told_and_abbreviations_end_none(question: str, result: bool) -> None:
    finding = found(question).get("sentences")
    assert bool(finding) is result
    if finding:
        assert question[slice(*finding.spans[0])] in question
        assert finding.spans[0][0] > 0


@pytest.mark.parametrize(("question", "result"), [("Which", True), ("Which?", False), ("何ですか？", False)])
def test_a_question_needs_its_mark(question: str, result: bool) -> None:
    assert ("no_question_mark" in found(question)) is result


def test_the_words_beyond_the_limit_are_told() -> None:
    question = "Which of these is it ?"
    assert "too_long" not in found(question, most=6)
    assert question[slice(*found(question, most=4)["too_long"].spans[0])] == "it ?"


def test_more_hops_may_have_more_words() -> None:
    limits = [most_words(TOWN[:1] * n) for n in range(1, 7)]
    assert limits == sorted(set(limits))


# ------------------------------------------------------------------------------------------------------- properties

NAMES = st.text(alphabet="abcdeghiklmnoprstuvwzéß", min_size=3, max_size=9).map(str.title)
ANSWERS = st.lists(NAMES, min_size=1, max_size=3).map(" ".join)
ANYTHING = st.text(max_size=80)
GRAPHS = st.lists(st.tuples(ANYTHING, ANYTHING), min_size=1, max_size=4).map(
    lambda pairs: tuple(Hop(f"#{k} {question}", answer) for k, (question, answer) in enumerate(pairs))
)


@given(ANYTHING, GRAPHS, st.integers(1, 40))
def test_whatever_is_typed_spans_lie_in_it_and_the_same_is_found_again(
    question: str, hops: tuple[Hop, ...], most: int
) -> None:
    result = findings(question, hops, most_words=most)
    assert result == findings(question, list(hops), most_words=most)
    assert len({finding.id for finding in result}) == len(result)
    for finding in result:
        assert finding.check in CHECKS
        assert 0 <= finding.hop <= len(hops)
        ends = [0, *(at for span in finding.spans for at in span), len(question)]
        assert ends == sorted(ends)
        assert all(start < end for start, end in finding.spans)
    assert [row.hop for row in coverage(question, hops)] == list(range(1, len(hops) + 1))


@given(ANYTHING, ANSWERS, ANYTHING)
def test_an_answer_in_the_question_is_found_and_cut_to_its_words(before: str, answer: str, after: str) -> None:
    hops = (Hop("Who?", answer), Hop("#1?", "1"))
    question = f"{before} {answer} {after}"
    if not any(not word.is_function for word in words(answer)):
        return
    finding = found(question, hops)["gives_away-1"]
    at = len(before) + 1
    assert any(start < at + len(answer) and at < end for start, end in finding.spans)
    assert finding.words == tuple(question[start:end] for start, end in finding.spans)
    starts, ends = ({word[k] for word in words(question)} for k in (0, 1))
    assert all(start in starts and end in ends for start, end in finding.spans)


@given(ANYTHING, ANSWERS)
def test_an_answer_that_a_hop_says_is_never_held_against_the_writer(question: str, answer: str) -> None:
    hops = (Hop(f"Who was with {answer}?", answer), Hop("Who knew #1?", answer))
    assert not {"gives_away-1", "gives_away_final-2"} & found(f"{question} {answer}?", hops).keys()


@given(ANYTHING.map(lambda text: text.replace("#", "")))
def test_a_text_uses_all_words_of_itself(text: str) -> None:
    row = coverage(text, [Hop(text, "x")])[0]
    assert all(used for _word, used in row.words)
    assert not row.skipped


def test_a_hop_is_neglected_by_its_one_telling_word_too() -> None:
    unused = Coverage(1, (("name", False), ("river", False)))
    assert unused.neglected
    assert not Coverage(1, (("name", False),)).neglected  # hardly says a thing


def test_one_word_in_five_is_too_little_for_a_hop_of_many_words() -> None:
    words = [("Tarn", True), ("founded", False), ("bridge", False), ("ferry", False), ("harbour", False)]
    assert Coverage(1, tuple(words)).neglected
    assert not Coverage(1, (*words[:1], ("founded", True), *words[2:])).neglected
    assert not Coverage(1, tuple(words[:4])).neglected


@pytest.mark.parametrize(("word", "meant"), [("libaries", "library"), ("univesities", "university")])
def test_a_slip_in_a_plural_is_seen_through(word: str, meant: str) -> None:
    assert misspelt(word, meant)
    assert not misspelt(meant, "observatory")


def test_an_answer_that_ends_with_of_is_not_given_away_by_the_rest_of_it() -> None:
    assert leaked("Which kind lives at the mill?", "Kind of") == []
