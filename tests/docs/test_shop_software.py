"""The programs for shop software report orders that are paid and completed, and no others: each is run as printed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import attrs
import pytest
from tests.tools import require, unavailable

from reviewinvite_core import OPERATOR, Application, InvitationQuery, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import server

pytestmark = pytest.mark.process  # PHP and Python run what is printed

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "how-to" / "report-orders-from-shop-software.md").read_text(encoding="utf-8")
SITE = "bakkerij-1"
SECONDS = 120


def example(heading: str, language: str) -> str:
    """Return the one example in this language below a heading."""
    part = re.split(rf"^## {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1].partition("\n## ")[0]
    [text] = re.findall(rf"^```{language}\n(.*?)^```$", part, re.DOTALL | re.MULTILINE)
    return str(text)


@attrs.frozen
class Shop:
    """A shop's software, which runs an example against a real service."""

    app: Application
    environment: dict[str, str]
    folder: Path

    def run(self, *command: str, given: str = "") -> str:
        """Run a command to its end; return its output."""
        return subprocess.run(
            command, env=self.environment, input=given, capture_output=True, text=True, timeout=SECONDS, check=True
        ).stdout

    def run_php(self, stand_ins: str, text: str, orders: object, **environment: str) -> str:
        """Run an example in PHP beside the stand-ins for its platform, for these orders."""
        php = require("php", "the examples need it")
        if b"curl" not in subprocess.check_output([php, "-m"]):
            unavailable("php", "it has no curl: `apt-get install php-curl`")
        file = self.folder / "example.php"
        file.write_text(text, encoding="utf-8")
        shop = attrs.evolve(self, environment={**self.environment, **environment})
        return shop.run(php, str(HERE / "platforms" / stand_ins), str(file), json.dumps(orders))

    def reported(self) -> Sequence[str | None]:
        """Return the numbers of the orders that the service knows."""
        found = accepted(self.app.invitations.list(OPERATOR, InvitationQuery())).invitations
        return sorted(str(each.invitation.order_number) for each in found)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    app.shops.add(a_shop(SITE))
    key = accepted(app.api_keys.create(SITE, "tests")).secret.text
    with server.running(app, worker=False) as address:
        yield Shop(app, {**os.environ, "REVIEWS_URL": address, "REVIEWS_KEY": key}, tmp_path)
    app.close()


WOOCOMMERCE = {
    "1001": ["processing", "completed"],
    "1002": [],
    "1003": ["on-hold"],
    "1004": ["processing"],
    "1005": ["processing", "cancelled"],
    "1006": ["failed"],
    "1007": ["processing", "completed", "refunded"],  # before the queue runs
    "1008": ["completed", "cancelled"],
    "1009": ["on-hold", "completed", "completed"],
}


def test_woocommerce_reports_completed_orders_only(shop: Shop) -> None:
    assert shop.run_php("woocommerce.php", example("WooCommerce", "php"), WOOCOMMERCE) == ""
    assert shop.reported() == ["1001", "1009"]


def test_woocommerce_reports_again_what_got_no_answer(shop: Shop) -> None:
    said = shop.run_php("woocommerce.php", example("WooCommerce", "php"), {"1001": ["completed"]}, FAILURES="9")
    assert said.split() == ["later"] * 9
    assert shop.reported() == ["1001"]
    said = shop.run_php("woocommerce.php", example("WooCommerce", "php"), {"1002": ["completed"]}, FAILURES="10")
    assert said.split() == ["later"] * 9  # and then no more
    assert shop.reported() == ["1001"]


MAGENTO = [
    ("1001", "processing", "complete", 0),
    ("1002", "", "new", 50),
    ("1003", "new", "pending_payment", 50),
    ("1004", "pending_payment", "processing", 0),
    ("1005", "processing", "complete", 50),
    ("1006", "processing", "canceled", 0),
    ("1007", "complete", "closed", 0),
    ("1008", "complete", "complete", 0),  # completed long ago, and saved again
]


def test_magento_reports_completed_and_paid_orders_only(shop: Shop) -> None:
    text = example("Magento 2 and Adobe Commerce", "php")
    assert shop.run_php("magento.php", text, MAGENTO) == ""
    assert shop.reported() == ["1001"]


