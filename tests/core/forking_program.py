"""A program that forks while an application is open, and prints what becomes of it in the child and in the parent.

Its arguments are the address of a database and of a mail server.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from reviewinvite_core import (
    Actor,
    Application,
    AsyncApplication,
    NewShop,
    OrderReport,
    Settings,
    UsedAfterFork,
    accepted,
    build,
)

ORDER = OrderReport(email="anna@example.com", order_number="1001", delay_days=0)


def outcome(call: Callable[[], object]) -> str:
    """Return the message if the call is refused because of the fork, and what became of it otherwise."""
    try:
        result = call()
    except UsedAfterFork as refused:
        return str(refused).replace(str(os.getppid()), "N")
    except BaseException as other:
        return repr(other)
    return f"returned {type(result).__name__}"


def calls(app: Application, awaitable: AsyncApplication, caller: Actor, settings: Settings) -> Mapping[str, Any]:
    """Return what a child may try, by name."""
    return {
        "write": lambda: app.orders.report(caller, ORDER),
        "read": lambda: app.shops.list(),
        "readiness": app.check_ready,
        "delivery": lambda: app.delivery.once(),
        "continual delivery": lambda: app.delivery.continually(threading.Event()),
        "paused": app.delivery.paused,
        "reconcile": app.delivery.reconcile,
        "domain rechecks": app.domain_rechecker.in_background,
        "async write": lambda: asyncio.run(awaited(awaitable.orders.report(caller, ORDER))),
        "async read": lambda: asyncio.run(awaited(awaitable.shops.list())),
        "close": lambda: close_both(awaitable, app),
        "build again": lambda: build(settings).close(),
    }


def close_both(awaitable: AsyncApplication, app: Application) -> int:
    left = awaitable.close()
    app.close()
    return left


async def awaited(call: Any) -> object:
    return await asyncio.wait_for(call, 60)


def in_child(work: Callable[[], object]) -> str:
    """Fork, do the work in the child, and return what it says, and how it ended if not well."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return said if status == 0 else f'"ended with {status}"'


def main() -> None:
    settings = Settings(database_url=sys.argv[1], mail_url=sys.argv[2], secret="a secret for tests, long enough")
    with build(settings) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        caller = accepted(app.shops.act_for("bakery"))
        awaitable = AsyncApplication(app)
        names = calls(app, awaitable, caller, settings)
        child = in_child(lambda: {name: outcome(call) for name, call in names.items()})
        parent = {name: outcome(names[name]) for name in ("write", "read", "async write", "async read", "delivery")}
        awaitable.close()
    after_close = in_child(lambda: outcome(names["build again"]))
    print(json.dumps({"child": json.loads(child), "parent": parent, "after close": json.loads(after_close)}))


if __name__ == "__main__":
    main()
