"""Reviews, their history and the figures behind scores; an index of a shop's invitations by order number."""

STATEMENTS = (
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

# Otherwise samples of people's texts would stay readable in the planner's statistics after their erasure.
ON_POSTGRES = tuple(
    f"ALTER TABLE reviews ALTER COLUMN {column} SET STATISTICS 0" for column in ("text", "author", "reply")
)
