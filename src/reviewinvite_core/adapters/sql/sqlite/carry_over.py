"""What people decided after a backup was made, carried over into what is restored of it. ADR-21.

Opt-outs, erasures, revocations and domains that were let go are in the database that is replaced, and not in the
backup. Nothing that would let something be sent, or open a door, is carried over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from reviewinvite_core.adapters.sql import review_rows
from reviewinvite_core.adapters.sql.reviews import SqlReviews
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file
from reviewinvite_core.domain.reviews import Act, Party
from reviewinvite_core.domain.sealing import name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_RING = "SELECT sealed FROM key_ring"
_CUSTOMERS_COUNT = """
DO UPDATE SET origin = excluded.origin, suppressed_at = excluded.suppressed_at
WHERE excluded.origin = 'customer' AND origin <> 'customer'
"""
_SAME_SHOP = """
EXISTS (
    SELECT 1 FROM shops AS kept JOIN replaced.shops AS shop USING (number, site_id) WHERE kept.number = {shop}
)
"""
_SUPPRESSIONS = f"""
INSERT INTO suppressions (shop, address_hash, origin, suppressed_at)
SELECT shop, address_hash, origin, suppressed_at FROM replaced.suppressions AS one
WHERE {_SAME_SHOP.format(shop="one.shop")}
ON CONFLICT (shop, address_hash) {_CUSTOMERS_COUNT}
"""
_SUPPRESSIONS_EVERYWHERE = f"""
INSERT INTO suppressions_everywhere (address_hash, origin, suppressed_at)
SELECT address_hash, origin, suppressed_at FROM replaced.suppressions_everywhere WHERE true
ON CONFLICT (address_hash) {_CUSTOMERS_COUNT}
"""
_REVOKED = """
UPDATE api_keys SET revoked_at = one.revoked_at FROM replaced.api_keys AS one
WHERE one.key_id = api_keys.key_id AND one.revoked_at IS NOT NULL AND api_keys.revoked_at IS NULL
"""
_DEACTIVATED = """
UPDATE shops SET active = 0 FROM replaced.shops AS one
WHERE one.site_id = shops.site_id AND one.number = shops.number AND one.active = 0 AND shops.active <> 0
"""
_MARKS_REVOKED = """
UPDATE shops SET trust_mark = 'revoked' FROM replaced.shops AS one
WHERE one.site_id = shops.site_id AND one.number = shops.number AND one.trust_mark = 'revoked'
    AND shops.trust_mark <> 'revoked'
"""
_COMPROMISED = """
UPDATE signing_keys SET state = 'compromised', sealed_seed = NULL, ended_at = one.ended_at
FROM replaced.signing_keys AS one
WHERE one.key_id = signing_keys.key_id AND one.state = 'compromised' AND signing_keys.state <> 'compromised'
"""
_THE_SAME = "one.shop = invitations.shop AND one.invite_id = invitations.invite_id"
_CHANGES = """
INSERT INTO changes (shop, invite_id, seq, state, reason, changed_at, reply)
SELECT change.shop, change.invite_id, change.seq, change.state, change.reason, change.changed_at, change.reply
FROM replaced.changes AS change
JOIN replaced.invitations AS one ON one.shop = change.shop AND one.invite_id = change.invite_id
JOIN invitations AS kept ON kept.shop = one.shop AND kept.invite_id = one.invite_id
WHERE one.state IN ('cancelled', 'suppressed') AND kept.state IN ('scheduled', 'claimed')
ON CONFLICT DO NOTHING
"""
_WITHDRAWN = f"""
UPDATE invitations SET state = one.state, reason = one.reason, changed_at = one.changed_at, reply = one.reply,
    claim_token = NULL, lease_until = NULL
FROM replaced.invitations AS one
WHERE {_THE_SAME} AND one.state IN ('cancelled', 'suppressed') AND invitations.state IN ('scheduled', 'claimed')
"""
_ERASED = f"""
UPDATE invitations SET sealed_address = NULL FROM replaced.invitations AS one
WHERE {_THE_SAME} AND one.sealed_address IS NULL AND invitations.sealed_address IS NOT NULL
"""
_SAME_HOST = "one.shop = domains.shop AND one.host = domains.host"
_REMOVED_DOMAINS = f"""
DELETE FROM domains
WHERE verified_at IS NOT NULL AND {_SAME_SHOP.format(shop="domains.shop")}
    AND NOT EXISTS (SELECT 1 FROM replaced.domains AS one WHERE {_SAME_HOST})
"""
_UNVERIFIED_DOMAINS = f"""
UPDATE domains SET token = one.token, added_at = one.added_at, verified_at = one.verified_at, vouched = one.vouched,
    checked_at = one.checked_at, missing_since = one.missing_since, lost_at = one.lost_at, reason = one.reason
FROM replaced.domains AS one
WHERE {_SAME_HOST} AND {_SAME_SHOP.format(shop="domains.shop")} AND domains.verified_at IS NOT NULL
    AND (one.verified_at IS NULL OR one.token <> domains.token OR one.vouched < domains.vouched)
