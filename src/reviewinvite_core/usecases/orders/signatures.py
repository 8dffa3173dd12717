"""Check by whom a browser's report is vouched for, and whether the shop takes it. Spec: §4.2, ADR-66."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum, auto

from reviewinvite_core.domain.errors import SignatureRefused, SnippetOff
from reviewinvite_core.domain.limits import LimitKey, day_of
from reviewinvite_core.domain.orders import SnippetReport
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, SIGNED_SNIPPET, Provenance
from reviewinvite_core.domain.sealing import KeyRing, SnippetSecretDecryptionError
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.snippets import SnippetMode, SnippetSignature
from reviewinvite_core.usecases.context import UnitContext

WRONG_SIGNATURES = "wrong_signatures"


class _Signed(Enum):
    UNSIGNED = auto()
    VALID = auto()
    WRONG = auto()


def check_signatures(
    ctx: UnitContext, reports: Sequence[tuple[Shop, SnippetReport]]
) -> Sequence[Provenance | SnippetOff | SignatureRefused]:
    """Return for each report its provenance, which a valid signature confirms, or why the shop does not take it.

    Wrong signatures are counted by shop and day, and a shop's first valid one is noted. Nothing is written for a report
    without a signature, nor for a later valid one.
    """
    checked = [(shop, _signed(ctx.ring, shop, report)) for shop, report in reports]
    wrong = Counter(shop.number for shop, signed in checked if signed is _Signed.WRONG)
    counts = {LimitKey(number, WRONG_SIGNATURES): wrong[number] for number in sorted(wrong)}
    ctx.store.daily_counters.count(counts, day_of(ctx.now))
    first = {shop.number for shop, signed in checked if signed is _Signed.VALID and shop.snippet_signed_at is None}
    ctx.store.shops.note_snippets_signed(first, ctx.now)
    return [_answer(shop, signed) for shop, signed in checked]


def _signed(ring: KeyRing, shop: Shop, report: SnippetReport) -> _Signed:
    """Return how a report is signed; a shop that is off has nothing checked."""
    if report.signature is None or shop.snippet is SnippetMode.OFF:
        return _Signed.UNSIGNED
    valid = any(_is_keyed_with(ring, report.signature, sealed) for sealed in shop.snippet_secrets)
    return _Signed.VALID if valid else _Signed.WRONG


def _is_keyed_with(ring: KeyRing, signature: SnippetSignature, sealed: bytes) -> bool:
    """Return whether a signature was made with a sealed secret; one that cannot be opened makes none valid."""
    try:
        return signature.is_keyed_with(ring.open_snippet_secret(sealed))
    except SnippetSecretDecryptionError:
        return False


def _answer(shop: Shop, signed: _Signed) -> Provenance | SnippetOff | SignatureRefused:
    if shop.snippet is SnippetMode.OFF:
        return SnippetOff()
    if shop.snippet is SnippetMode.SIGNED and signed is not _Signed.VALID:
        return SignatureRefused()
    return SIGNED_SNIPPET if signed is _Signed.VALID else OPEN_SNIPPET
