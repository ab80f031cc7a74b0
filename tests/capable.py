"""Give a task type a capability that it has not, for the length of a test."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.registry import task_type, task_types


def grant(monkeypatch: pytest.MonkeyPatch, kind: str, capability: type, **members: Any) -> None:
    """The task type of that kind also has the capability, with these members."""
    usual = type(task_type(kind))
    bases = (usual,) if issubclass(usual, capability) else (capability, usual)
    able = type(usual.__name__, bases, {"kind": kind, "__module__": usual.__module__, **members})
    monkeypatch.setitem(task_types(), kind, able())
