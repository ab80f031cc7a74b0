"""Settings of a batch in a request: fields made of the settings, which `flow.batches.parsing` checks."""

from typing import Any

from rest_framework import serializers

from annotation.api.batches.serializers import ChecksSerializer, RequirementSerializer
from annotation.api.examples import QUALIFICATION
from annotation.api.serializers import Input, KindField, texts
from annotation.api.setting_fields import description, input_field
from annotation.flow.batches.settings import PLAIN, SETTINGS
from annotation.pure.setting_fields import ALWAYS
from annotation.registry import kinds


class TermsInput(Input):
    """Settings that may change after the launch. Fields that are left out stay unchanged."""

    ALIASES = {"guide": "instructions"}
    shown = [one.name for one in SETTINGS.values() if one.changes == ALWAYS]

    people = texts(
        64, required=False, help_text="Pseudonyms or worker ids of those who may work on it; empty: everybody."
    )
    requirements = RequirementSerializer(many=True, required=False)

    def get_fields(self) -> dict[str, Any]:
        """The declared fields, and one for each other setting, in the order of the settings."""
        declared = super().get_fields()
        made = {one.name: input_field(one) for one in PLAIN if one.name in self.shown and one.name not in declared}
        for name in declared.keys() & SETTINGS.keys():
            declared[name].help_text = f"{description(SETTINGS[name])} {declared[name].help_text or ''}".strip()
        fields = made | declared
        return {name: fields.pop(name) for name in SETTINGS if name in fields} | fields


class DraftInput(TermsInput):
    """Settings of a draft. Fields that are left out stay unchanged; those of a new draft get the task's defaults."""

    EXAMPLE = {"title": "Which tower?", "expected_minutes": 2.5, "people": []}
    shown = list(SETTINGS)

    name = serializers.SlugField(max_length=100, required=False)
    task = KindField(choices=kinds(), required=False, help_text="One of `listTasks`.")
    datasets = texts(100, required=False)
    options = serializers.DictField(required=False, help_text="Those of the task; see `tasks/`.")
    marketplace = serializers.CharField(max_length=50, required=False, allow_blank=True)
    checks = ChecksSerializer(required=False)


class NewDraftInput(DraftInput):
    """A new draft."""

    EXAMPLE = {
        "title": "First study",
        "task": "answer",
        "datasets": ["wells"],
        "sample": 125,
        "seed": 7,
        "assignments_per_hit": 3,
        "paid": True,
        "reward": "0.25",
        "auto_approve_days": 7,
        "requirements": [{"type": QUALIFICATION, "comparator": "GreaterThanOrEqualTo", "values": [75]}],
    }

    title = serializers.CharField(max_length=200)
    task = KindField(choices=kinds(), help_text="One of `listTasks`.")
    datasets = texts(100, allow_empty=False)
