"""Report orders that arrive as lines of JSON on standard input, and send invitations meanwhile.

Each line is like `{"number": "1001", "email": "anna@example.com"}`. Orders that arrive together share a commit. The
program ends with its input. Settings are read from `reviewinvite.toml` and the environment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from contextlib import suppress

from reviewinvite_core import (
    AsyncApplication,
    Caller,
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


async def report(app: AsyncApplication, caller: Caller, order: OrderReport) -> Reported:
    """Report an order, and try again while storage is busy or away: a repeat is recognised, so that is safe."""
    for seconds in (1, 2, 4, 8):
        try:
            return accepted(await app.orders.report(caller, order))
        except StorageUnavailable:
            await asyncio.sleep(seconds)
    return accepted(await app.orders.report(caller, order))


async def handle(app: AsyncApplication, caller: Caller, line: str) -> None:
    """Report the order in a line; log what is wrong with it, so that the others go on."""
    try:
        fields = json.loads(line)
        order = OrderReport(email=fields["email"], order_number=fields["number"], delay=0)
        reported = await report(app, caller, order)
    except (ValueError, KeyError, TypeError, Refused, StorageUnavailable) as error:
        logging.error("an order was not reported: %r", error)
    else:
        print(f"order {order.order_number}: invitation {reported.invite_id}", flush=True)


async def main() -> None:
    """Report and deliver side by side until the input ends."""
    async with build_async(Settings.load(environment=os.environ)) as app:
        await app.shops.add(SHOP)  # `ShopExists` from the second run on
        caller = accepted(await app.shops.act_for("bakery"))
        deliveries = asyncio.create_task(app.delivery.continually())
        async with asyncio.TaskGroup() as reports:
            while line := await asyncio.to_thread(sys.stdin.readline):
                reports.create_task(handle(app, caller, line))
        deliveries.cancel()  # messages in progress are finished first
        with suppress(asyncio.CancelledError):
            await deliveries


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(main())
