"""Shops, keys, limits, orders and their invitations.

Instants are microseconds since 1970 (ADR-9). Identities are never NULL. Tables that grow with orders have the shop
first in their keys (ADR-1).
"""

STATEMENTS = (
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
