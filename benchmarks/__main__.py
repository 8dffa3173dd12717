"""All claims, one table: `python -m benchmarks`. It takes about half an hour and wants a quiet machine."""

from __future__ import annotations

from benchmarks import delivery, footprint, growth, growth_postgres, orders_http, orders_library, orders_postgres
from benchmarks.measure import Row, progress, report


def main() -> None:
    """Measure all and print one table."""
    rows: list[Row] = []
    for claims in (orders_http, orders_library, orders_postgres, growth, growth_postgres, delivery, footprint):
        progress(claims.__name__)
        rows += claims.measure()
    report(rows)


if __name__ == "__main__":
    main()
