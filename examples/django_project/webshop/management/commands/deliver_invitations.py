"""The worker: a process of its own that sends invitations."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from webshop.reviews import application, report_missed


class Command(BaseCommand):
    """Report the orders that were missed, and deliver until SIGTERM or Ctrl-C."""

    help = "Send invitations as they become due."

    def handle(self, *_: Any, **__: Any) -> None:
        """Deliver until a signal arrives; messages in progress are finished first."""
        stop = threading.Event()
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: stop.set())
        report_missed()
        self.stdout.write("delivering")
        self.stdout.flush()
        application().delivery.continually(stop)
        self.stdout.write("stopped")
