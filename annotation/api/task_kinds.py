"""The task types that requesters launch batches of, with their options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.lists import JSON, ProjectList, Whole
from annotation.flow import estimating
from annotation.registry import default_guide, task_types
from annotation.tasktype import TaskType

WORDS = {bool: "boolean", int: "integer", float: "number", str: "string"}


class OptionSerializer(serializers.Serializer):
    """What a requester may set per batch."""

    name = serializers.CharField()
    type = serializers.ChoiceField(choices=[(word, word) for word in WORDS.values()])
    default = serializers.JSONField()
    label = serializers.CharField()
    help = serializers.CharField(allow_blank=True)
    choices = serializers.ListField(child=serializers.CharField(), help_text="Of a text; none: any.")


class TaskSerializer(serializers.Serializer):
    """A kind of question put to people."""

    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField(help_text="What workers are asked, in one line.")
    needs = serializers.CharField(help_text="What an item must hold to be asked about.")
    options = OptionSerializer(many=True)
    assignments_per_hit = serializers.IntegerField(help_text="How many a new batch asks for, unless told otherwise.")
    samples_groups = serializers.BooleanField(
        help_text="Whether a batch's sample counts whole groups, with the options as they are proposed."
    )
    pays_by_answer = serializers.BooleanField(
        help_text="Whether its options say what an answer earns, instead of the batch's reward."
    )
    reviewed = serializers.BooleanField(help_text="Whether requesters read its answers (`reviews/`).")
    guide = serializers.CharField(help_text="The instructions that a new batch begins with, in Markdown.")


class Tasks(ProjectList):
    """Every task type."""

    serializer_class = TaskSerializer
    pagination_class = Whole

    @extend_schema(
        operation_id="listTasks",
        tags=["batches"],
        summary="The kinds of task, with the options that a batch of each may set",
        responses=TaskSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.whole(_told(kind, task) for kind, task in task_types().items() if task.launched)


def _told(kind: str, task: TaskType) -> JSON:
    return {
        "name": kind,
        "title": _(task.title),
        "question": _(task.question),
        "needs": _(task.needs),
        "options": list(_options(task)),
        "assignments_per_hit": task.assignments,
        "samples_groups": task.samples_groups(task.Options()),
        "pays_by_answer": estimating.pays_itself(kind),
        "reviewed": bool(task.criteria),
        "guide": default_guide(kind),
    }


def _options(task: TaskType) -> Iterator[JSON]:
    option: Field[Any]
    for option in fields(task.Options):
        label = option.metadata.get("label") or option.name.replace("_", " ").capitalize()
        about = option.metadata.get("help", "")
        yield {
            "name": option.name,
            "type": WORDS[type(option.default)],
            "default": option.default,
            "label": _(label),
            "help": _(about) if about else "",
            "choices": list(option.metadata.get("choices", ())),
        }
