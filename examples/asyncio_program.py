"""Report orders that arrive as lines of JSON on standard input, and send invitations meanwhile.

Each line is like `{"number": "1001", "email": "anna@example.com"}`. Orders that arrive together share a commit. The
program ends with its input, or on Ctrl-C. Settings are read from `reviewinvite.toml` and the environment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

from reviewinvite_core import (
    Actor,
    AsyncApplication,
    NewShop,
    OrderReport,
    Refused,
    Reported,
    Settings,
    StorageUnavailable,
    accepted,
    build_async,
)

SHOP = NewShop(site_id="bakery", name="Bakery De Molen", language="en")


async def report(app: AsyncApplication, actor: Actor, order: OrderReport) -> Reported:
    """Report an order, and try again while storage is busy or away: a repeat is recognised, so that is safe."""
    for seconds in (1, 2, 4, 8):
        try:
            return accepted(await app.orders.report(actor, order))
        except StorageUnavailable:
            await asyncio.sleep(seconds)
    return accepted(await app.orders.report(actor, order))


async def handle(app: AsyncApplication, actor: Actor, line: bytes) -> None:
    """Report the order in a line; log what is wrong with it, so that the others go on."""
    try:
        fields = json.loads(line)
        order = OrderReport(email=fields["email"], order_number=fields["number"], delay_days=0)
        reported = await report(app, actor, order)
    except (ValueError, KeyError, TypeError, Refused, StorageUnavailable) as error:
        logging.error("an order was not reported: %r", error)
    else:
        print(f"order {order.order_number}: invitation {reported.invite_id}", flush=True)


async def lines() -> AsyncIterator[bytes]:
    """Yield the lines of standard input, read on a daemon thread: asyncio would wait for a thread of its own."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        with os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as unbuffered:  # a buffer has a lock
            for line in unbuffered:
                loop.call_soon_threadsafe(waiting.put_nowait, line)
        loop.call_soon_threadsafe(waiting.put_nowait, b"")

    threading.Thread(target=read, daemon=True).start()
    while line := await waiting.get():
        yield line


async def main() -> None:
    """Report and deliver side by side until the input ends."""
    async with build_async(Settings.load(environment=os.environ)) as app:
        await app.shops.add(SHOP)  # `ShopExists` from the second run on
        actor = accepted(await app.shops.act_for("bakery"))
        deliveries = asyncio.create_task(app.delivery.continually())
        try:
            async with asyncio.TaskGroup() as reports:
                async for line in lines():
                    reports.create_task(handle(app, actor, line))
        finally:
            deliveries.cancel()  # messages in progress are finished first
            with suppress(asyncio.CancelledError):
                await deliveries


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
