"""Convert reviews to rows and back."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.connection import Row
from reviewinvite_core.adapters.sql.invitation_rows import number_of, source_of
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.reviews import Act, HideReason, Reply, Review, ReviewChange, ReviewState
from reviewinvite_core.domain.timing import from_microseconds, to_microseconds

FIELDS = (
    *("shop", "review_id", "invite_id", "rating", "text", "author", "language"),
    *("written_at", "edited_at", "changed_at", "state", "hidden_for", "reply", "replied_at", "act", "revision"),
    *("source", "confirmed"),
)
COLUMNS = ", ".join(f"reviews.{field}" for field in FIELDS)


def parameters_of(review: Review) -> dict[str, object]:
    """Return the values of a review."""
    return {
        "shop": review.shop_number,
        "review_id": id_bytes(review.review_id),
        "invite_id": id_bytes(review.invite_id),
        "rating": review.rating,
        "text": review.text,
        "author": review.author,
        "language": review.language.value,
        "written_at": to_microseconds(review.written_at),
        "edited_at": to_microseconds(review.edited_at) if review.edited_at else None,
        "changed_at": to_microseconds(review.changed_at),
        "state": review.state.value,
        "hidden_for": review.hidden_for.value if review.hidden_for else None,
        "reply": review.reply.text if review.reply else None,
        "replied_at": to_microseconds(review.reply.replied_at) if review.reply else None,
        "act": review.act.value,
        "revision": review.revision,
        "source": number_of(review.source),
        "confirmed": int(review.confirmed),
    }


def review_from(row: Row) -> Review:
    """Return the review in a row of `COLUMNS`. A page has many, so it is built directly for speed."""
    shop, review_id, invite_id, rating, text, author, language, written_at, edited_at, *others = row
    changed_at, state, hidden_for, reply, replied_at, act, revision, source, confirmed = others
    return Review(
        review_id=id_text(review_id),
        shop_number=shop,
        invite_id=id_text(invite_id),
        rating=rating,
        text=text,
        author=author,
        language=Language(language),
        written_at=from_microseconds(written_at),
        edited_at=None if edited_at is None else from_microseconds(edited_at),
        changed_at=from_microseconds(changed_at),
        state=ReviewState(state),
        hidden_for=HideReason(hidden_for) if hidden_for else None,
        reply=Reply(reply, from_microseconds(replied_at)) if reply else None,
        act=Act(act),
        revision=revision,
        source=source_of(source),
        confirmed=bool(confirmed),
    )


def change_from(row: Row) -> ReviewChange:
    """Return the entry of a history in a row of act, state, reason for hiding, and instant."""
    act, state, hidden_for, at = row
    reason = HideReason(hidden_for) if hidden_for else None
    return ReviewChange(act=Act(act), state=ReviewState(state), at=from_microseconds(at), hidden_for=reason)
