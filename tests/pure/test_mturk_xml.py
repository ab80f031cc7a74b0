"""The protocol's XML: what is read, what is refused, and that what is written can be read back."""

from __future__ import annotations

from xml.dom import minidom

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.mturk.answer_key import score
from annotation.pure.mturk.mturk_xml import (
    External,
    Html,
    answers_xml,
    origin_of,
    read_answer_key,
    read_answers,
    read_question,
    with_query,
)
from annotation.pure.mturk.question_form import FreeText, Piece, Question, QuestionForm, Selection, complaints
from annotation.pure.text.xml_elements import NAMESPACES, Malformed

XML_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=[chr(c) for c in range(32)] + ["\ufffe", "\uffff"])
    | st.sampled_from("\t\n\r")
)


def external(url: str, height: str = "400", *, more: str = "") -> str:
    return (
        f'<ExternalQuestion xmlns="{NAMESPACES}2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight>{more}</ExternalQuestion>"
    )


def html(content: str) -> str:
    return (
        f'<HTMLQuestion xmlns="{NAMESPACES}2011-11-11/HTMLQuestion.xsd">'
        f"<HTMLContent><![CDATA[{content}]]></HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>"
    )


def form(content: str, *, version: str = "2005-10-01") -> str:
    return f'<QuestionForm xmlns="{NAMESPACES}{version}/QuestionForm.xsd">{content}</QuestionForm>'


def asked(name: str, answer: str, *, required: str = "true") -> str:
    return (
        f"<Question><QuestionIdentifier>{name}</QuestionIdentifier><IsRequired>{required}</IsRequired>"
        f"<QuestionContent><Text>Well?</Text></QuestionContent>"
        f"<AnswerSpecification>{answer}</AnswerSpecification></Question>"
    )


def key(questions: str, mapping: str = "") -> str:
    return f'<AnswerKey xmlns="{NAMESPACES}2005-10-01/AnswerKey.xsd">{questions}{mapping}</AnswerKey>'


def selection(more: str = "", *, other: str = "", names: str = "ab") -> str:
    choices = "".join(
        f"<Selection><SelectionIdentifier>{name}</SelectionIdentifier><Text>{name * 3}</Text></Selection>"
        for name in names
    )
    return f"<SelectionAnswer>{more}<Selections>{choices}{other}</Selections></SelectionAnswer>"


def test_what_a_question_lacks_is_named() -> None:
    with pytest.raises(Malformed, match="ExternalQuestion has no FrameHeight"):
        read_question(external("https://a.example/").replace("<FrameHeight>400</FrameHeight>", ""))
    with pytest.raises(Malformed, match="Question has no AnswerSpecification"):
        read_question(form(asked("a", "").replace("<AnswerSpecification></AnswerSpecification>", "")))


def test_an_external_question_gives_its_address_unescaped() -> None:
    assert read_question(external("https://a.example/p?x=1&amp;y=2", "0")) == External("https://a.example/p?x=1&y=2", 0)


def test_a_declaration_and_bytes_are_read_as_well() -> None:
    text = '<?xml version="1.0" encoding="UTF-8"?>\n' + external("https://a.example/é")
    assert read_question(text) == read_question(text.encode()) == External("https://a.example/é", 400)


@pytest.mark.parametrize("url", ["http://localhost:8000/x", "http://127.0.0.1/x", "http://[::1]:81/x"])
def test_an_address_on_this_machine_may_go_without_https(url: str) -> None:
    assert read_question(external(url)) == External(url, 400)


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "no xml",
        external("https://a.example/?x=1&y=2"),
        external("http://a.example/"),
        external("javascript:alert(1)"),
        external("//a.example/"),
        external("https://user:{}@a.example/".format("word")),
        external("https://a.example:99999999/"),
        external("https://a.example;script-src *.x/"),
        external("https://a.example/a b"),
        external("https://a.example/", "tall"),
        external("https://a.example/", "-1"),
        external("https://a.example/", more="<More/>"),
        external("https://a.example/").replace("2006-07-14", "2006-07-15"),
        external("https://a.example/").replace("<FrameHeight>400</FrameHeight>", ""),
        external("https://a.example/").replace("<ExternalURL>https://a.example/</ExternalURL>", ""),
        "<!DOCTYPE a [<!ENTITY b 'c'>]>" + external("https://a.example/&b;"),
        external("https://a.example/" + "x" * 65_536),
        html(" "),
        form(""),
        form("<Overview><Title>Only</Title></Overview>"),
        form(asked("a", "<FreeTextAnswer/>") + asked("a", "<FreeTextAnswer/>")),
        form(asked("a", "<FreeTextAnswer/>") + "<Script/>"),
        form(asked("a", "")),
        form(asked("a", "<FreeTextAnswer/>", required="maybe")),
        form(asked("a", selection(names="aa"))),
        form(asked("a", selection("<MinSelectionCount>3</MinSelectionCount>"))),
        form(asked("a", "<FreeTextAnswer/>"), version="2008-01-01"),
        answers_xml([]),
    ],
)
def test_what_is_no_question_is_refused_with_a_reason(xml: str) -> None:
    with pytest.raises(Malformed, match=r"\w+"):
        read_question(xml)


