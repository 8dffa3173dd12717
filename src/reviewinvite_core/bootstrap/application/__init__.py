"""The facade: one file for each capability, with its calls and their asyncio counterparts. ADR-41.

`async_application` is separate, because asyncio takes long to import.
"""

from reviewinvite_core.bootstrap.application.application import Application as Application
