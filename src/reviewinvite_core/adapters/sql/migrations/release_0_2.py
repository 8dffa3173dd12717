"""The migrations of the release with the dashboard."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.migrations.migration import Migration

_NAMED = ("ALTER TABLE hosts ADD COLUMN named {blob}",)
"""Invitations that a host has sent without the database knowing it, as far as the host's mark names them (ADR-42)."""

_FREQUENCY = (
    "ALTER TABLE shops ADD COLUMN frequency_days BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE suppressions_everywhere ADD COLUMN expires_at BIGINT",
    "CREATE INDEX suppressions_expiring ON suppressions_everywhere (expires_at) WHERE expires_at IS NOT NULL",
)
"""How often a shop invites one address, and suppressions that expire (ADR-47)."""

_ORDERS_BY_ADDRESS = (
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
"""Orders are stored by address, so that they find a person's invitations without an index of their own (ADR-52).

An unnumbered order that was reported again after 60 days had its row moved to the later invitation. The earlier one
gets a row of its own here, whose dedup hash is the invitation's id: no report has that.
"""

_ORDERS_BY_ADDRESS_ON_POSTGRES = ("ALTER INDEX orders_by_address_pkey RENAME TO orders_pkey",)

_RUNS_OF_ADMISSIONS = ("ALTER TABLE admissions ADD COLUMN later TEXT NOT NULL DEFAULT ''",)
"""Admissions of one key within a minute share a row (ADR-53). Earlier rows hold one admission each, and stay valid."""

_MEMBERS = (
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
"""Members of shops with their sign-in links and sessions, activity logs, and names that wait for approval.

A link of nobody has no member: it only counts against its client's limit (ADR-55).
"""

_MESSAGES = (
    """
    CREATE TABLE messages (
        message_id {blob} PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        priority BIGINT NOT NULL,
        language TEXT NOT NULL,
        address_hash {blob} NOT NULL,
        sealed {blob},
        queued_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        due_at BIGINT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT,
        changed_at BIGINT NOT NULL,
        reply TEXT,
        attempts BIGINT NOT NULL,
        claim_token {blob},
        lease_until BIGINT
    ) {clustered}
    """,
    "CREATE INDEX messages_due ON messages (priority, due_at, message_id) WHERE state = 'scheduled'",
    "CREATE INDEX messages_held ON messages (lease_until) WHERE state IN ('claimed', 'handing_over')",
    "CREATE INDEX messages_by_address ON messages (address_hash)",
    "CREATE INDEX messages_by_end ON messages (expires_at)",
)
"""Messages: mail that is no invitation (ADR-57). `priority` is stored so that an index finds what goes first."""

_OVERVIEW = (
    """
    CREATE TABLE invitation_figures (
        shop BIGINT NOT NULL,
        week BIGINT NOT NULL,
        state TEXT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (shop, week, state)
    ) {clustered}
    """,
    # A week is the proleptic Gregorian ordinal of its Monday; 1970 began on day 719,163, and day 1 was a Monday.
    # Uncertain invitations may leave their state, so they are counted under day 1.
    """
    INSERT INTO invitation_figures (shop, week, state, counted)
    SELECT shop, CASE state WHEN 'uncertain' THEN 1 ELSE (changed_at / 86400000000 + 719162) / 7 * 7 + 1 END AS monday,
        state, COUNT(*)
    FROM invitations WHERE state NOT IN ('scheduled', 'claimed', 'handing_over')
    GROUP BY 1, 2, 3
    """,
    "ALTER TABLE shops ADD COLUMN badge_seen_at BIGINT",
)
"""Figures about a shop's invitations by week, and when its badge was first seen on one of its pages (ADR-58)."""

_FILTERS = (
    """
    CREATE INDEX invitations_by_state ON invitations (shop, state, invite_id)
    WHERE state <> 'scheduled' AND state <> 'claimed' AND state <> 'handing_over'
    """,
    "DROP INDEX reviews_published",
    "CREATE INDEX reviews_by_rating ON reviews (shop, rating, review_id) WHERE rating IS NOT NULL",
    "CREATE INDEX reviews_not_published ON reviews (shop, state, review_id) WHERE state <> 'published'",
)
"""Indexes for lists of a shop's invitations by state, and of its reviews by rating and state, the newest first.

None has an entry that an order's report would write: invitations that wait are found by their due time, and those being
handed over by their lease. A new review writes as many as before: published ones, of which nearly every shop has the
most, are found by their ids, so the index of them goes.

The states are not in a list: for one of three values, SQLite builds a table each time that it stores an invitation.
"""

_REVIEW_LISTS = (
    "CREATE INDEX reviews_published ON reviews (shop, rating, review_id) WHERE state = 'published'",
    "CREATE INDEX reviews_others ON reviews (shop, state, rating, review_id) WHERE state <> 'published'",
    "DROP INDEX reviews_by_rating",
    "DROP INDEX reviews_not_published",
)
"""Indexes by which a list reads no reviews of other states, however many a shop has hidden or lost by withdrawals.

Each review has an entry in one of them, as it had in the index by rating: a new review writes as many pages as before.
"""

_SHOP_OF_MESSAGE = ("ALTER TABLE messages ADD COLUMN shop BIGINT",)
"""The shop that a message is about: whoever is removed from the shop gets none of them any more (ADR-57).

Messages from before have none. They expire within three days.
"""

# The ordinal of 1970-01-01, from which instants count microseconds.
_DAY = "written_at / 86400000000 + 719163"
_PROVENANCE = (
    "ALTER TABLE invitations RENAME COLUMN by_snippet TO source",
    "ALTER TABLE invitations ADD COLUMN key_id TEXT",
    "ALTER TABLE invitations ADD COLUMN confirmation BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE reviews ADD COLUMN source BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE reviews ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 1",
    """
    UPDATE reviews SET source = 1, confirmed = 0 WHERE EXISTS (
        SELECT 1 FROM invitations
        WHERE invitations.shop = reviews.shop AND invitations.invite_id = reviews.invite_id AND invitations.source = 1
    )
    """,
    """
    UPDATE invitations SET confirmation = 2 WHERE EXISTS (
        SELECT 1 FROM reviews
        WHERE reviews.shop = invitations.shop AND reviews.invite_id = invitations.invite_id AND reviews.confirmed = 0
    )
    """,
    "ALTER TABLE review_figures ADD COLUMN confirmed BIGINT NOT NULL DEFAULT 0",
    "UPDATE review_figures SET confirmed = ones + twos + threes + fours + fives WHERE span = 'day'",
    f"""
    INSERT INTO review_figures (shop, span, first_day, ones, twos, threes, fours, fives, confirmed)
    SELECT shop, 'day', {_DAY}, 0, 0, 0, 0, 0, -COUNT(*) FROM reviews
    WHERE confirmed = 0 AND state = 'published' GROUP BY shop, {_DAY}
    ON CONFLICT (shop, span, first_day) DO UPDATE SET confirmed = review_figures.confirmed + excluded.confirmed
    """,
    # Every day that is kept has its month: all days from one month to the next one that is kept are the former's.
    """
    UPDATE review_figures SET confirmed = COALESCE((
        SELECT SUM(days.confirmed) FROM review_figures AS days
        WHERE days.shop = review_figures.shop AND days.span = 'day' AND days.first_day >= review_figures.first_day
          AND days.first_day < COALESCE((
            SELECT MIN(later.first_day) FROM review_figures AS later
            WHERE later.shop = review_figures.shop AND later.span = 'month'
              AND later.first_day > review_figures.first_day
          ), 3652060)
    ), 0) WHERE span = 'month'
    """,
)
"""Where an order was reported, and whether that confirms it (ADR-65).

The flag for orders reported by browsers becomes the number of a source: 0 is unknown, 1 the snippet, so no row is
rewritten. Confirmation only matters for the snippet's orders: 0 is missing, 1 given, 2 too late.
"""

_SNIPPET_MODES = (
    "ALTER TABLE shops ADD COLUMN snippet TEXT NOT NULL DEFAULT 'open'",
    "ALTER TABLE shops ADD COLUMN snippet_secret {blob}",
    "ALTER TABLE shops ADD COLUMN snippet_secret_before {blob}",
    "ALTER TABLE shops ADD COLUMN snippet_signed_at BIGINT",
)
"""Which orders a shop takes from browsers, its sealed snippet secrets, and when its first valid signature came."""

_APART = """
INSERT INTO invitation_figures (shop, week, state, counted)
SELECT shop, (changed_at / 86400000000 + 719162) / 7 * 7 + 1, {apart}, COUNT(*)
FROM invitations WHERE state NOT IN ('scheduled', 'claimed', 'handing_over', 'uncertain') AND {condition}
GROUP BY 1, 2, 3
"""
_IS_CONFIRMED = "(source <> 1 OR confirmation = 1)"
_INTEGRITY = (
    "ALTER TABLE memberships ADD COLUMN opened_as {blob}",
    "CREATE INDEX memberships_opened ON memberships (shop, opened_as) WHERE opened_as IS NOT NULL",
    """
    CREATE TABLE snippet_reports (
        person_hash {blob} NOT NULL,
        reported_at BIGINT NOT NULL,
        shop BIGINT NOT NULL,
        counted BIGINT NOT NULL,
        PRIMARY KEY (person_hash, reported_at, shop)
    ) {clustered}
    """,
    "CREATE INDEX snippet_reports_by_time ON snippet_reports (reported_at)",
    _APART.format(apart="'website'", condition=f"NOT {_IS_CONFIRMED}"),
    _APART.format(
        apart=f"CASE WHEN {_IS_CONFIRMED} THEN 'confirmed_cancelled' ELSE 'website_cancelled' END",
        condition="reason = 'cancelled'",
    ),
)
"""Who has opened a shop's dashboard as a member, whose orders open snippets reported of late, and figures (ADR-67).

Whoever was a member before has not opened it, until the next visit. Nobody was kept back as a member before.
"""

_SIGN_IN = (
    "ALTER TABLE sign_in_links ADD COLUMN message_id {blob}",
    "ALTER TABLE sign_in_links ADD COLUMN device_hash {blob}",
)
"""The e-mail of a sign-in link that was asked for, and the browser that asked: links count as mail servers took them.

Links from before have neither, so none of them counts. They expire within 15 minutes.
"""

_OUTAGE = (
    """
    CREATE TABLE relay (
        id BIGINT PRIMARY KEY,
        epoch BIGINT NOT NULL,
        accepted_at BIGINT,
        refused_at BIGINT,
        refused_since BIGINT,
        tries BIGINT NOT NULL,
        outage_since BIGINT,
        probe_at BIGINT
    ) {clustered}
    """,
    """
    CREATE TABLE refused_mail (
        shop BIGINT NOT NULL,
        domain_hash {blob} NOT NULL,
        refused_at BIGINT NOT NULL,
        PRIMARY KEY (shop, domain_hash)
    ) {clustered}
    """,
    "ALTER TABLE invitations ADD COLUMN refused_at BIGINT",
    "ALTER TABLE invitations ADD COLUMN epoch BIGINT",
    "ALTER TABLE messages ADD COLUMN refused_at BIGINT",
)
"""What the mail server's answers say about itself, and when it last refused a message (ADR-69).

`relay` has at most one row, and none until something is to be noted, so that a new database stays empty.
"""

_WORKERS = (
    """
    CREATE TABLE workers (
        worker {blob} PRIMARY KEY NOT NULL,
        host TEXT NOT NULL,
        counter BIGINT NOT NULL,
        beat_at BIGINT NOT NULL
    ) {clustered}
    """,
    "CREATE INDEX invitations_retrying ON invitations (scheduled_for) WHERE state = 'scheduled' AND attempts > 0",
)
"""Heartbeats of workers, and an index of the invitations that wait to be tried again (ADR-70).

Neither an order's report nor a delivery that succeeds writes an entry of that index.
"""

MIGRATIONS = (
    Migration("m0006_named", _NAMED),
    Migration("m0007_frequency", _FREQUENCY),
    Migration("m0008_orders_by_address", _ORDERS_BY_ADDRESS, _ORDERS_BY_ADDRESS_ON_POSTGRES),
    Migration("m0009_runs_of_admissions", _RUNS_OF_ADMISSIONS),
    Migration("m0010_members", _MEMBERS),
    Migration("m0011_messages", _MESSAGES),
    Migration("m0012_overview", _OVERVIEW),
    Migration("m0013_filters", _FILTERS),
    Migration("m0014_review_lists", _REVIEW_LISTS),
    Migration("m0015_shop_of_message", _SHOP_OF_MESSAGE),
    Migration("m0016_provenance", _PROVENANCE),
    Migration("m0017_snippet_modes", _SNIPPET_MODES),
    Migration("m0018_integrity", _INTEGRITY),
    Migration("m0019_sign_in", _SIGN_IN),
    Migration("m0020_outage", _OUTAGE),
    Migration("m0021_workers", _WORKERS),
)
