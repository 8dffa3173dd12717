"""Write docs/openapi.json, the description that the service answers under /v1/openapi.json, for an example address."""

from __future__ import annotations

from pathlib import Path

from reviewinvite_http.api.description import Description
from reviewinvite_http.app import HANDLERS, PROVIDED

TARGET = Path(__file__).with_name("openapi.json")
BASE_URL = "https://reviews.example.nl"


def description() -> str:
    """Return the description as JSON, one line a value, so that a review shows what changes."""
    return Description(HANDLERS, PROVIDED, BASE_URL).document().decode() + "\n"


if __name__ == "__main__":
    TARGET.write_text(description(), encoding="utf-8")
