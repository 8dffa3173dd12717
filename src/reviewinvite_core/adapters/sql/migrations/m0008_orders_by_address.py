"""Orders are stored by address, so that they find a person's invitations without an index of their own (ADR-52).

An unnumbered order that was reported again after 60 days had its row moved to the later invitation. The earlier one
gets a row of its own here, whose dedup hash is the invitation's id: no report has that.
"""

STATEMENTS = (
    # Otherwise SQLite would search all orders of a shop for each invitation; it is dropped with its table.
    "CREATE INDEX orders_by_invitation ON orders (shop, invite_id, dedup_hash, first_reported_at)",
    """
    CREATE TABLE orders_by_address (
        shop BIGINT NOT NULL,
        address_hash {blob} NOT NULL,
        dedup_hash {blob} NOT NULL,
        invite_id {blob} NOT NULL,
        first_reported_at BIGINT NOT NULL,
        PRIMARY KEY (shop, address_hash, dedup_hash)
    ) {clustered}
    """,
    # Sorted, so that each page is written once.
    """
    INSERT INTO orders_by_address (shop, address_hash, dedup_hash, invite_id, first_reported_at)
    SELECT invitations.shop, invitations.address_hash, COALESCE(orders.dedup_hash, invitations.invite_id),
        invitations.invite_id, COALESCE(orders.first_reported_at, invitations.reported_at)
    FROM invitations
    LEFT JOIN orders ON orders.shop = invitations.shop AND orders.invite_id = invitations.invite_id
    ORDER BY 1, 2, 3
    """,
    "DROP TABLE orders",
    "ALTER TABLE orders_by_address RENAME TO orders",
    "DROP INDEX invitations_by_address",
)

ON_POSTGRES = ("ALTER INDEX orders_by_address_pkey RENAME TO orders_pkey",)
