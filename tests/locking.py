"""One more rule of the house, as those of tests/architecture.py: a lock is on the rows that it names, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture import sources

LOOKUP = re.compile(r"__(isnull|in|gte?|lte?|exact|range)$")


def locks_of_others(root: Path) -> Iterator[str]:
    """Locks of rows found through other tables that do not say `of`: they lock rows of those, out of turn."""
    for source in sources(root, "annotation"):
        for node in source.nodes if "select_for_update" in source.text else ():
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return, ast.For)):
                looked = node.iter if isinstance(node, ast.For) else node.value
                if looked is not None and (through := ", ".join(_through(looked))):
                    yield f"{source.path}:{node.lineno} locks without of=, through {through}"


def _through(looked: ast.expr) -> list[str]:
    """What leads to other tables in an expression with a lock that does not say `of`."""
    calls = [one for one in ast.walk(looked) if isinstance(one, ast.Call)]
    locks = [one for one in calls if _name(one) == "select_for_update"]
    if all(any(given.arg == "of" for given in lock.keywords) for lock in locks):
        return []
    names = [given.arg or "" for one in calls for given in one.keywords]
    names += [str(given.value) for one in calls for given in one.args if isinstance(given, ast.Constant)]
    joins = [name for name in names if "__" in LOOKUP.sub("", name)]
    return joins + [_name(one) for one in calls if _name(one) == "select_related"]


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
