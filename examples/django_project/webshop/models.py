"""The shop's own table."""

from __future__ import annotations

from django.db import models


class Order(models.Model):
    """An order, and the invitation that it led to once it was reported."""

    number = models.CharField(max_length=64, unique=True)
    email = models.EmailField()
    completed = models.BooleanField(default=False)
    invitation = models.CharField(max_length=36, blank=True)
