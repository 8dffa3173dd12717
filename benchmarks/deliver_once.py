"""Deliver what is due, and print how many seconds it took.

`against` runs this file in the environment of an earlier commit as well, so it imports only what is public there too.

`python benchmarks/deliver_once.py DATABASE_URL MAIL_PORT CONNECTIONS MARK_FILE MESSAGES`
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from reviewinvite_core import Actor, Application, NewShop, OrderReport, Settings, State, build
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock

AT_ONCE = 1_000
SECRET = "a secret that only benchmarks have"


def deliver(settings: Settings, count: int) -> float:
    """Fill a new database, deliver all of it, and return the seconds that the deliveries took."""
    with filled(settings, count) as app:
        begin = time.perf_counter()
        deliver_all(app, count)
        return time.perf_counter() - begin


@contextmanager
def filled(settings: Settings, count: int) -> Iterator[Application]:
    """Yield an application with `count` due invitations on a new database.

    Ids, tokens and times are the same in each run, and so are the bytes of the messages.
    """
    with closing(build(settings, clock=ManualClock(), entropy=CountingEntropy())) as app:
        fill(app, count)
        yield app


def deliver_all(app: Application, count: int) -> None:
    """Deliver what is due; fail unless all of `count` are sent."""
    delivered = sum(invitation.state is State.SENT for invitation in app.delivery.once())
    assert delivered == count, f"{delivered} of {count} were delivered"


def fill(app: Application, count: int) -> None:
    """Report `count` orders that are due at once."""
    app.shops.add(NewShop(site_id="bakery", name="Bakery"))
    caller = app.shops.act_for("bakery")
    assert isinstance(caller, Actor)
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        app.orders.import_many(
            caller,
            [
                OrderReport(email=f"customer{each}@example.com", order_number=str(each), delay_days=0)
                for each in numbers
            ],
        )


def settings_for(database_url: str, port: int, connections: int, mark: Path) -> Settings:
    """Return settings that deliver to a server on this machine, over this number of connections."""
    return Settings(
        database_url=database_url,
        secret=SECRET,
        mail_url=f"smtp://127.0.0.1:{port}",
        mail_connections=connections,
        handover_mark=mark,
    )


def main() -> None:
    """Deliver as the arguments say, and print the seconds."""
    database_url, port, connections, mark, count = sys.argv[1:]
    print(deliver(settings_for(database_url, int(port), int(connections), Path(mark)), int(count)))


if __name__ == "__main__":
    main()
