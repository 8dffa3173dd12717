"""Who runs the service, as its pages say. Spec: §4 (Pages), §8 (Settings)."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Imprint:
    """The operator's name, contact (an e-mail address or an https:// URL) and privacy statement, as far as given."""

    name: str | None = None
    contact: str | None = None
    privacy_url: str | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is anything to say."""
        return self != Imprint()

    @property
    def contact_url(self) -> str | None:
        """The contact as a link, or None."""
        if self.contact is None or self.contact.startswith("https://"):
            return self.contact
        return f"mailto:{self.contact}"
