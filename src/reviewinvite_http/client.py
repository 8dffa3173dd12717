"""A client of the orders API: what a merchant's server does, in a few lines. Spec: §4.1."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import attrs


@attrs.frozen(kw_only=True)
class OrderAnswer:
    """What the API answered: the invitation, or a refusal with its Dutch sentence and stable code."""

    status: int
    invite_id: str | None = None
    scheduled_for: str | None = None
    duplicate: bool = False
    error: str | None = None
    code: str | None = None
    retry_after: int | None = None


@attrs.frozen
class OrdersClient:
    """Reports orders to the service at `base_url` with an API key. Retrying is safe: the service deduplicates."""

    base_url: str
    key: str = attrs.field(repr=False)
    timeout_seconds: float = 10.0

    def report(
        self,
        *,
        email: str,
        order_number: str | None = None,
        language: str | None = None,
        delay_days: float | None = None,
    ) -> OrderAnswer:
        """Report a completed order.

        Raises: `OSError` if the service cannot be reached, or its answer breaks off.
        """
        fields = {"email": email, "orderNumber": order_number, "language": language, "delayDays": delay_days}
        body = json.dumps({name: value for name, value in fields.items() if value is not None})
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        url = urlsplit(self.base_url)
        over = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = over(url.netloc, timeout=self.timeout_seconds)
        try:
            connection.request("POST", f"{url.path.rstrip('/')}/v1/orders", body, headers)
            response = connection.getresponse()
            answer = _object_in(response.read())
        except http.client.HTTPException as broken:
            raise ConnectionError("the answer broke off, or was no HTTP") from broken
        finally:
            connection.close()
        retry_after = response.headers.get("Retry-After")
        return OrderAnswer(
            status=response.status,
            invite_id=answer.get("inviteId"),
            scheduled_for=answer.get("scheduledFor"),
            duplicate=answer.get("duplicate", False),
            error=answer.get("error"),
            code=answer.get("code"),
            retry_after=int(retry_after) if retry_after else None,
        )


def _object_in(body: bytes) -> dict[str, Any]:
    """The JSON object in an answer; nothing where something between us and the service answered in its own words."""
    try:
        decoded = json.loads(body)
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}
