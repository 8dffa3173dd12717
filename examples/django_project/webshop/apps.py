"""Says that the shop is an application of Django, and connects its signals."""

from __future__ import annotations

from django.apps import AppConfig


class WebshopConfig(AppConfig):
    """Importing the signals connects them; the invitations' database is opened later, by the first call."""

    name = "webshop"

    def ready(self) -> None:
        """Connect the signals, once the models are loaded."""
        from webshop import signals  # noqa: F401
