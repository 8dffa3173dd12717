"""Find the proof in what a host publishes."""

from __future__ import annotations

from collections.abc import Iterable

from reviewinvite_core.domain.domains import PROOF_PREFIX, FailureReason


def absence_among(texts: Iterable[str], proof: str) -> FailureReason | None:
    """Return why `proof` is not among the texts, ignoring blanks around each; None if it is.

    The comparison need not take constant time, because the proof is public.
    """
    published = [text.strip() for text in texts]
    if proof in published:
        return None
    foreign = any(text.startswith(PROOF_PREFIX) for text in published)
    return FailureReason.OTHER_TOKEN if foreign else FailureReason.NO_RECORD
