"""Discovery of what the installed apps contribute, so that the engine lists none of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from django.apps import apps
from django.db.models import Model
from django.utils.module_loading import module_has_submodule

ENGINE = "annotation"


class MenuEntry(NamedTuple):
    """A page of a project, from an app's module `plugin`: its list SETTINGS or BATCHES names the page that links it.

    The search finds both.
    """

    act: str  # the required permission (annotation.pure.people.roles)
    page: str  # the URL's name; the URL takes the project's slug
    label: Any
    words: str = ""  # synonyms for the search
    shown: Callable[[Any], bool] = lambda _project: True  # whether BATCHES links it; the search always finds it
    help: Any = ""  # what it is for, beside the link of SETTINGS


class BatchTab(NamedTuple):
    """A page of a batch, from the list TABS of an app's module `plugin`; the batch's pages list it under *More*."""

    page: str  # the URL's name; the URL takes the project's and the batch's slug
    label: Any
    shown: Callable[[Any], bool]  # whether this batch has it
    beside: str = ""  # another page of the batch that leads to it, for those who may change the batch


def models() -> list[type[Model]]:
    """Every model of the engine and of its apps, including many-to-many tables."""
    own = [config for config in apps.get_app_configs() if f"{config.name}.".startswith(f"{ENGINE}.")]
    return [model for config in own for model in config.get_models(include_auto_created=True)]


def listed(hook: str) -> list[Any]:
    """The joined lists of that name in the modules `plugin` of our apps, in the order of INSTALLED_APPS."""
    own = [config for config in apps.get_app_configs() if config.name.startswith(f"{ENGINE}.")]
    having = [config for config in own if module_has_submodule(config.module, "plugin")]
    plugins = [importlib.import_module(f"{config.name}.plugin") for config in having]
    return [entry for plugin in plugins for entry in getattr(plugin, hook, [])]
