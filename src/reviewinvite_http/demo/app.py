"""The demo as one ASGI application: the service, the shop and the demo's own pages."""

from __future__ import annotations

import itertools
from pathlib import Path

from litestar.types import ASGIApp

from reviewinvite_core import Application, SiteId
from reviewinvite_http.demo.bar import DemoBar
from reviewinvite_http.demo.desk import Desk, create_desk
from reviewinvite_http.demo.history import FIRST_FREE_NUMBER, SITE_ID
from reviewinvite_http.demo.hosts import DemoHosts, shop_url
from reviewinvite_http.demo.inbox import Inbox
from reviewinvite_http.demo.shop import DemoShop, create_shop


def create_demo(service: ASGIApp, app: Application, outbox: Path) -> ASGIApp:
    """Return the service with the demo around it; `service` serves `app`, whose mails arrive in `outbox`."""
    base_url = app.base_url
    shop = DemoShop(base_url, SiteId(SITE_ID), itertools.count(FIRST_FREE_NUMBER))
    desk = Desk(app=app, inbox=Inbox(outbox))
    return DemoHosts(DemoBar(service), create_shop(shop), create_desk(desk), shop_url(base_url))
