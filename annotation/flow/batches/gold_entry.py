"""Items whose gold answer workers cannot enter with the controls of a batch, where a launch stops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.data.lineage import is_altered
from annotation.models import Item
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.tasktype.capabilities import Enterable

SHOWN = 3


@dataclass(slots=True)
class GoldEntry:
    """What was found of a batch's items: how many have such gold, and the first of them as text."""

    task: str
    count: int = 0
    shown: list[str] = field(default_factory=list)
    _whole: dict[int, bool] = field(default_factory=dict)  # by dataset: whether its items should hold their answers

    def look(self, item: Item, payload: dict[str, Any]) -> None:
        """Count the item of a prepared HIT, if workers cannot enter its gold."""
        dataset = item.dataset
        if self._whole.setdefault(dataset.pk, not is_altered(dataset)):
            gold = item.example
            if not capabilities.enterable(task_type(self.task), payload, gold):
                self.count += 1
                if len(self.shown) < SHOWN:
                    words = " / ".join(gold.answers[:3]) if gold.answerable is not False else _("no answer")
                    self.shown.append(f"“{words[:80]}” ({item.source_id[:60]})")

    @property
    def problem(self) -> str:
        """Why a launch stops, with the ways out; "" if it does not."""
        task = task_type(self.task)
        if not (self.count and isinstance(task, Enterable)):
            return ""
        text = ngettext(
            "Workers cannot enter the gold answer of %(n)s item: %(shown)s.",
            "Workers cannot enter the gold answers of %(n)s items, such as %(shown)s.",
            self.count,
        )
        return f"{text % {'n': self.count, 'shown': ', '.join(self.shown)}} {_(task.ways_out)}"
