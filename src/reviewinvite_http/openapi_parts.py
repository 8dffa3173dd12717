"""What all parts of the OpenAPI description are made with."""

from __future__ import annotations

from typing import Any

RETRY_AFTER: dict[str, Any] = {
    "Retry-After": {
        "description": "Whole seconds after which a retry is welcome.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    }
}


def json_answer(schema: str, description: str, headers: dict[str, Any] | None = None) -> dict[str, Any]:
    """An answer in JSON, after one of the description's schemas."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": description, "content": content, **({"headers": headers} if headers else {})}
