"""The facade: one file for each capability, with its calls and their asyncio counterparts. ADR-41."""