def test_an_html_question_gives_its_page_as_it_is() -> None:
    assert read_question(html("<!DOCTYPE html><p>a &amp; b")) == Html("<!DOCTYPE html><p>a &amp; b", 0)


@pytest.mark.parametrize("version", ["2005-10-01", "2017-11-06"])
def test_a_form_gives_its_parts_in_their_order(version: str) -> None:
    overview = "<Overview><Title>T</Title><List><ListItem>one</ListItem></List></Overview>"
    read = read_question(form(overview + asked("a", "<FreeTextAnswer/>") + asked("b", selection()), version=version))
    assert isinstance(read, QuestionForm)
    assert read.parts[0] == (Piece("title", "T"), Piece("list", items=("one",)))
    assert [question.name for question in read.questions] == ["a", "b"]


def constrained(constraints: str) -> Question:
    free = f"<FreeTextAnswer><Constraints>{constraints}</Constraints></FreeTextAnswer>"
    read = read_question(form(asked("a", free)))
    assert isinstance(read, QuestionForm)
    return read.questions[0]


@pytest.mark.parametrize(
    ("constraints", "text", "said"),
    [
        ("", "x", []),
        ("", " ", ["missing"]),
        ('<Length minLength="2" maxLength="3"/>', "x", ["too_short"]),
        ('<Length minLength="2" maxLength="3"/>', "xxxx", ["too_long"]),
        ('<IsNumeric minValue="1" maxValue="2.5"/>', "2.5", []),
        ('<IsNumeric minValue="1" maxValue="2.5"/>', "2.6", ["range"]),
        ("<IsNumeric/>", "two", ["number"]),
        ('<AnswerFormatRegex regex="^(a+)+$"/>', "a" * 40 + "b", []),
    ],
)
def test_a_text_is_held_to_its_constraints(constraints: str, text: str, said: list[str]) -> None:
    assert complaints(constrained(constraints), [text]) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a"], ["too_few"]),
        (["a", "b"], []),
        (["a", "b", "c"], ["too_many"]),
        (["a", "other"], []),
        (["x", "y"], ["unknown"]),
        ([], ["missing"]),
    ],
)
def test_choices_are_counted_with_the_other_one(values: list[str], said: list[str]) -> None:
    counts = "<MinSelectionCount>2</MinSelectionCount><MaxSelectionCount>2</MaxSelectionCount>"
    read = read_question(form(asked("a", selection(counts, other="<OtherSelection/>", names="abc"))))
    assert isinstance(read, QuestionForm)
    assert complaints(read.questions[0], values) == said


def test_a_file_to_upload_is_read_and_never_missed() -> None:
    read = read_question(form(asked("a", "<FileUploadAnswer/>") + asked("b", "<FreeTextAnswer/>")))
    assert isinstance(read, QuestionForm)
    assert read.questions[0].answer is None
    assert complaints(read.questions[0], []) == []
    assert isinstance(read.questions[1].answer, FreeText)


def test_answers_are_written_as_the_real_service_writes_them() -> None:
    assert answers_xml([("f", "v")]) == (
        '<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="http://mechanicalturk.amazonaws.com/'
        'AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"><Answer><QuestionIdentifier>f'
        "</QuestionIdentifier><FreeText>v</FreeText></Answer></QuestionFormAnswers>"
    )


def test_an_answer_without_fields_is_a_document_too() -> None:
    assert minidom.parseString(answers_xml([])).documentElement.tagName == "QuestionFormAnswers"


def test_repeated_names_are_joined_and_keep_the_first_place() -> None:
    assert read_answers(answers_xml([("a", "1"), ("b", "2"), ("a", "é")])) == [("a", "1|é"), ("b", "2")]
    assert "&#233;" in answers_xml([("a", "é")])


def test_choices_of_a_form_are_written_as_selections() -> None:
    read = read_question(form(asked("a", selection(other="<OtherSelection/>")) + asked("b", "<FreeTextAnswer/>")))
    assert isinstance(read, QuestionForm)
    assert isinstance(read.questions[0].answer, Selection)
    written = answers_xml([("a", "b"), ("a", "else"), ("b", "b")], read)
    assert "<SelectionIdentifier>b</SelectionIdentifier><OtherSelectionText>else</OtherSelectionText>" in written
    assert "<FreeText>b</FreeText>" in written
    assert read_answers(written) == [("a", "b"), ("a", "else"), ("b", "b")]


@given(st.lists(st.tuples(XML_TEXT, XML_TEXT), unique_by=lambda pair: pair[0]))
def test_any_text_comes_back_as_it_was(fields: list[tuple[str, str]]) -> None:
    written = answers_xml(fields)
    assert written.isascii()
    assert read_answers(written) == fields


