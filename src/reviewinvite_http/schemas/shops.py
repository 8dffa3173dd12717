"""A shop's settings, hosts and badge, as its own programs read and change them. Spec: §4.13 to §4.16."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core import Delay, Language, ShopChanges
from reviewinvite_core.domain.badge import to_size, to_theme
from reviewinvite_core.domain.frequency import to_frequency_days
from reviewinvite_core.domain.language import to_language
from reviewinvite_core.domain.origins import to_host
from reviewinvite_core.domain.snippets import to_snippet_mode
from reviewinvite_core.domain.timing import to_delay
from reviewinvite_core.values import (
    BadgeLook,
    Domain,
    DomainCheck,
    FailureReason,
    HostName,
    ProofWay,
    Size,
    SnippetMode,
    Theme,
)


@attrs.frozen(kw_only=True)
class SettingsUpdate:
    """The settings that a program may change; a missing one stays as it is."""

    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))
    delay: Delay | None = attrs.field(default=None, converter=attrs.converters.optional(to_delay))
    frequency_days: int | None = attrs.field(default=None, converter=attrs.converters.optional(to_frequency_days))
    snippet: SnippetMode | None = attrs.field(default=None, converter=attrs.converters.optional(to_snippet_mode))

    @property
    def changes(self) -> ShopChanges:
        """The changes to the shop."""
        return ShopChanges(
            language=self.language, delay=self.delay, frequency_days=self.frequency_days, snippet=self.snippet
        )


@attrs.frozen(kw_only=True)
class NewBadge:
    """The whole appearance of a badge; without a language it has the shop's."""

    theme: Theme = attrs.field(converter=to_theme)
    size: Size = attrs.field(converter=to_size)
    language: Language | None = attrs.field(default=None, converter=attrs.converters.optional(to_language))

    @property
    def look(self) -> BadgeLook:
        """The appearance to store."""
        return BadgeLook(theme=self.theme, size=self.size, language=self.language)


@attrs.frozen(kw_only=True)
class NewDomain:
    """A host that the shop claims as its own."""

    host: HostName = attrs.field(converter=to_host)


@attrs.frozen(kw_only=True)
class MerchantDomains:
    """All hosts of a shop, sorted by name."""

    domains: Sequence[Domain]


@attrs.frozen(kw_only=True)
class ProofAbsence:
    """Why one way of proving a host found no proof."""

    way: ProofWay
    reason: FailureReason


@attrs.frozen(kw_only=True)
class CheckedDomain:
    """A host after its check: where the proof was found, or why each way found none."""

    domain: Domain
    found: ProofWay | None
    absences: Sequence[ProofAbsence]

    @classmethod
    def of(cls, check: DomainCheck) -> CheckedDomain:
        """Return a check as the API shows it; a host that the operator vouches for is not checked."""
        result = check.result
        absences = [ProofAbsence(way=way, reason=reason) for way, reason in (result.absences if result else ())]
        return cls(domain=check.domain, found=result.found if result else None, absences=absences)
