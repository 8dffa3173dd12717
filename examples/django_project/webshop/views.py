"""The page of the shop's till."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_POST

from webshop.models import Order


@require_POST
def complete_order(request: HttpRequest, number: str) -> JsonResponse:
    """Store a completed order; saving it has the signal report it."""
    order, created = Order.objects.get_or_create(number=number, defaults={"email": request.POST["email"]})
    if not order.completed:
        order.completed = True
        order.save()
    order.refresh_from_db()
    return JsonResponse({"invitation": order.invitation, "created": created})
