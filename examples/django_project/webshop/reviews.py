"""The invitations of this process: opened by its first call, and so after a server has forked."""

from __future__ import annotations

import atexit
import logging
import os
import threading

from django.conf import settings

from reviewinvite_core import (
    Application,
    Invalid,
    NewShop,
    OrderReport,
    Refused,
    Settings,
    StorageUnavailable,
    accepted,
    build,
)
from webshop.models import Order

log = logging.getLogger(__name__)

SHOP = NewShop(site_id="bakery", name="Bakery De Molen", language="en")

_opening = threading.Lock()
_opened: list[Application] = []


def application() -> Application:
    """Return the application of this process, shared by its threads."""
    with _opening:
        if not _opened:
            flags = {"database_url": settings.REVIEWINVITE_DATABASE_URL}
            app = build(Settings.load(flags, environment=os.environ))
            atexit.register(app.close)
            app.shops.add(SHOP)  # `ShopExists` from the second run on
            _opened.append(app)
    return _opened[0]


def report(order: Order) -> None:
    """Report a completed order, and note its invitation; what fails now is reported by `report_missed`."""
    try:
        app = application()
        actor = accepted(app.shops.act_for("bakery"))
        reported = accepted(
            app.orders.report(actor, OrderReport(email=order.email, order_number=order.number, delay_days=0))
        )
    except (Invalid, Refused, StorageUnavailable):
        log.exception("order %s was not reported", order.number)
    else:
        Order.objects.filter(pk=order.pk).update(invitation=reported.invite_id)


def report_missed() -> None:
    """Report completed orders without an invitation, for example after a crash; repeats are recognised."""
    for order in Order.objects.filter(completed=True, invitation=""):
        report(order)
