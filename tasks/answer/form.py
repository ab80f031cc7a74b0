"""Parsing the posted answer page."""

from __future__ import annotations

from annotation.tasktype.helpers.answer_form import AnswerForm


class Form(AnswerForm):
    """An answer and its support."""
