"""All claims, one table: `python -m benchmarks`. It takes about half an hour and wants a quiet machine."""

from __future__ import annotations

from benchmarks import (
    delivery,
    footprint,
    growth,
    growth_postgres,
    migration,
    orders_http,
    orders_library,
    orders_postgres,
    reviews_http,
    snippet_http,
    views_http,
)
from benchmarks.measure import Row, progress, report

CLAIMS = (
    orders_http,
    snippet_http,
    views_http,
    reviews_http,
    orders_library,
    orders_postgres,
    growth,
    growth_postgres,
    migration,
    delivery,
    footprint,
)


def main() -> None:
    """Measure all and print one table."""
    rows: list[Row] = []
    for claims in CLAIMS:
        progress(claims.__name__)
        rows += claims.measure()
    report(rows)


if __name__ == "__main__":
    main()
