"""What shops paste into their pages: tags and small scripts, safe in HTML whatever stands in them. Spec: §4.2, §4.3."""

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

_NAMES = re.compile(r"\b(?:SITE_ID|ENDPOINT)\b")
_PRIVACY = (
    "<!-- reviewinvite: fill in the customer's e-mail address and the order number, escaped for HTML, and no more:\n"
    "     no name, postal address, payment data or order lines. -->"
)
_DATA = f'data-email="{EMAIL_PLACE}" data-order-number="{ORDER_NUMBER_PLACE}"'

# Its text is the same for every order, so that a Content-Security-Policy can allow it by its hash. A
# blank after each brace keeps the template languages that begin a tag with one (Smarty) from reading it.
_INLINE = """
try {
  const order = document.currentScript.dataset;
  order.email && fetch(ENDPOINT, {
    method: "POST", mode: "cors", credentials: "omit", keepalive: true,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ siteId: SITE_ID, email: order.email, orderNumber: order.orderNumber || undefined })
  }).catch(function () { });
} catch (ignored) { }
"""


def javascript_literal(value: object) -> str:
    """What JSON can hold, as a JavaScript literal that can stand in a file and between `<script>` tags alike."""
    literal = json.dumps(value, separators=(",", ":"))  # in ASCII: old browsers end lines at separators beyond it
    return literal.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def filled_in(script: str, site_id: SiteId, base_url: str) -> str:
    """A script that reports orders, with the shop and the address to report to in place of their names."""
    values = {"SITE_ID": site_id.text, "ENDPOINT": f"{base_url}/v1/orders/snippet"}
    return _NAMES.sub(lambda name: javascript_literal(values[name[0]]), script)


@attrs.frozen
class SnippetEmbed:
    """What a shop pastes into its confirmation page, in two forms. `base_url` has no slash at its end."""

    site_id: SiteId
    base_url: str

    @property
    def tag(self) -> str:
        """One tag for the ready-made script."""
        source = _attribute(f"{self.base_url}/s/{self.site_id}.js")
        return f'{_PRIVACY}\n<script async src="{source}" {_DATA}></script>'

    @property
    def inline(self) -> str:
        """The same report without a script from elsewhere."""
        return f"{_PRIVACY}\n<script {_DATA}>{self._inline_text}</script>"

    @property
    def tag_policy(self) -> str:
        """What a page's Content-Security-Policy has to allow for the tag."""
        origin = _origin(self.base_url)
        return f"script-src {origin}; connect-src {origin}"

    @property
    def inline_policy(self) -> str:
        """What a page's Content-Security-Policy has to allow for the inline form."""
        digest = base64.b64encode(hashlib.sha256(self._inline_text.encode()).digest()).decode("ascii")
        return f"script-src 'sha256-{digest}'; connect-src {_origin(self.base_url)}"

    @property
    def is_secure(self) -> bool:
        """Whether pages at https addresses, as shops' confirmation pages are, can use it."""
        return self.base_url.startswith("https://")

    @property
    def _inline_text(self) -> str:
        return filled_in(_INLINE, self.site_id, self.base_url)


@attrs.frozen
class BadgeEmbed:
    """What a shop pastes into its pages for its badge, whatever its look. `widget_url` has no slash at its end."""

    site_id: SiteId
    widget_url: str

    @property
    def tag(self) -> str:
        """One tag, where the badge is to be."""
        return f'<script async src="{_attribute(f"{self.widget_url}/w/{self.site_id}.js")}"></script>'

    @property
    def policy(self) -> str:
        """What a page's Content-Security-Policy has to allow for it."""
        return f"script-src {_origin(self.widget_url)}"

    @property
    def is_secure(self) -> bool:
        """Whether pages at https addresses can use it."""
        return self.widget_url.startswith("https://")


def _origin(web_address: str) -> str:
    url = urlsplit(web_address)
    return f"{url.scheme}://{url.netloc}"


def _attribute(value: str) -> str:
    return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
