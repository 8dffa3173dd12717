"""The composition root: settings, and how an application is built from them."""
