"""Template tags for display: lines that are joined, spans, grades."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.template import Context, Template
from django.utils import timezone, translation
from django.utils.formats import date_format

from annotation.templatetags import display_tags, paragraph_tags
from annotation.templatetags.display_tags import span_list
from annotation.templatetags.figure_tags import graded
from annotation.templatetags.money_tags import dollars


def shown(inside: str, **context: Any) -> str:
    return Template("{% load display_tags %}{% joinlines %}" + inside + "{% endjoinlines %}").render(Context(context))


def test_lines_are_joined_without_a_space() -> None:
    pieces = [{"text": "a\nb", "mark": False}, {"text": " c", "mark": True}]
    inside = """
      {% for piece in pieces %}
        {% if piece.mark %}
          <mark>
            {{ piece.text }}
          </mark>
        {% else %}
          {{ piece.text }}
        {% endif %}
      {% endfor %}
    """
    assert shown(inside, pieces=pieces) == "a\nb<mark> c</mark>"


def test_spaces_within_a_line_stay() -> None:
    inside = "<b>one</b>\n  {% if more %}, {% endif %}\n  <b>two</b>\n"
    assert shown(inside, more=True) == "<b>one</b>, <b>two</b>"


def test_attributes_stay_apart() -> None:
    inside = '<input\n  name="{{ name }}"\n  {% if on %}checked{% endif %}\n  data-a="1">\n<b>x</b>'
    assert shown(inside, name="n", on=True) == '<input name="n" checked data-a="1"><b>x</b>'


def test_a_value_in_several_lines_has_none() -> None:
    inside = "\n  ?show={{ name }}\n  {% if batch %}&amp;batch={{ batch }}{% endif %}\n"
    assert shown(inside, name="all", batch="b") == "?show=all&amp;batch=b"


def test_the_last_line_break_of_a_file_is_left_out() -> None:
    joined = "{% load display_tags %}{% joinlines %}\n  a\n{% endjoinlines %}\n"
    assert Template(joined).render(Context()) == "a"
    assert Template(joined + "b\n").render(Context()) == "a\nb\n"


def test_spans_as_scripts_read_them() -> None:
    assert span_list([(3, 8), (12, 20)]) == "3-8,12-20"
    assert span_list([]) == ""


@pytest.mark.parametrize(("value", "name"), [(None, "waiting"), (1, "full"), (0.5, "part"), (0.0, "none")])
def test_a_grade_has_a_style(value: float | None, name: str) -> None:
    assert graded(value) == name


def test_a_row_of_keys_escapes_and_offers_a_change_unless_it_is_fixed() -> None:
    row = display_tags.key_row("tick", "<", "Tick “A & B”")
    assert '<th scope="row">Tick “A &amp; B”</th>' in row
    assert 'data-key="&lt;"' in row
    assert 'data-change-key="tick"' in row
    fixed = display_tags.key_row("submit", "Mod+Enter", "Submit", fixed=True)
    assert "data-fixed" in fixed
    assert "data-change-key" not in fixed


def test_paragraphs_keep_every_character_and_their_ticks() -> None:
    """Also characters that the templates' blanks are made of."""
    texts = ["One. <b>Two</b>\r\n\0number\0 {number} %s", "Three."]
    paragraphs = [{"title": t, "text": x, "sentences": []} for t, x in zip(["A & B", " "], texts, strict=True)]
    controls = {"support": True, "sentences": False}
    made = paragraph_tags.paragraph_list({"paragraphs": paragraphs, "controls": controls}, {"support": [1]}, False)
    assert "One. &lt;b&gt;Two&lt;/b&gt;&#13;\n\0number\0 {number} %s</p>" in made
    assert "A &amp; B</span></h3>" in made
    assert [tick.split(">")[0].split() for tick in made.split("<input")[1:]] == [
        ['type="checkbox"', 'name="support"', 'value="0"', 'id="support-0"', 'aria-describedby="title-0"'],
        ['type="checkbox"', 'name="support"', 'value="1"', 'id="support-1"', "checked"],
    ]
    assert "Paragraph 2</span>" in made


def test_sentences_are_ticked_one_by_one() -> None:
    paragraph = {"title": "A", "text": "One. Two.", "sentences": [[0, 4], [5, 9]]}
    controls = {"support": True, "sentences": True}
    payload = {"paragraphs": [paragraph], "controls": controls}
    made = paragraph_tags.paragraph_list(payload, {"facts": ["0.1"]}, True)
    assert made.count("<input") == 2
    first, second = made.split("<input")[1:]
    assert "checked" not in first.split(">")[0]
    assert "checked" in second.split(">")[0]
    assert "disabled" in second.split(">")[0]
    assert "Sentence 2 of paragraph 1 supports the answer" in second
    assert '<p dir="auto" data-piece>One. </p>' in first


def test_paragraphs_are_in_the_language_of_the_page() -> None:
    payload = {"paragraphs": [{"title": "", "text": "x"}], "controls": {"support": False, "sentences": False}}
    english = paragraph_tags.paragraph_list(payload, {}, False)
    with translation.override("de"):
        assert "Absatz 1" in paragraph_tags.paragraph_list(payload, {}, False)
    assert "Paragraph 1" in english


@pytest.mark.parametrize(
    ("language", "amount", "day", "left"),
    [("en", "−$1,234.50", "28 Nov 2026", "6 days"), ("de", "−1.234,50 $", "28. Nov 2026", "6 Tagen")],
)
def test_amounts_dates_and_durations_are_written_as_in_the_language(
    language: str, amount: str, day: str, left: str
) -> None:
    """A German duration stands in the dative behind “in”."""
    with translation.override(language):
        assert dollars(Decimal("-1234.5")).replace("\u00a0", " ") == amount
        assert date_format(date(2026, 11, 28), "DATE_FORMAT") == day
        assert display_tags.time_left(timezone.now() + timedelta(days=6, minutes=1)).replace("\u00a0", " ") == left
