"""A web shop on Django that invites its customers.

Run `python manage.py migrate`, then `runserver`, and in another process `python manage.py deliver_invitations`.

Django's tables are in `shop.sqlite3`, those of reviewinvite in `reviewinvite.db` beside it, each with its own
migrations. Other settings of reviewinvite are read from `reviewinvite.toml` and the environment.
"""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webshop.settings")
    execute_from_command_line(sys.argv)
