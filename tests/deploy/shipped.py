"""The files of the deploy kit, as they are shipped, and copies of them for a test's own addresses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def adapted(shipped: str, target: Path, replacements: Mapping[str, str]) -> Path:
    """Write a file of `deploy/` to `target`, each key replaced by its value; return `target`.

    A key that is not in the file fails the test: what is tested would not be what is shipped.
    """
    text = (DEPLOY / shipped).read_text(encoding="utf-8")
    for old, new in replacements.items():
        assert old in text, f"{shipped} has no {old!r}"
        text = text.replace(old, new)
    target.write_text(text, encoding="utf-8")
    return target