@given(st.text(st.characters()))
def test_what_xml_cannot_hold_is_left_out_and_nothing_else(text: str) -> None:
    ((_name, back),) = read_answers(answers_xml([("f", f"<{text}>")]))
    assert back.startswith("<")
    assert back.endswith(">")
    assert [c for c in text if ord(c) > 31 and not 0xD800 <= ord(c) < 0xE000 and c not in "\ufffe\uffff"] == [
        c for c in back[1:-1] if ord(c) > 31
    ]


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    for read in (read_question, read_answers, read_answer_key):
        with pytest.raises(Malformed):
            read(text)


QUESTION = (
    "<Question><QuestionIdentifier>q{n}</QuestionIdentifier>"
    "<AnswerOption><SelectionIdentifier>a</SelectionIdentifier><AnswerScore>3</AnswerScore></AnswerOption>"
    "<AnswerOption><SelectionIdentifier>a</SelectionIdentifier><SelectionIdentifier>b</SelectionIdentifier>"
    "<AnswerScore>5</AnswerScore></AnswerOption><DefaultScore>-1</DefaultScore></Question>"
)
PERCENTAGE = "<PercentageMapping><MaximumSummedScore>8</MaximumSummedScore></PercentageMapping>"
SCALE = "<ScaleMapping><SummedScoreMultiplier>2.5</SummedScoreMultiplier></ScaleMapping>"
RANGES = (
    "<RangeMapping><SummedScoreRange><InclusiveLowerBound>5</InclusiveLowerBound>"
    "<InclusiveUpperBound>8</InclusiveUpperBound><QualificationValue>77</QualificationValue></SummedScoreRange>"
    "<OutOfRangeQualificationValue>1</OutOfRangeQualificationValue></RangeMapping>"
)


@pytest.mark.parametrize(
    ("mapping", "answers", "value"),
    [
        ("", [("q1", "a"), ("q2", "b"), ("q2", "a")], 8),
        ("", [("q1", "a"), ("q1", "a")], 2),
        ("", [], -2),
        (PERCENTAGE, [("q1", "a")], 25),
        (PERCENTAGE, [("q1", "a"), ("q1", "b"), ("q2", "a")], 100),
        (SCALE, [("q1", "a")], 5),
        (SCALE, [("q1", "a"), ("q2", "a")], 15),
        (RANGES, [("q1", "a"), ("q2", "a")], 77),
        (RANGES, [("q1", "a")], 1),
    ],
)
def test_a_test_is_scored_by_its_key(mapping: str, answers: list[tuple[str, str]], value: int) -> None:
    whole = f"<QualificationValueMapping>{mapping}</QualificationValueMapping>" if mapping else ""
    read = read_answer_key(key(QUESTION.format(n=1) + QUESTION.format(n=2), whole))
    assert score(read, answers) == value


@pytest.mark.parametrize(
    "xml",
    [
        key(""),
        key(QUESTION.format(n=1) * 2),
        key(QUESTION.format(n=1).replace(">3<", ">three<")),
        key(QUESTION.format(n=1), f"<QualificationValueMapping>{PERCENTAGE}{SCALE}</QualificationValueMapping>"),
        key(QUESTION.format(n=1), f"<QualificationValueMapping>{PERCENTAGE}</QualificationValueMapping>").replace(
            ">8<", ">0<"
        ),
        form(asked("a", "<FreeTextAnswer/>")),
    ],
)
def test_what_is_no_key_is_refused(xml: str) -> None:
    with pytest.raises(Malformed):
        read_answer_key(xml)


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("https://a.example/p", "https://a.example/p?hitId=3A&turkSubmitTo=http%3A%2F%2Fx"),
        ("https://a.example/p?", "https://a.example/p?hitId=3A&turkSubmitTo=http%3A%2F%2Fx"),
        ("https://a.example/p?x=%20&y#z", "https://a.example/p?x=%20&y&hitId=3A&turkSubmitTo=http%3A%2F%2Fx#z"),
        ("https://a.example?hitId=1", "https://a.example?hitId=3A&turkSubmitTo=http%3A%2F%2Fx"),
    ],
)
def test_parameters_follow_the_query_that_is_there(url: str, whole: str) -> None:
    assert with_query(url, {"hitId": "3A", "turkSubmitTo": "http://x"}) == whole


def test_an_origin_is_what_browsers_compare() -> None:
    assert origin_of("https://A.example:443/x?y") == "https://a.example"
    assert origin_of("http://[::1]:8000/") == "http://[::1]:8000"
    assert origin_of("https://bücher.example/") == "https://xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("url", "fits"), [(" https://a.example/p.png ", True), ("javascript:x", False), ("https:// a", False)]
)
def test_a_picture_of_a_form_has_an_address_of_the_web(url: str, fits: bool) -> None:
    picture = f"<Binary><MimeType><Type>image</Type></MimeType><DataURL>{url}</DataURL><AltText>Well</AltText></Binary>"
    text = form(f"<Overview>{picture}</Overview>{asked('a', '<FreeTextAnswer/>')}")
    if fits:
        assert read_question(text).parts[0] == (Piece("link", text="Well", url="https://a.example/p.png"),)
    else:
        with pytest.raises(Malformed, match="DataURL"):
            read_question(text)
