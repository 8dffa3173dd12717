"""Name a browser from its `User-Agent`, for the list of one's sessions and the notice about a new one."""

from __future__ import annotations

_BROWSERS = (
    ("edg", "Edge"),
    ("opr/", "Opera"),
    ("samsungbrowser", "Samsung Internet"),
    ("firefox", "Firefox"),
    ("fxios", "Firefox"),
    ("chrome", "Chrome"),
    ("crios", "Chrome"),
    ("safari", "Safari"),
    ("curl", "curl"),
)
_SYSTEMS = (
    ("iphone", "iPhone"),
    ("ipad", "iPad"),
    ("android", "Android"),
    ("windows", "Windows"),
    ("mac os", "macOS"),
    ("cros", "ChromeOS"),
    ("linux", "Linux"),
)


def device_name(user_agent: str | None) -> str:
    """Return a name such as `Firefox, Windows`, or an empty text if the browser says nothing that is known.

    Only names from the lists above come out, so nothing that a client writes is shown or mailed.
    """
    said = (user_agent or "").lower()
    return ", ".join(
        found
        for names in (_BROWSERS, _SYSTEMS)
        if (found := next((name for part, name in names if part in said), None)) is not None
    )
