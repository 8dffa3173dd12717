"""The facade: a file for each capability, its calls and, beside them, the same for asyncio. ADR-41.

`async_application` is apart, since asyncio takes long to import.
"""

from reviewinvite_core.bootstrap.application.application import Application as Application
