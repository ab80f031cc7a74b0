"""A person's own keys, which are the same in all tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext as _

from annotation.models import User
from annotation.registry import task_types
from annotation.tasktype.keys import Key


@dataclass(frozen=True, slots=True)
class Action:
    """What a key does: its default and gettext ids of its descriptions, and of the titles of the tasks that have it."""

    key: str
    labels: tuple[str, ...]
    tasks: tuple[str, ...]
    everywhere: bool


@cache
def actions() -> dict[str, Action]:
    """All actions of tasks' pages whose key can be changed, those of every task last."""
    tasks = [task for task in task_types().values() if task.launched]
    found: dict[str, list[tuple[Key, str]]] = {}
    for task in tasks:
        for key in task.keys.values():
            if not key.fixed:
                found.setdefault(key.action, []).append((key, task.title))
    made = {name: _action(uses, everywhere=len(uses) == len(tasks)) for name, uses in found.items()}
    return dict(sorted(made.items(), key=lambda named: named[1].everywhere))


def _action(uses: list[tuple[Key, str]], *, everywhere: bool) -> Action:
    labels = dict.fromkeys(key.label for key, _title in uses)
    return Action(uses[0][0].key, tuple(labels), tuple(title for _key, title in uses), everywhere)


def conflicts(keys: Mapping[str, str]) -> dict[str, str]:
    """Why keys cannot be set, by action: two actions of a task would have the same key, or it is no single sign."""
    found: dict[str, str] = {}
    for task in task_types().values():
        named = {name: key.key if key.fixed else keys.get(name, key.key) for name, key in task.keys.items()}
        for name in named.keys() & keys.keys():
            others = [other for other, key in named.items() if other != name and key == named[name]]
            if others and not task.keys[name].fixed:
                words = {"key": named[name], "what": _(task.keys[others[0]].label), "task": _(task.title)}
                found.setdefault(name, _("“%(key)s” is already the key for “%(what)s” (%(task)s).") % words)
    unfit = _("Please choose a single letter or symbol. Digits choose an option by its number.")
    return found | {name: unfit for name, key in keys.items() if not _fits(name, key)}


def _fits(name: str, key: str) -> bool:
    default = name in actions() and key == actions()[name].key
    return default or (len(key) == 1 and key.isprintable() and not key.isspace() and not key.isdigit())


def save(user: User, *, off: bool, keys: Mapping[str, str]) -> None:
    """Store the keys that differ from the defaults; `off`: single keys do nothing."""
    own = {name: key for name, key in keys.items() if name not in actions() or key != actions()[name].key}
    User.objects.filter(pk=user.pk).update(shortcuts={"off": off, "keys": own})
