"""Heartbeats of workers, and an index of the invitations that wait to be tried again (ADR-70).

Neither an order's report nor a delivery that succeeds writes an entry of that index.
"""

STATEMENTS = (
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
