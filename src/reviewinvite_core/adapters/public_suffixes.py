"""The bundled list of public suffixes, ICANN's and the private ones; nothing is downloaded."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from reviewinvite_core.domain.origins import HostName

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


class ListedSuffixes:
    """Reads the list on first use, once per process, because that is slow. Implements `ports.PublicSuffixes`."""

    def includes(self, host: HostName) -> bool:
        return _list().publicsuffix(host.text) == host.text


@cache
def _list() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
