"""Indexes for lists of a shop's invitations by state, and of its reviews by rating and state, the newest first.

None has an entry that an order's report would write: invitations that wait are found by their due time, and those being
handed over by their lease. A new review writes as many as before: published ones, of which nearly every shop has the
most, are found by their ids, so the index of them goes.

The states are not in a list: for one of three values, SQLite builds a table each time that it stores an invitation.
"""

STATEMENTS = (
    """
    CREATE INDEX invitations_by_state ON invitations (shop, state, invite_id)
    WHERE state <> 'scheduled' AND state <> 'claimed' AND state <> 'handing_over'
    """,
    "DROP INDEX reviews_published",
    "CREATE INDEX reviews_by_rating ON reviews (shop, rating, review_id) WHERE rating IS NOT NULL",
    "CREATE INDEX reviews_not_published ON reviews (shop, state, review_id) WHERE state <> 'published'",
)
