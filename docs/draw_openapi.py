"""Write docs/openapi.json, the description that the service answers under /v1/openapi.json."""

from __future__ import annotations

from pathlib import Path

from reviewinvite_http.api.description import Description
from reviewinvite_http.app import HANDLERS, PROVIDED

TARGET = Path(__file__).with_name("openapi.json")


def description() -> str:
    """Return the description as JSON, one line a value, so that a review shows what changes."""
    return Description(HANDLERS, PROVIDED).document().decode() + "\n"


if __name__ == "__main__":
    TARGET.write_text(description(), encoding="utf-8")
