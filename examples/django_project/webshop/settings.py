"""Django's settings, as few as it takes."""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("WEBSHOP_DATA", "."))
SECRET_KEY = os.environ.get("WEBSHOP_SECRET_KEY", "for development only")
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "webshop.urls"
WSGI_APPLICATION = "webshop.wsgi.application"
INSTALLED_APPS = ["webshop.apps.WebshopConfig"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "shop.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "loggers": {"reviewinvite": {"handlers": ["console"], "level": "INFO"}},
}

REVIEWINVITE_DATABASE_URL = f"sqlite:///{DATA.absolute() / 'reviewinvite.db'}"
