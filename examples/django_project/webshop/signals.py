"""Reports an order when it is completed, wherever in the shop that happens."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from webshop.models import Order
from webshop.reviews import report


@receiver(post_save, sender=Order)
def report_completed(instance: Order, **_: Any) -> None:
    """Report the order after the commit: one that is rolled back must not lead to an e-mail."""
    if instance.completed and not instance.invitation:
        transaction.on_commit(partial(report, instance))
