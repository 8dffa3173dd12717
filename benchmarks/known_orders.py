"""The orders that the library and its peers take, by number."""

SITE_ID = "bakery"


def address(number: int) -> str:
    """Return the customer's address."""
    return f"customer{number}@example.com"


def name(number: int) -> str:
    """Return the name by which a job queue knows the order."""
    return f"{SITE_ID}/{address(number)}/{number}"
