"""A shop's signature of an order, as the specification writes it down: apart from the service's own code."""

from __future__ import annotations

import hashlib
import hmac


def signed_with(secret: str, site_id: str, email: str, order_number: str = "") -> str:
    """Return the signature that a shop's server makes with the text of its secret. Spec: §4.2."""
    text = f"v1\n{site_id}\n{email}\n{order_number}"
    return hmac.new(secret.encode("utf-8"), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
