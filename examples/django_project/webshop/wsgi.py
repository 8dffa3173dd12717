"""The shop for a WSGI server: `gunicorn webshop.wsgi`, with or without `--preload`."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webshop.settings")
application = get_wsgi_application()