def test_magento_logs_what_was_not_reported(shop: Shop) -> None:
    text = example("Magento 2 and Adobe Commerce", "php")
    said = shop.run_php("magento.php", text, MAGENTO, REVIEWS_KEY="rvi_wrong")
    assert said == "order 1001 was not reported for a review: answer 401\n"
    assert shop.run_php("magento.php", text, MAGENTO, REVIEWS_URL="http://127.0.0.1:1").startswith("order 1001 was not")


def test_magento_calls_the_class_that_is_shown() -> None:
    events = ElementTree.fromstring(example("Magento 2 and Adobe Commerce", "xml"))  # noqa: S314 - our own page
    [event] = events
    [observer] = event
    assert event.get("name") == "sales_order_save_commit_after"
    namespace, _, name = str(observer.get("instance")).rpartition("\\")
    text = example("Magento 2 and Adobe Commerce", "php")
    assert f"namespace {namespace};" in text
    assert f"class {name} implements ObserverInterface" in text


def shopify(number: str, paid: str, fulfilled: str | None, cancelled: str | None = None) -> dict[str, object]:
    email = f"customer{number}@example.com"
    status = {"financial_status": paid, "fulfillment_status": fulfilled, "cancelled_at": cancelled}
    return {"id": 5, "email": email, "name": number, **status}


def ecwid(number: str, paid: str, fulfilled: str) -> dict[str, object]:
    email = f"customer{number}@example.com"
    return {"id": number, "email": email, "paymentStatus": paid, "fulfillmentStatus": fulfilled}


def lightspeed(number: str, paid: str, status: str) -> dict[str, object]:
    email = f"customer{number}@example.com"
    return {"order": {"id": 5, "number": number, "email": email, "paymentStatus": paid, "status": status}}


WEBHOOKS: dict[str, tuple[Callable[..., dict[str, object]], Sequence[tuple[str, ...]]]] = {
    "shopify": (
        shopify,
        [
            ("#1001", "paid", "fulfilled"),
            ("#1002", "pending", "fulfilled"),
            ("#1003", "paid", "partial"),
            ("#1004", "refunded", "fulfilled"),
            ("#1005", "paid", "fulfilled", "2026-03-02T09:15:30Z"),
        ],
    ),
    "ecwid": (
        ecwid,
        [
            ("#1001", "PAID", "SHIPPED"),
            ("#1002", "AWAITING_PAYMENT", "SHIPPED"),
            ("#1003", "PAID", "AWAITING_PROCESSING"),
            ("#1004", "CANCELLED", "WILL_NOT_DELIVER"),
            ("#1005", "REFUNDED", "DELIVERED"),
        ],
    ),
    "lightspeed": (
        lightspeed,
        [
            ("#1001", "paid", "completed_shipped"),
            ("#1002", "not_paid", "completed_shipped"),
            ("#1003", "paid", "processing_awaiting_shipment"),
            ("#1004", "paid", "cancelled"),
        ],
    ),
}


@pytest.mark.parametrize("platform", WEBHOOKS)
def test_a_webhook_reports_paid_and_completed_orders_only(shop: Shop, platform: str) -> None:
    file = shop.folder / "webhook.mjs"
    file.write_text(example("A program for webhooks", "js"), encoding="utf-8")
    node = require("node", "the example needs it")
    order, orders = WEBHOOKS[platform]
    said = [shop.run(node, str(file), platform, given=json.dumps(order(*each))) for each in orders]
    assert shop.reported() == ["#1001"]
    assert [bool(each) for each in said] == [True] + [False] * (len(orders) - 1)


def test_a_webhook_that_is_refused_fails(shop: Shop) -> None:
    file = shop.folder / "webhook.mjs"
    file.write_text(example("A program for webhooks", "js"), encoding="utf-8")
    node = require("node", "the example needs it")
    given = json.dumps({**shopify("#1001", "paid", "fulfilled"), "email": "nobody"})
    with pytest.raises(subprocess.CalledProcessError) as failed:
        shop.run(node, str(file), "shopify", given=given)
    assert "not reported: 422" in failed.value.stderr
