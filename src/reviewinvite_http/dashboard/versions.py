"""Notice that two members change the same thing: the second finds out, and nothing is lost. Spec: §10.4."""

from __future__ import annotations

import hashlib


def version_of(*shown: object) -> str:
    """Return a short text that differs if what was shown differs; a form carries it in the field `version`."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
