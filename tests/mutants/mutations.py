"""The ways to break a line: each mutant of a module differs from it in one place inside of one function.

Left alone: texts, docstrings, annotations, defaults of parameters, lines of the log, and what only makes queries
cheaper or locks rows, which no test on SQLite can see.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
ROUNDING = {
    "ROUND_HALF_UP": "ROUND_DOWN", "ROUND_HALF_EVEN": "ROUND_DOWN", "ROUND_UP": "ROUND_DOWN", "ROUND_DOWN": "ROUND_UP",
    "ROUND_CEILING": "ROUND_FLOOR", "ROUND_FLOOR": "ROUND_CEILING",
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", **ROUNDING}
ATTRIBUTES = {"ceil": "floor", "floor": "ceil", **ROUNDING}
CONDITIONED = {"filter", "exclude", "get", "Q", "update"}  # calls that can do with a condition less
LINKS = {"filter", "exclude", "order_by", "distinct"}  # calls in a chain that the rest of it can do without
UNSEEN = {"select_for_update", "select_related", "prefetch_related", "only", "defer", "iterator"}
LOGGERS = {"log", "logger"}
Change = tuple[ast.AST, str, Any]  # node, field, what stands there instead


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken line. `before` and `after` are its statement, of several lines the first; `nth` of the same ones."""

    path: str
    function: str
    line: int
    before: str
    after: str
    nth: int

    @property
    def name(self) -> str:
        """What it is called wherever the line stands meanwhile."""
        return f"{self.path} {self.function}\n- {self.before}\n+ {self.after}"


def mutants(path: str, text: str) -> Iterator[tuple[Mutant, ast.Module]]:
    """Each mutant of a module with its tree, which is broken in this way until the next is asked for."""
    tree = ast.parse(text, path)
    seen: Counter[tuple[str, str, str]] = Counter()
    for function, node in functions(tree):
        for statement, change, removes in list(_all_changes(node)):
            before = _header(statement)
            undo = _swap(change)
            after = "pass" if removes else _header(statement)
            if after != before:
                same = (function, before, after)
                yield Mutant(path, function, statement.lineno, before, after, seen[same]), tree
                seen[same] += 1
            _swap(undo)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions and methods of a module by their qualified names; those within others belong to these."""
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            stack += [(f"{prefix}{node.name}.", inner) for inner in reversed(node.body)]


def _swap(change: Change) -> Change:
    """Change the tree; returns the change back."""
    node, field, new = change
    old = getattr(node, field)
    setattr(node, field, new)
    return node, field, old


def _header(statement: ast.stmt) -> str:
    return ast.unparse(statement).partition("\n")[0]


def _all_changes(function: ast.stmt) -> Iterator[tuple[ast.stmt, Change, bool]]:
    """(statement, change, whether it removes the statement) for everything in a function."""
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, [])
            for place, statement in enumerate(block if isinstance(block, list) else []):
                if _is_left_alone(statement):
                    continue
                if _is_removable(statement):
                    yield statement, (node, field, _with(block, place, ast.Pass())), True
                if isinstance(statement, ast.Return) and statement.value and not _is_false(statement.value):
                    yield statement, (statement, "value", ast.Constant(None)), False
                yield from ((statement, change, False) for change in _changes(statement))


def _with(values: list[Any], place: int, *new: Any) -> list[Any]:
    return [*values[:place], *new, *values[place + 1 :]]


def _is_left_alone(statement: ast.stmt) -> bool:
    """A docstring, a line of the log, or a query that only locks."""
    if not isinstance(statement, ast.Expr):
        return False
    if any(isinstance(node, ast.Attribute) and node.attr in UNSEEN for node in ast.walk(statement)):
        return True
    root: ast.AST = statement.value
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(root, ast.Constant) or (isinstance(root, ast.Name) and root.id in LOGGERS)


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _is_removable(statement: ast.stmt) -> bool:
    """What leaves no name undefined when it goes."""
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in statement.targets)
    return isinstance(statement, (ast.Expr, ast.AugAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break))


def _changes(statement: ast.stmt) -> Iterator[Change]:
    """What can be changed within a statement; of one with a body, in its header."""
    stack = list(_children(statement))
    while stack:
        parent, field, place, node = stack.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in UNSEEN:
            stack.append((node.func, "value", None, node.func.value))
            continue
        for new in _instead(node, parent, field):
            yield parent, field, new if place is None else _with(getattr(parent, field), place, new)
        if isinstance(node, ast.Call):
            yield from _with_less(node)
        stack += _children(node)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """(node, field, place in it, expression) of what stands below a node and may change."""
    for field, value in ast.iter_fields(node):
        if field not in {"annotation", "returns", "decorator_list"}:
            for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, (ast.expr, ast.keyword, ast.comprehension, ast.withitem)):
                    yield node, field, place, child


def _instead(node: ast.AST, parent: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand in the place of an expression."""
    if field in {"test", "ifs"} and not isinstance(parent, ast.Assert):
        yield from (ast.Constant(value) for value in ([False] if isinstance(parent, ast.While) else [False, True]))
    match node:
        case ast.Compare(left, operators, others):
            for k, operator in enumerate(operators):
                yield ast.Compare(left, _with(operators, k, COMPARISONS[type(operator)]()), others)
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS and not _is_text(left, right):
            yield ast.BinOp(left, OPERATORS[type(operator)](), right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield from (ast.Constant(other) for other in ([0, 2] if value == 1 else [value + 1]))
        case ast.Name(name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(module, name) if name in ATTRIBUTES:
            yield ast.Attribute(module, ATTRIBUTES[name], ast.Load())
        case ast.Call(ast.Attribute(rows, name)) if name in LINKS:
            yield rows


def _is_text(*nodes: ast.expr) -> bool:
    """Whether one of them makes this a sum of texts, or a text with places that are filled."""
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return any(isinstance(node, (ast.JoinedStr, ast.Dict)) for node in nodes) or any(isinstance(x, str) for x in texts)


def _with_less(call: ast.Call) -> Iterator[Change]:
    """A query with a condition less."""
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
    if name in CONDITIONED and call.keywords and len(call.args) + len(call.keywords) > 1:
        yield from ((call, "keywords", _with(call.keywords, k)) for k in range(len(call.keywords)))
        yield from ((call, "args", _with(call.args, k)) for k in range(len(call.args)))
