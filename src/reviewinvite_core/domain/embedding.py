"""Tags and small scripts that shops paste into their pages, safe in HTML for any values. Spec: §4.2, §4.3."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.domain.shop import SiteId

EMAIL_PLACE = "CUSTOMER_EMAIL"
ORDER_NUMBER_PLACE = "ORDER_NUMBER"
SIGNATURE_PLACE = "SIGNATURE"

_NAMES = re.compile(r"\b(?:SITE_ID|ENDPOINT)\b")
_PRIVACY = (
    "<!-- reviewinvite: fill in the customer's e-mail address and the order number, escaped for HTML, and no more:\n"
    "     no name, postal address, payment data or order lines. -->"
)
_DATA = f'data-email="{EMAIL_PLACE}" data-order-number="{ORDER_NUMBER_PLACE}"'

# The text is the same for every order, so that a Content-Security-Policy can allow it by hash. A blank
# after each brace keeps template languages whose tags begin with a brace (Smarty) from parsing it.
_INLINE = """
try {
  const order = document.currentScript.dataset;
  order.email && fetch(ENDPOINT, {
    method: "POST", mode: "cors", credentials: "omit", keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      siteId: SITE_ID, email: order.email, orderNumber: order.orderNumber || undefined,
      signature: order.signature || undefined
    })
  }).catch(function () { });
} catch (ignored) { }
"""


def javascript_literal(value: object) -> str:
    """Return a JSON value as a JavaScript literal that is safe in a file and between `<script>` tags."""
    literal = json.dumps(value, separators=(",", ":"))  # ASCII: old browsers end lines at Unicode separators
    return literal.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def filled_in(script: str, site_id: SiteId, base_url: str) -> str:
    """Return an order-reporting script with the shop and the endpoint filled in."""
    values = {"SITE_ID": site_id.text, "ENDPOINT": f"{base_url}/v1/orders/snippet"}
    return _NAMES.sub(lambda name: javascript_literal(values[name[0]]), script)


@attrs.frozen
class SnippetEmbed:
    """Code for a shop's confirmation page, in two forms. `base_url` has no trailing slash.

    If the shop's server signs its orders, the code has a place for the signature.
    """

    site_id: SiteId
    base_url: str
    is_signed: bool = False

    @property
    def tag(self) -> str:
        """A tag that loads the script."""
        source = _attribute(f"{self.base_url}/s/{self.site_id}.js")
        return f'{_PRIVACY}\n<script async src="{source}" {self._data}></script>'

    @property
    def inline(self) -> str:
        """An inline script that sends the same report and loads nothing."""
        return f"{_PRIVACY}\n<script {self._data}>{self._inline_text}</script>"

    @property
    def tag_policy(self) -> str:
        """Content-Security-Policy directives that a page needs in order to use the tag."""
        origin = _origin(self.base_url)
        return f"script-src {origin}; connect-src {origin}"

    @property
    def inline_policy(self) -> str:
        """Content-Security-Policy directives that a page needs in order to use the inline script."""
        digest = base64.b64encode(hashlib.sha256(self._inline_text.encode()).digest()).decode("ascii")
        return f"script-src 'sha256-{digest}'; connect-src {_origin(self.base_url)}"

    @property
    def is_secure(self) -> bool:
        """Whether pages served over https, such as shops' confirmation pages, can use the code."""
        return self.base_url.startswith("https://")

    @property
    def _data(self) -> str:
        return f'{_DATA} data-signature="{SIGNATURE_PLACE}"' if self.is_signed else _DATA

    @property
    def _inline_text(self) -> str:
        return filled_in(_INLINE, self.site_id, self.base_url)


@attrs.frozen
class BadgeEmbed:
    """Embed code of a shop's badge, the same for every appearance. `widget_url` has no trailing slash."""

    site_id: SiteId
    widget_url: str

    @property
    def tag(self) -> str:
        """A script tag that draws the badge at the place where it is pasted."""
        return f'<script async src="{_attribute(f"{self.widget_url}/w/{self.site_id}.js")}"></script>'

    @property
    def policy(self) -> str:
        """Content-Security-Policy directives that a page needs in order to show the badge."""
        return f"script-src {_origin(self.widget_url)}"

    @property
    def is_secure(self) -> bool:
        """Whether pages served over https can use the code."""
        return self.widget_url.startswith("https://")


def _origin(web_address: str) -> str:
    url = urlsplit(web_address)
    return f"{url.scheme}://{url.netloc}"


def _attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
