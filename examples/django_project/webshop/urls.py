"""The addresses of the shop."""

from __future__ import annotations

from django.urls import path

from webshop.views import complete_order

urlpatterns = [path("orders/<str:number>", complete_order)]
