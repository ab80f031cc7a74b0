"""Projects as tests change them: settings by name, checked as from any door."""

from __future__ import annotations

from typing import Any

from annotation.flow.projects import projects
from annotation.flow.projects.parsing import parse
from annotation.models import Project


def change_project(project: Project, **data: Any) -> bool:
    """Whether the consent text became another."""
    return projects.change_project(project, parse(data, user=None, project=project))
