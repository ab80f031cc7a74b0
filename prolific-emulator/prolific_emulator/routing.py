"""The operations of the emulated API: a function for each method and path, found by pattern."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from prolific_emulator.world import Problem, World


@dataclass
class Call:
    """A request: the parts of its path by name, its query and its JSON."""

    world: World
    path: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    def required(self, *names: str) -> list[Any]:
        """These members of the body; Problem names the missing ones."""
        missing = {name: ["This field is required."] for name in names if self.body.get(name) in (None, "")}
        if missing:
            raise Problem(400, missing)
        return [self.body[name] for name in names]

    def named(self, what: str) -> Any:
        """The row of this kind that the path names; Problem if there is none."""
        (name,) = self.parts.values()
        return self.world.find(what, name)


@dataclass
class Reply:
    """A response: its status, its JSON and more headers."""

    status: int
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


Act = Callable[[Call], Reply]
OPERATIONS: list[tuple[str, str, re.Pattern[str], Act]] = []  # (method, template, pattern, function)


def operation(method: str, template: str) -> Callable[[Act], Act]:
    """Register a function for a method and a path with {parts}, as the interface description writes them."""

    def register(act: Act) -> Act:
        pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(template)))
        OPERATIONS.append((method, template, pattern, act))
        return act

    return register


def find(method: str, path: str) -> tuple[str, Mapping[str, str], Act]:
    """(template, parts, function) of a request; Problem where there is none. A GET may leave the last slash out."""
    whole = path if path.endswith("/") or method != "GET" else f"{path}/"
    met = [
        (verb, template, found.groupdict(), act)
        for verb, template, pattern, act in OPERATIONS
        if (found := pattern.fullmatch(path) or pattern.fullmatch(whole))
    ]
    for verb, template, parts, act in met:
        if verb == method:
            return template, parts, act
    raise Problem(405 if met else 404, f"{method} {path} is not an operation of this emulator.")


def page_of(call: Call, rows: list[Any], *, size: int = 20) -> Reply:
    """One page of a list, with links to the others; a page past the end is not found."""
    try:
        page, size = int(call.query.get("page", 1)), int(call.query.get("page_size", size))
    except ValueError:
        raise Problem(400, {"page": ["A valid integer is required."]}) from None
    last = max(1, -(-len(rows) // max(size, 1)))
    if not 1 <= page <= last or size < 1:
        raise Problem(404, "Invalid page.", code=140_404)

    def link(number: int | None) -> dict[str, Any]:
        kept = {name: value for name, value in call.query.items() if name != "page"}
        words = "&".join(f"{name}={value}" for name, value in (kept | {"page": str(number)}).items())
        return {"href": f"{call.world.origin}{call.path}?{words}" if number else None, "title": "Page"}

    links = {
        "self": link(page),
        "next": link(page + 1 if page < last else None),
        "previous": link(page - 1 if page > 1 else None),
        "last": link(last),
    }
    return Reply(200, {"results": rows[(page - 1) * size : page * size], "_links": links, "meta": {"count": len(rows)}})
