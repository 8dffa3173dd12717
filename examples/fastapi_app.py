"""A web shop on FastAPI that invites its customers: `uvicorn fastapi_app:app --no-access-log --no-proxy-headers`.

The shop's own routes report orders, deliveries run beside them, and the review pages are mounted below `/reviews`.
Set `REVIEWINVITE_BASE_URL` to the address of that mount, for example `https://shop.example/reviews`. Other settings
are read from `reviewinvite.toml` and the environment.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated, cast

from fastapi import Depends, FastAPI, HTTPException, Request
from pydantic import BaseModel
from starlette.types import ASGIApp

from reviewinvite_core import (
    AsyncApplication,
    Invalid,
    NewShop,
    OrderReport,
    Reported,
    Settings,
    StorageUnavailable,
    accepted,
    build_async,
)
from reviewinvite_http.app import create_app

SHOP = NewShop(site_id="bakery", name="Bakery De Molen", language="en")


@asynccontextmanager
async def lifespan(web: FastAPI) -> AsyncIterator[None]:
    """Open the application when the server starts, in the serving process; close it when the server stops."""
    logging.getLogger("reviewinvite").setLevel(logging.INFO)
    async with build_async(Settings.load(environment=os.environ)) as reviews:
        await reviews.shops.add(SHOP)  # `ShopExists` from the second run on
        web.state.reviews = reviews
        web.mount("/reviews", cast("ASGIApp", create_app(reviews)))
        deliveries = asyncio.create_task(reviews.delivery.continually())
        try:
            yield
        finally:
            deliveries.cancel()  # messages in progress are finished first
            with suppress(asyncio.CancelledError):
                await deliveries


app = FastAPI(lifespan=lifespan)


def reviews_of(request: Request) -> AsyncApplication:
    """Return the application, for routes that depend on it."""
    reviews: AsyncApplication = request.app.state.reviews
    return reviews


class CompletedOrder(BaseModel):
    """What the shop's till sends when an order is complete."""

    number: str
    email: str


@app.post("/orders")
async def complete_order(
    order: CompletedOrder, reviews: Annotated[AsyncApplication, Depends(reviews_of)]
) -> dict[str, str | bool]:
    """Complete an order, and schedule its invitation; safe to repeat after any failure."""
    actor = accepted(await reviews.shops.act_for("bakery"))
    try:
        report = OrderReport(email=order.email, order_number=order.number, delay_days=0)
        answer = await reviews.orders.report(actor, report)
    except Invalid as invalid:
        raise HTTPException(422, str(invalid)) from invalid
    except StorageUnavailable as busy:
        raise HTTPException(503, "try again", headers={"Retry-After": "1"}) from busy
    if not isinstance(answer, Reported):
        raise HTTPException(409, type(answer).__name__)
    return {"invitation": answer.invite_id, "duplicate": answer.duplicate}
