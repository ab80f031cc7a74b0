"""The tasks that batches can have, with their options."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.pagination import SinglePage
from annotation.api.serializers import JSON
from annotation.api.setting_fields import WORDS, DescribedSerializer, described
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import estimates
from annotation.pure.setting_fields import settings_of
from annotation.registry import default_instructions, task_types
from annotation.tasktype import TaskType, capabilities


class OptionSerializer(DescribedSerializer):
    """An option of a task."""

    type = serializers.ChoiceField(choices=list(WORDS.values()))


class TaskSerializer(serializers.Serializer):
    """A task."""

    name = serializers.CharField()
    title = serializers.CharField()
    question = serializers.CharField(help_text="What workers are asked, in one line.")
    needs = serializers.CharField(help_text="What an item must contain.")
    options = OptionSerializer(many=True)
    assignments_per_hit = serializers.IntegerField(help_text="The default number of assignments per HIT.")
    samples_groups = serializers.BooleanField(
        help_text="Whether a batch's sample counts whole groups, with the default options."
    )
    pays_by_answer = serializers.BooleanField(help_text="Whether its options set the reward of a response.")
    reviewed = serializers.BooleanField(help_text="Whether requesters review its responses (`reviews/`).")
    instructions = serializers.CharField(help_text="The default instructions, in Markdown.")


class TaskViewSet(ResourceViewSet):
    """All tasks."""

    serializer_class = TaskSerializer
    pagination_class = SinglePage

    @operation()
    def list(self) -> Any:
        """List tasks, with the options that a batch can set."""
        return [_task_data(kind, task) for kind, task in task_types().items() if task.launched]


def _task_data(kind: str, task: TaskType) -> JSON:
    return {
        "name": kind,
        "title": _(task.title),
        "question": _(task.question),
        "needs": _(task.needs),
        "options": [described(one) for one in settings_of(task.Options).values()],
        "assignments_per_hit": task.assignments,
        "samples_groups": capabilities.samples_groups(task, task.Options()),
        "pays_by_answer": estimates.pays_itself(kind),
        "reviewed": bool(capabilities.criteria(task)),
        "instructions": default_instructions(kind),
    }
