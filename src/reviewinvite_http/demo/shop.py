"""The demo's shop: a product page with the badge, and a confirmation page with the snippet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import attrs
from litestar import Litestar, get, post
from litestar.di import NamedDependency, Provide
from litestar.enums import RequestEncodingType
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.params import Body, FromPath
from litestar.response import Redirect, Response, Template
from markupsafe import Markup, escape

from reviewinvite_core.domain.embedding import EMAIL_PLACE, ORDER_NUMBER_PLACE, BadgeEmbed, SnippetEmbed
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_http.demo.hosts import DESK
from reviewinvite_http.demo.templates import TEMPLATES, language_of, page, style_sheet
from reviewinvite_http.requests import AnyRequest

_LONGEST_EMAIL = 254
_CUSTOMER = "customer@example.com"
_OWN = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#a8642a" d="M3 21c0-8 6-13 13-13s13 5 '
    '13 13c0 3-2 5-5 5H8c-3 0-5-2-5-5z"/></svg>'
)


@attrs.frozen
class DemoShop:
    """The shop's orders, in memory, and the code that it has pasted into its pages."""

    base_url: str
    site_id: SiteId
    numbers: Iterator[int]
    orders: dict[str, str] = attrs.field(factory=dict)  # the customer's address, by order number

    @property
    def badge(self) -> BadgeEmbed:
        """The embed code of the badge."""
        return BadgeEmbed(self.site_id, self.base_url)

    @property
    def snippet(self) -> SnippetEmbed:
        """The embed code of the snippet."""
        return SnippetEmbed(self.site_id, self.base_url)

    def order(self, email: str) -> str:
        """Take an order and return its number."""
        number = f"2026-{next(self.numbers):04}"
        self.orders[number] = email
        return number


@get("/", sync_to_thread=False)
def product_page(shop: NamedDependency[DemoShop], request: AnyRequest) -> Template:
    """Show the only product, with the badge as the shop has pasted it."""
    policy = f"{_OWN}; {shop.badge.policy}"
    values: dict[str, Any] = {"badge": Markup(shop.badge.tag), "customer": _CUSTOMER}  # noqa: S704 - safe in HTML for any values
    return _page(request, "product", shop, policy, **values)


@post("/order", sync_to_thread=False)
def buy(
    shop: NamedDependency[DemoShop], data: Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
) -> Redirect:
    """Take an order and go to its confirmation."""
    email = data.get("email", "").strip()[:_LONGEST_EMAIL]
    return Redirect(f"/thank-you/{shop.order(email or _CUSTOMER)}", status_code=303)


@get("/thank-you/{number:str}", sync_to_thread=False)
def confirmation_page(shop: NamedDependency[DemoShop], request: AnyRequest, number: FromPath[str]) -> Template:
    """Confirm an order, with the snippet as the shop has pasted it; it reports the order from the browser."""
    email = shop.orders.get(number)
    if email is None:
        raise NotFoundException
    tag = shop.snippet.tag.replace(EMAIL_PLACE, escape(email)).replace(ORDER_NUMBER_PLACE, escape(number))
    inbox = f"{shop.base_url}{DESK}/inbox?order={number}&language={language_of(request)}"
    values: dict[str, Any] = {"snippet": Markup(tag), "number": number, "email": email, "inbox": inbox}  # noqa: S704 - escaped above
    return _page(request, "confirmation", shop, f"{_OWN}; {shop.snippet.tag_policy}", **values)


@get("/favicon.ico", sync_to_thread=False)
def shop_icon() -> Response[str]:
    """Return the shop's icon, which browsers ask for at this path whatever its format."""
    return Response(_ICON, media_type="image/svg+xml")


@get("/style.css", sync_to_thread=False)
def shop_style() -> Response[str]:
    """Return the style of the shop's pages."""
    return style_sheet("shop.css")


def _page(request: AnyRequest, name: str, shop: DemoShop, policy: str, *, status: int = 200, **values: Any) -> Template:
    desk = f"{shop.base_url}{DESK}?language={language_of(request)}"
    return page(request, name, policy, status=status, desk=desk, **values)


def create_shop(shop: DemoShop) -> Litestar:
    """Return the shop's website."""

    def absent(request: AnyRequest, error: HTTPException) -> Template:
        """Return the page that stands in for one that does not exist, or that no link leads to."""
        return _page(request, "shop_absent", shop, _OWN, status=error.status_code)

    return Litestar(
        [product_page, buy, confirmation_page, shop_icon, shop_style],
        dependencies={"shop": Provide(lambda: shop, use_cache=True, sync_to_thread=False)},
        exception_handlers={NotFoundException: absent, MethodNotAllowedException: absent},
        template_config=TEMPLATES,
        openapi_config=None,
        logging_config=None,
    )
