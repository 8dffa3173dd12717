"""Indexes by which a list reads no reviews of other states, however many a shop has hidden or lost by withdrawals.

Each review has an entry in one of them, as it had in the index by rating: a new review writes as many pages as before.
"""

STATEMENTS = (
    "CREATE INDEX reviews_published ON reviews (shop, rating, review_id) WHERE state = 'published'",
    "CREATE INDEX reviews_others ON reviews (shop, state, rating, review_id) WHERE state <> 'published'",
    "DROP INDEX reviews_by_rating",
    "DROP INDEX reviews_not_published",
)
