"""What a screen reader has of a page: the roles and names of Chromium's accessibility tree, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

NAMED = {
    "alert", "banner", "button", "checkbox", "combobox", "contentinfo", "group", "heading", "image", "link", "list",
    "listitem", "main", "progressbar", "radio", "region", "searchbox", "status", "textbox",
}  # fmt: skip
STATES = ("checked", "disabled", "expanded", "pressed")  # said after a name, where they are so


def _nodes(page: Any) -> dict[str, dict[str, Any]]:
    devtools = page.context.new_cdp_session(page)
    nodes = devtools.send("Accessibility.getFullAXTree")["nodes"]
    devtools.detach()
    return {node["nodeId"]: node for node in nodes}


def _walk(nodes: dict[str, dict[str, Any]], node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not node.get("ignored"):
        yield node
    for child in node.get("childIds", ()):
        if child in nodes:
            yield from _walk(nodes, nodes[child])


def _said(node: dict[str, Any], key: str) -> str:
    return " ".join(str(node.get(key, {}).get("value", "")).split())


def _properties(node: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"].get("value") for each in node.get("properties", ())}


def _line(node: dict[str, Any]) -> str:
    properties = _properties(node)
    states = [state for state in STATES if properties.get(state) in {True, "true"}]
    return " ".join(filter(None, (_said(node, "role"), _said(node, "name"), *(f"[{state}]" for state in states))))


def _tree(page: Any) -> list[dict[str, Any]]:
    nodes = _nodes(page)
    return list(_walk(nodes, next(iter(nodes.values()))))


def heard(page: Any, *roles: str) -> list[str]:
    """`role name [state]` of each node with one of the roles (default: all of NAMED), in reading order."""
    return [_line(node) for node in _tree(page) if _said(node, "role") in (roles or NAMED)]


def texts_of(page: Any, role: str) -> list[str]:
    """The text of each live message of the role: status or alert."""
    nodes = _nodes(page)
    live = [
        node
        for node in nodes.values()
        if not node.get("ignored") and _said(node, "role") == role and _properties(node).get("live", "off") != "off"
    ]
    return [
        " ".join(_said(part, "name") for part in _walk(nodes, node) if _said(part, "role") == "StaticText")
        for node in live
    ]


def described(page: Any) -> dict[str, str]:
    """Descriptions by `role name`."""
    return {_line(node): _said(node, "description") for node in _tree(page) if _said(node, "description")}


def shortcuts(page: Any) -> dict[str, str]:
    """Keys by `role name`, as a screen reader tells them."""
    return {_line(node): keys for node in _tree(page) if (keys := _properties(node).get("keyshortcuts"))}


def nameless(page: Any) -> list[str]:
    """Controls without a name."""
    controls = {"button", "checkbox", "combobox", "link", "radio", "searchbox", "textbox", "progressbar", "image"}
    return [str(node) for node in _tree(page) if _said(node, "role") in controls and not _said(node, "name")]
