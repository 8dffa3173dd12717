"""Write the reference of the HTTP API from its OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")


def write_http_reference(description: Path, page: Path) -> None:
    """Write a page with each operation: its parameters, its body and its answers."""
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(_lines(json.loads(description.read_text(encoding="utf-8")))) + "\n", encoding="utf-8")


def _lines(api: Mapping[str, Any]) -> Iterator[str]:
    yield from ["# HTTP API", "", "Made from the OpenAPI description, {download}`openapi.json <../openapi.json>`.", ""]
    yield from ["The service itself serves the description of its own release at `/v1/openapi.json`.", ""]
    for path, operations in api["paths"].items():
        for method in METHODS:
            if method in operations:
                yield from _operation(api, f"{method.upper()} {path}", operations[method])


def _operation(api: Mapping[str, Any], title: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield from [f"## `{title}`", ""]
    for text in (operation.get("summary"), operation.get("description")):
        if text:
            yield from [text, ""]
    parameters = [_resolved(api, each) for each in operation.get("parameters", ())]
    if parameters:
        yield from ["| parameter | in | type | meaning |", "|---|---|---|---|"]
        yield from (
            f"| `{each['name']}`{'' if each.get('required') else ' (optional)'} | {each['in']} "
            f"| {_type(api, each.get('schema', {}))} | {_cell(each.get('description', ''))} |"
            for each in parameters
        )
        yield ""
    body = _resolved(api, operation.get("requestBody", {}))
    for kind, content in body.get("content", {}).items():
        yield from [f"Body: `{kind}`", ""]
        yield from _fields(api, _resolved(api, content.get("schema", {})))
    yield from ["| status | answer | meaning |", "|---|---|---|"]
    for status, each in operation.get("responses", {}).items():
        answer = _resolved(api, each)
        kinds = "; ".join(
            f"`{kind}` {_type(api, what.get('schema', {}))}" for kind, what in answer.get("content", {}).items()
        )
        yield f"| {status} | {kinds} | {_cell(answer.get('description', ''))} |"
    yield ""


def _fields(api: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    required = set(schema.get("required", ()))
    if schema.get("properties"):
        yield from ["| field | type | meaning |", "|---|---|---|"]
        for name, value in schema["properties"].items():
            optional = "" if name in required else " (optional)"
            meaning = _cell(value.get("description", _resolved(api, value).get("description", "")))
            yield f"| `{name}`{optional} | {_type(api, value)} | {meaning} |"
        yield ""


def _resolved(api: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference names, or the value itself."""
    while "$ref" in value:
        found: Any = api
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def _type(api: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    for several in ("oneOf", "anyOf"):
        if several in schema:
            return " or ".join(_type(api, each) for each in schema[several])
    if schema.get("type") == "array":
        return f"array of {_type(api, schema.get('items', {}))}"
    kind = schema.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
