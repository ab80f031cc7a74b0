"""Template tags for display: lines that are joined, spans, grades."""

from __future__ import annotations

from typing import Any

import pytest
from django.template import Context, Template

from annotation.templatetags.display_tags import span_list
from annotation.templatetags.figure_tags import graded


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
