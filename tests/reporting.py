"""Reports of orders by the client of the distribution, one attempt each: a test sees what the service did at once."""

from __future__ import annotations

from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_http.client import Client, ReportedOrder, Retries


def one_attempt(address: str, key: str) -> Client:
    """Return a client that repeats nothing, and waits however busy the machine is."""
    return Client(address, key, timeout=TIMEOUT_SECONDS, retries=Retries(attempts=1, seconds=TIMEOUT_SECONDS))


def report_order(
    address: str, key: str, email: str, *, order_number: str | None = None, delay_days: float | None = None
) -> ReportedOrder:
    """Report an order by a connection of its own."""
    with one_attempt(address, key) as client:
        return client.report_order(email, order_number=order_number, delay_days=delay_days)