"""
_REVIEWS = f"""
SELECT {review_rows.COLUMNS} FROM replaced.reviews AS reviews
JOIN main.reviews AS kept ON kept.shop = reviews.shop AND kept.review_id = reviews.review_id
WHERE reviews.revision > kept.revision AND {_SAME_SHOP.format(shop="reviews.shop")} AND (
    (reviews.state <> 'published' AND reviews.state <> kept.state)
    OR EXISTS (
        SELECT 1 FROM replaced.review_changes AS change
        WHERE change.shop = reviews.shop AND change.review_id = reviews.review_id AND change.seq > kept.revision
            AND change.act IN ({", ".join(f"'{act}'" for act in Act if act.by is Party.CUSTOMER)})
    )
)
"""
_CHANGES_OF_REVIEW = """
INSERT INTO main.review_changes SELECT * FROM replaced.review_changes
WHERE shop = :shop AND review_id = :review_id AND seq > :kept AND seq < :revision
"""


@attrs.frozen(kw_only=True)
class Decisions:
    """How many were carried over that the backup does not have."""

    suppressions: int
    withdrawn: int
    erased: int
    keys_revoked: int
    shops_deactivated: int
    marks_revoked: int
    signing_keys_withdrawn: int
    domains_unverified: int
    reviews: int


@contextmanager
def with_decisions(
    source: sqlite3.Connection, replaced: Path, room: Path, copy: Callable[[sqlite3.Connection], None]
) -> Iterator[tuple[sqlite3.Connection, Decisions | str]]:
    """A database with all of `source`, and with the decisions in `replaced`; and what they were, or why there are none.

    It is made in the file `room`, which has no name any more when this is entered, so that a kill leaves nothing of it.
    Where nothing can be carried over, it is `source` itself.
    """
    why = _cannot(source, replaced)
    if why:
        yield source, why
        return
    sqlite_file.make_private_file(room)
    try:
        staged = sqlite3.connect(f"{room.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
        staged.execute("PRAGMA journal_mode = MEMORY")
        staged.execute("PRAGMA synchronous = OFF")
        staged.execute("PRAGMA secure_delete = ON")
    finally:
        room.unlink()
    with closing(staged):
        copy(staged)
        yield staged, _carry_over(staged, replaced)


def _cannot(source: sqlite3.Connection, replaced: Path) -> str | None:
    """Why nothing can be carried over, in words."""
    try:
        with closing(sqlite3.connect(_address(replaced), uri=True)) as gone:
            if [row[0] for row in gone.execute("PRAGMA quick_check(1)")] != ["ok"]:
                return "the database that was replaced is damaged"
            if sorted(sqlite_file.applied(gone)) != sorted(sqlite_file.applied(source)):
                return "the database that was replaced is of another release"
            rings = [[name_of(row[0]) for row in connection.execute(_RING)] for connection in (source, gone)]
            if rings[0] != rings[1]:
                return "the database that was replaced has other keys"
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise
        return "the database that was replaced is damaged"
    return None


def _carry_over(staged: sqlite3.Connection, replaced: Path) -> Decisions:
    staged.execute("ATTACH :file AS replaced", {"file": _address(replaced)})
    staged.execute("BEGIN")
    suppressions = staged.execute(_SUPPRESSIONS).rowcount + staged.execute(_SUPPRESSIONS_EVERYWHERE).rowcount
    staged.execute(_CHANGES)
    carried = Decisions(
        suppressions=suppressions,
        withdrawn=staged.execute(_WITHDRAWN).rowcount,
        erased=staged.execute(_ERASED).rowcount,
        keys_revoked=staged.execute(_REVOKED).rowcount,
        shops_deactivated=staged.execute(_DEACTIVATED).rowcount,
        marks_revoked=staged.execute(_MARKS_REVOKED).rowcount,
        signing_keys_withdrawn=staged.execute(_COMPROMISED).rowcount,
        domains_unverified=staged.execute(_REMOVED_DOMAINS).rowcount + staged.execute(_UNVERIFIED_DOMAINS).rowcount,
        reviews=_carry_over_reviews(staged),
    )
    staged.execute("COMMIT")
    staged.execute("DETACH replaced")
    return carried


def _carry_over_reviews(staged: sqlite3.Connection) -> int:
    """Hide again what was hidden, and let stand what its writer has made of a review since, if only nothing; how many.

    Else a text or name that its writer took back would be there again.
    """
    reviews = SqlReviews(staged)
    decided = [review_rows.review_from(row) for row in staged.execute(_REVIEWS).fetchall()]
    for review in decided:
        kept = reviews.find(review.shop_number, review.review_id)
        if kept:
            staged.execute(_CHANGES_OF_REVIEW, {**review_rows.parameters_of(review), "kept": kept.revision})
            reviews.change(kept, review)
    return len(decided)


def _address(file: Path) -> str:
    """As a file that nobody writes to, and beside which nothing is to be made."""
    return f"{file.absolute().as_uri()}?mode=ro&immutable=1"
