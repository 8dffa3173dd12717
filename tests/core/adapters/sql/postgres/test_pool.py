"""What the pool of connections says in an outage."""

from __future__ import annotations

import logging
from contextlib import closing

import pytest

from reviewinvite_core.adapters.sql.postgres.pool import Pool, outages


def test_the_pool_warns_once_in_an_outage_and_counts_the_rest(
    postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    outages.note_end()
    with closing(Pool(postgres_url, busy_seconds=60, answer_seconds=60)) as pool:
        pool.open()
        for _ in range(2):
            caplog.clear()
            for _ in range(3):  # as the pool does for each attempt
                logging.getLogger("psycopg.pool").warning("error connecting in %r: %s", "pool-1", "refused")
            with pool.connection():
                pass
            said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
            assert said == ["error connecting in 'pool-1': refused"]
            (answers,) = [each for each in caplog.records if getattr(each, "event", "") == "the database answers"]
            assert answers.fields["failed_connections"] == 3  # type: ignore[attr-defined]  # set by our loggers
