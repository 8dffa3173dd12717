"""Show one review. Spec: §4.12."""

from __future__ import annotations

from typing import TypeAlias

from reviewinvite_core.domain.api_key import OPERATOR, Credential, Operator
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ReviewUnknown
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import admit_reader, credential_locks, is_charged
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.list_changes import as_shop_sees_it
from reviewinvite_core.usecases.reviews.records import ReviewRecord, locate, with_history

Shown: TypeAlias = ReviewRecord | ReviewUnknown | KeyRefused | LimitReached


def _locks(review_id: str, caller: Credential | Operator) -> frozenset[int]:  # noqa: ARG001 - as the use case
    return credential_locks(caller)


def _is_charged(review_id: str, caller: Credential | Operator) -> bool:  # noqa: ARG001 - as the use case
    return is_charged(caller)


@write(locks=_locks, only_if=_is_charged)
def show_review(ctx: UnitContext, review_id: str, caller: Credential | Operator) -> Shown:
    """Return one review with its history; another shop's review is unknown to the caller.

    A shop sees neither text nor author of a hidden review.
    """
    reader = caller if caller is OPERATOR else admit_reader(ctx, caller)
    if not isinstance(reader, Shop | Operator):
        return reader
    if isinstance(reader, Operator):
        found = locate(ctx, review_id)
        return with_history(ctx, *found) if found else ReviewUnknown(review_id)
    known = parse_uuid(review_id)
    review = ctx.store.reviews.find(reader.number, known) if known else None
    return with_history(ctx, as_shop_sees_it(review), reader) if review else ReviewUnknown(review_id)
