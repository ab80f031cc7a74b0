"""What a caller written for the released schema would miss in the current one, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete")
WORDS = {"description", "summary", "title", "example", "readOnly", "writeOnly"}  # no caller depends on them
APART = {"properties", "required", "items", "additionalProperties", "enum", "nullable"}  # compared by themselves


def differences(released: Any, current: Any, moved: Mapping[str, str]) -> Iterator[str]:
    """Each thing of the released schema that is gone or another one; `moved` is {old path: the path now}.

    New operations, optional parameters, optional fields of requests and fields of responses are no differences.
    """
    for path, operations in released["paths"].items():
        now = current["paths"].get(path) or current["paths"].get(moved.get(path, ""), {})
        for method in METHODS:
            if method in operations and method not in now:
                yield f"{operations[method]['operationId']}: {method.upper()} {path} is gone"
            elif method in operations:
                yield from _operation(plain(released, operations[method]), plain(current, now[method]))


def plain(schema: Any, node: Any) -> Any:
    """A part of a schema with its references followed, without its texts."""
    if isinstance(node, list):
        return [plain(schema, each) for each in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        found = schema
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return plain(schema, found)
    if isinstance(node.get("properties"), dict):  # their names may be any words
        fields = {name: plain(schema, field) for name, field in node["properties"].items()}
        return plain(schema, {name: each for name, each in node.items() if name != "properties"}) | {
            "properties": fields
        }
    result = {name: plain(schema, each) for name, each in node.items() if name not in WORDS}
    kinds = result.get("oneOf", result.get("allOf", ()))
    if kinds and all("enum" in kind for kind in kinds):  # an enumeration, and another one that has “nothing” only
        result = {name: each for name, each in result.items() if name not in ("oneOf", "allOf")}
        return result | {"type": "string", "enum": [value for kind in kinds for value in kind["enum"]]}
    if len(result.get("allOf", ())) == 1:  # a reference with a default beside it
        return result.pop("allOf")[0] | result
    return result


def _operation(before: Any, now: Any) -> Iterator[str]:
    name = before["operationId"]
    if now["operationId"] != name:
        yield f"{name}: its id is {now['operationId']}"
    yield from _parts(name, _parameters(before), _parameters(now), taken=True)
    old, new = before.get("requestBody", {}), now.get("requestBody", {})
    if new.get("required") and not old.get("required"):
        yield f"{name} request: needs a body now"
    yield from _media(f"{name} request", old, new, taken=True)
    for code, response in before["responses"].items():
        yield from _media(f"{name} response {code}", response, now["responses"].get(code, {}), taken=False)


def _parameters(operation: Any) -> Any:
    found = {f"{each['in']} {each['name']}": each for each in operation.get("parameters", ())}
    required = [name for name, each in found.items() if each.get("required")]
    return {"properties": {name: each["schema"] for name, each in found.items()}, "required": required}


def _media(where: str, before: Any, now: Any, *, taken: bool) -> Iterator[str]:
    for media, result in before.get("content", {}).items():
        if media not in now.get("content", {}):
            yield f"{where} {media}: is gone"
        else:
            yield from _parts(where, result["schema"], now["content"][media]["schema"], taken=taken)


def _parts(where: str, before: Any, now: Any, *, taken: bool) -> Iterator[str]:
    """The differences of a value that is taken (in a request) or given (in a response)."""
    for field, schema in before.get("properties", {}).items():
        if field not in now.get("properties", {}):
            yield f"{where}.{field}: is gone"
        else:
            yield from _parts(f"{where}.{field}", schema, now["properties"][field], taken=taken)
    if "items" in before:
        yield from _parts(f"{where}[]", before["items"], now.get("items", {}), taken=taken)
    if isinstance(inner := before.get("additionalProperties"), dict):
        after = now.get("additionalProperties")
        yield from _parts(f"{where}{{}}", inner, after if isinstance(after, dict) else {}, taken=taken)
    least, most = (now, before) if taken else (before, now)
    for field in set(least.get("required", ())) - set(most.get("required", ())):
        if field in now.get("properties", {}):
            yield f"{where}.{field}: " + ("is required now" if taken else "may be missing now")
    if most.get("nullable") and not least.get("nullable"):
        yield f"{where}: " + ("may not be null now" if taken else "may be null now")
    if "enum" in least and (lost := set(before.get("enum", ())) - set(now.get("enum", ()))):
        yield f"{where}: no longer has {', '.join(sorted(map(str, lost)))}"
    if taken and "enum" in now and "enum" not in before:
        yield f"{where}: takes some values only"
    limits = now.keys() if taken else {"type", "format", "oneOf"} & (before.keys() | now.keys())
    for word in sorted(limits - APART):
        if before.get(word) != now.get(word) and not (word == "default" and word not in before):
            yield f"{where}: {word} was {before.get(word)} and is {now.get(word)}"
