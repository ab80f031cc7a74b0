"""Parsing the posted answer page."""

from annotation.tasktype.helpers.task_form import AnswerForm


class Form(AnswerForm):
    """An answer and its support."""
