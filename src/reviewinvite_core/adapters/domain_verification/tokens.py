"""Whether the proof is among what was published."""

from __future__ import annotations

from collections.abc import Iterable

from reviewinvite_core.domain.domains import PROOF_PREFIX, FailureReason


def absence_among(texts: Iterable[str], proof: str) -> FailureReason | None:
    """Why `proof` is none of the texts, blanks around each aside; None if it is one of them.

    They are compared plainly: the proof is published for everybody to read, so that no timing gives it away.
    """
    published = [text.strip() for text in texts]
    if proof in published:
        return None
    foreign = any(text.startswith(PROOF_PREFIX) for text in published)
    return FailureReason.OTHER_TOKEN if foreign else FailureReason.NO_RECORD
