"""The migrations of release 0.1."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.migrations.migration import Migration

_ORDERS = (
    """
    CREATE TABLE key_ring (
        id BIGINT PRIMARY KEY CHECK (id = 1),
        sealed {blob} NOT NULL
    )
    """,
    """
    CREATE TABLE shops (
        number BIGINT PRIMARY KEY,
        site_id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        language TEXT NOT NULL,
        delay_ms BIGINT NOT NULL,
        active BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE api_keys (
        key_id TEXT PRIMARY KEY NOT NULL,
        shop BIGINT NOT NULL REFERENCES shops (number),
        hash {blob} NOT NULL UNIQUE,
        last_four TEXT NOT NULL,
        label TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        revoked_at BIGINT
    )
    """,
    """
    CREATE TABLE admissions (
        shop BIGINT NOT NULL,
        subject TEXT NOT NULL,
        seq BIGINT NOT NULL,
        admitted_at BIGINT NOT NULL,
        PRIMARY KEY (shop, subject, seq)
    ) {clustered}
    """,
    """
    CREATE TABLE orders (
        shop BIGINT NOT NULL,
        dedup_hash {blob} NOT NULL,
        invite_id {blob} NOT NULL,
        first_reported_at BIGINT NOT NULL,
        PRIMARY KEY (shop, dedup_hash)
    ) {clustered}
    """,
    """
    CREATE TABLE invitations (
        shop BIGINT NOT NULL REFERENCES shops (number),
        invite_id {blob} NOT NULL,
        address_hash {blob} NOT NULL,
        sealed_address {blob},
        order_number TEXT,
        language TEXT NOT NULL,
        reported_at BIGINT NOT NULL,
        scheduled_for BIGINT NOT NULL,
        due_at BIGINT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL,
        changed_at BIGINT NOT NULL,
        reply TEXT,
        attempts BIGINT NOT NULL,
        first_tried_at BIGINT,
        claim_token {blob},
        lease_until BIGINT,
        PRIMARY KEY (shop, invite_id)
    ) {clustered}
    """,
    "CREATE INDEX invitations_due ON invitations (due_at) WHERE state = 'scheduled'",
    """
    CREATE INDEX invitations_held ON invitations (lease_until) WHERE state IN ('claimed', 'handing_over')
    """,
    """
    CREATE TABLE changes (
        shop BIGINT NOT NULL,
        invite_id {blob} NOT NULL,
        seq BIGINT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL,
        changed_at BIGINT NOT NULL,
        reply TEXT,
        PRIMARY KEY (shop, invite_id, seq)
    ) {clustered}
    """,
)
"""Shops, keys, limits, orders and their invitations.

Instants are microseconds since 1970 (ADR-9). Identities are never NULL. Tables that grow with orders have the shop
first in their keys (ADR-1).
"""

_DELIVERY = (
    "ALTER TABLE shops ADD COLUMN reply_to TEXT",
    """
    CREATE TABLE suppressions (
        shop BIGINT NOT NULL,
        address_hash {blob} NOT NULL,
        origin TEXT NOT NULL,
        suppressed_at BIGINT NOT NULL,
        PRIMARY KEY (shop, address_hash)
    ) {clustered}
    """,
    """
    CREATE TABLE suppressions_everywhere (
        address_hash {blob} PRIMARY KEY NOT NULL,
        origin TEXT NOT NULL,
        suppressed_at BIGINT NOT NULL
    ) {clustered}
    """,
    """
    CREATE TABLE hosts (
        host TEXT PRIMARY KEY NOT NULL,
        fence BIGINT NOT NULL,
        ahead BIGINT,
        horizon BIGINT
    )
    """,
    "CREATE INDEX invitations_by_address ON invitations (shop, address_hash)",
    "CREATE INDEX invitations_to_erase ON invitations (scheduled_for) WHERE sealed_address IS NOT NULL",
    "CREATE INDEX invitations_uncertain ON invitations (changed_at) WHERE state = 'uncertain'",
)
"""Suppressions, hosts, shops' reply addresses, and indexes of invitations: by address, due for erasure, uncertain."""

_SNIPPET = (
    """
    CREATE TABLE domains (
        shop BIGINT NOT NULL REFERENCES shops (number),
        host TEXT NOT NULL,
        token TEXT NOT NULL,
        added_at BIGINT NOT NULL,
        verified_at BIGINT,
        vouched BIGINT NOT NULL,
        checked_at BIGINT,
        missing_since BIGINT,
        lost_at BIGINT,
        reason TEXT NOT NULL,
        PRIMARY KEY (shop, host)
    )
    """,
    "CREATE UNIQUE INDEX domains_verified ON domains (host) WHERE verified_at IS NOT NULL",
    """
    CREATE TABLE day_tallies (
        shop BIGINT NOT NULL,
        subject TEXT NOT NULL,
        day BIGINT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (shop, subject, day)
    ) {clustered}
    """,
    "CREATE INDEX admissions_by_time ON admissions (admitted_at)",
    "ALTER TABLE invitations ADD COLUMN by_snippet BIGINT NOT NULL DEFAULT 0",
)
"""Shops' hosts, daily counters, an index of admissions by time, and a flag for orders reported by browsers."""

_TRUST_MARK = (
    "ALTER TABLE shops ADD COLUMN trust_mark TEXT NOT NULL DEFAULT 'absent'",
    "ALTER TABLE shops ADD COLUMN badge_theme TEXT NOT NULL DEFAULT 'auto'",
    "ALTER TABLE shops ADD COLUMN badge_size TEXT NOT NULL DEFAULT 'medium'",
    "ALTER TABLE shops ADD COLUMN badge_language TEXT",
    """
    CREATE TABLE signing_keys (
        key_id TEXT PRIMARY KEY NOT NULL,
        public_key {blob} NOT NULL,
        sealed_seed {blob},
        state TEXT NOT NULL,
        announced_at BIGINT NOT NULL,
        signing_since BIGINT,
        ended_at BIGINT
    )
    """,
    "CREATE UNIQUE INDEX signing_keys_signing ON signing_keys (state) WHERE state = 'signing'",
)
"""Trust marks, the appearance of badges, and signing keys."""

_REVIEWS = (
    """
    CREATE TABLE reviews (
        shop BIGINT NOT NULL REFERENCES shops (number),
        review_id {blob} NOT NULL,
        invite_id {blob} NOT NULL,
        rating BIGINT,
        text TEXT,
        author TEXT,
        language TEXT NOT NULL,
        written_at BIGINT NOT NULL,
        edited_at BIGINT,
        changed_at BIGINT NOT NULL,
        state TEXT NOT NULL,
        hidden_for TEXT,
        reply TEXT,
        replied_at BIGINT,
        act TEXT NOT NULL,
        revision BIGINT NOT NULL,
        PRIMARY KEY (shop, review_id),
        UNIQUE (shop, invite_id)
    ) {clustered}
    """,
    "CREATE INDEX reviews_published ON reviews (shop, written_at, review_id) WHERE state = 'published'",
    """
    CREATE INDEX invitations_by_order ON invitations (shop, order_number, invite_id) WHERE order_number IS NOT NULL
    """,
    "CREATE INDEX reviews_changed ON reviews (shop, changed_at, review_id)",
    """
    CREATE TABLE review_changes (
        shop BIGINT NOT NULL,
        review_id {blob} NOT NULL,
        seq BIGINT NOT NULL,
        act TEXT NOT NULL,
        state TEXT NOT NULL,
        hidden_for TEXT,
        changed_at BIGINT NOT NULL,
        PRIMARY KEY (shop, review_id, seq)
    ) {clustered}
    """,
    """
    CREATE TABLE review_figures (
        shop BIGINT NOT NULL,
        span TEXT NOT NULL,
        first_day BIGINT NOT NULL,
        ones BIGINT NOT NULL,
        twos BIGINT NOT NULL,
        threes BIGINT NOT NULL,
        fours BIGINT NOT NULL,
        fives BIGINT NOT NULL,
        PRIMARY KEY (shop, span, first_day)
    ) {clustered}
    """,
)
"""Reviews, their history and the figures behind scores; an index of a shop's invitations by order number."""

# Otherwise samples of people's texts would stay readable in the planner's statistics after their erasure.
_REVIEWS_ON_POSTGRES = tuple(
    f"ALTER TABLE reviews ALTER COLUMN {column} SET STATISTICS 0" for column in ("text", "author", "reply")
)

MIGRATIONS = (
    Migration("m0001_orders", _ORDERS),
    Migration("m0002_delivery", _DELIVERY),
    Migration("m0003_snippet", _SNIPPET),
    Migration("m0004_trust_mark", _TRUST_MARK),
    Migration("m0005_reviews", _REVIEWS, _REVIEWS_ON_POSTGRES),
)
