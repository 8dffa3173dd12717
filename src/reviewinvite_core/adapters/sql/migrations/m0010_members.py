"""Members of shops with their sign-in links and sessions, activity logs, and names that wait for approval.

A link of nobody has no member: it only counts against its client's limit (ADR-55).
"""

STATEMENTS = (
    "ALTER TABLE shops ADD COLUMN requested_name TEXT",
    """
    CREATE TABLE members (
        member_id TEXT PRIMARY KEY NOT NULL,
        address_hash {blob} NOT NULL UNIQUE,
        sealed_address {blob} NOT NULL,
        language TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        signed_in_at BIGINT,
        left_at BIGINT
    )
    """,
    "CREATE INDEX members_left ON members (left_at) WHERE left_at IS NOT NULL",
    """
    CREATE TABLE memberships (
        shop BIGINT NOT NULL REFERENCES shops (number),
        member_id TEXT NOT NULL REFERENCES members (member_id),
        role TEXT NOT NULL,
        PRIMARY KEY (shop, member_id)
    ) {clustered}
    """,
    "CREATE INDEX memberships_by_member ON memberships (member_id)",
    """
    CREATE TABLE sign_in_links (
        hash {blob} PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        member_id TEXT REFERENCES members (member_id),
        client_hash {blob},
        made_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        used_at BIGINT
    ) {clustered}
    """,
    "CREATE INDEX sign_in_links_by_member ON sign_in_links (member_id, made_at) WHERE member_id IS NOT NULL",
    "CREATE INDEX sign_in_links_by_client ON sign_in_links (client_hash, made_at) WHERE client_hash IS NOT NULL",
    "CREATE INDEX sign_in_links_expiring ON sign_in_links (expires_at)",
    """
    CREATE TABLE sessions (
        hash {blob} PRIMARY KEY NOT NULL,
        member_id TEXT NOT NULL REFERENCES members (member_id),
        signed_in_at BIGINT NOT NULL,
        last_seen_at BIGINT NOT NULL,
        device TEXT NOT NULL,
        ended_at BIGINT
    ) {clustered}
    """,
    "CREATE INDEX sessions_by_member ON sessions (member_id)",
    "CREATE INDEX sessions_begun ON sessions (signed_in_at)",
    """
    CREATE TABLE activity (
        shop BIGINT NOT NULL REFERENCES shops (number),
        activity_id {blob} NOT NULL,
        at BIGINT NOT NULL,
        actor_kind TEXT NOT NULL,
        actor_id TEXT,
        action TEXT NOT NULL,
        subject TEXT NOT NULL,
        PRIMARY KEY (shop, activity_id)
    ) {clustered}
    """,
    "CREATE INDEX activity_by_time ON activity (at)",
)
