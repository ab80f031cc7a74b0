"""Two requests at once, one step of theirs at a time: what happens just before a statement of a verb is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def just_before(statement: str, act: Callable[[], object]) -> Iterator[list[bool]]:
    """Do something before the first statement that begins so goes out; a list that is filled when it happened."""
    done: list[bool] = []

    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(statement) and not done:
            done.append(True)
            act()
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield done
