"""What is fixed when a batch is launched, in words, for the page of its settings."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.flow.batches.parsing import proposals
from annotation.flow.batches.settings import GROUPS, SETTINGS, HiddenGold, stored
from annotation.flow.batches.task_fit import features_of
from annotation.forms.setting_fields import OptionsForm, is_changed
from annotation.models import Batch
from annotation.pure.setting_fields import DRAFT, digests, settings_of
from annotation.registry import task_type
from annotation.tasktype import capabilities


def settled(batch: Batch) -> list[dict[str, Any]]:
    """The settings that are fixed at the launch, with the options of the task, by group.

    {"title", "rows": [(label, value)], "line" (their values), "changed" (how many are not as proposed)}. Groups are
    those of the page of a new batch; what stands on its first layer comes first, under no title.
    """
    held, task = stored(batch), task_type(batch.task)
    proposed = {"name": held["name"], **proposals(batch.task)}
    suggested = capabilities.suggest(task, features_of(batch.datasets.all()))
    found: dict[str, list[tuple[str, Any, str, bool]]] = {"": []}
    for name, one in SETTINGS.items():
        if name == "options":
            fields = OptionsForm(batch.task, initial=batch.options)
            for field in (each for each in fields if each not in fields.objects):
                shown = _in_words(field.value(), dict(getattr(field.field, "choices", ()))) or "–"
                changed = is_changed(field, suggested.get(field.name, field.field.initial))
                found.setdefault(_(GROUPS["options"]), []).append((str(field.label), field.value(), shown, changed))
        elif one.changes == DRAFT and name in held and one.group != "consent":
            value = _(task.title) if name == "task" else held[name]
            shown = _in_words(value, one.choices or {}) or _(one.empty or "–")
            title = _(GROUPS[one.group]) if one.group in GROUPS and not one.first else ""
            changed = held[name] != proposed.get(name, one.default)
            found.setdefault(title, []).append((_(one.label), value, shown, changed))
    return [
        {
            "title": title,
            "rows": [(label, shown) for label, _value, shown, _changed in rows],
            "line": " · ".join(_lines(title, rows)),
            "changed": sum(changed for *_row, changed in rows),
        }
        for title, rows in found.items()
        if rows
    ]


def _lines(title: str, rows: list[Any]) -> Iterator[str]:
    """A few words for each setting, and none for a switch that is off or an empty field."""
    for label, value, shown, changed in rows:
        if changed or (value is not False and shown != "–"):
            yield str(label) if value is True else shown if label == title else f"{label}: {shown}"


def objects_of(batch: Batch) -> list[dict[str, Any]]:
    """The options that are objects: label, value, SHA-256, and the templates that show it, the task's own first."""
    known, hashes = settings_of(task_type(batch.task).Options), digests(task_type(batch.task).Options, batch.options)
    return [
        {
            "label": _(known[name].label),
            "value": batch.options[name],
            "sha256": sha256,
            "templates": [f"{batch.task}/_{name}.html", "batches/_object.html"],
        }
        for name, sha256 in ((name.removesuffix("_sha256"), sha256) for name, sha256 in hashes.items())
    ]


def _in_words(value: Any, choices: Mapping[Any, Any]) -> str:
    """A setting's value for people; "" if there is none."""
    if isinstance(value, HiddenGold):
        return f"{value.percent:g} %" if value.percent else ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, int | Decimal):
        return number_format(value, force_grouping=True)
    return "" if value is None else str(choices.get(value, value))
