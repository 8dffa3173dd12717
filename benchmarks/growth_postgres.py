"""Reporting and claiming on PostgreSQL with many invitations stored, against the same with few.

`python -m benchmarks.growth_postgres`
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import psycopg

from benchmarks.growth import FEW, MANY, shop_with, with_many_and_few
from benchmarks.measure import Row, report
from benchmarks.postgres import new_database, server


def measure(*, many: int = MANY, repetitions: int = 9) -> Iterator[Row]:
    """Milliseconds with many stored against milliseconds with few, in turns."""
    with (
        server() as url,
        new_database(url) as few_settings,
        new_database(url) as many_settings,
        shop_with(FEW, few_settings) as few_shop,
        shop_with(many, many_settings) as many_shop,
    ):
        for settings in (few_settings, many_settings):
            _tidy(settings.database_url)
        yield from with_many_and_few(many_shop, few_shop, many, repetitions, engine="PostgreSQL")


def _tidy(url: str) -> None:
    """What autovacuum would do within a minute, so that it does not do it while we measure."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=MANY, help="invitations stored, in steps of 1,000")
    parser.add_argument("--repetitions", type=int, default=9)
    given = parser.parse_args()
    report(measure(many=given.many, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
