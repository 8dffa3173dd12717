"""Origins that browsers send, and which verified hosts they match. Spec: §4.2, ADR-22."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem

_LONGEST_HOST = 253
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}\.)+{_LABEL}", re.ASCII)
_SECURE = "https://"
_COVERED_PREFIX = "www."
_ROOT = "."
_SHORTEST_TOP_LEVEL = 2
_BYTE = "(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])"
_IPV4 = re.compile(rf"(?<![0-9]){_BYTE}(?:\.{_BYTE}){{3}}(?![0-9])")
_FULL_STOPS = str.maketrans("\u3002\uff61", "..")  # which browsers read as dots; NFKC turns the fullwidth one into one
_PART_OF_NAME = {"L", "M", "N"}  # letters, marks and numbers, as the major categories of Unicode


@attrs.frozen
class HostName:
    """A fully qualified host name. Spec: §3.

    It consists of at least two lower-case A-labels, without a port or a trailing dot, and is not an IP address.
    """

    text: str

    @classmethod
    def parse(cls, value: str) -> HostName:
        """Parse a host, ignoring blanks around it and one dot at its end, which names the same host.

        An internationalised host is converted to A-labels (IDNA 2008, UTS 46).

        Raises: `Invalid` naming `host`, also for an IP address and for a name of one label.
        """
        host = _to_ascii(value.strip(" \t").removesuffix(_ROOT))
        if len(host) > _LONGEST_HOST or not _HOST.fullmatch(host) or _is_number(host.rpartition(".")[2]):
            raise Invalid(Problem.NOT_A_HOST, "host")
        return cls(host)

    @property
    def covered(self) -> frozenset[str]:
        """The hosts that its verification covers: itself, and itself with `www.` in front."""
        return frozenset({self.text, _COVERED_PREFIX + self.text})

    @property
    def apex(self) -> HostName | None:
        """The host without its leading `www.`, which would cover both; None if it has none, or nothing else is left."""
        rest = self.text.removeprefix(_COVERED_PREFIX)
        return HostName(rest) if rest != self.text and _HOST.fullmatch(rest) else None

    @property
    def rivals(self) -> frozenset[str]:
        """Hosts that another shop may not have verified at the same time: each covers a host that this one covers."""
        return self.covered | covering(self.text)

    @property
    def shown(self) -> str:
        """The host as people write it, or its A-labels if that could be taken for another host; never for a machine."""
        if "xn--" not in self.text:
            return self.text
        import idna  # slow to import, and few hosts need it

        try:
            written = idna.decode(self.text)
            is_same = idna.encode(written).decode("ascii") == self.text
        except (idna.IDNAError, UnicodeError):
            return self.text
        return written if is_same and len(_scripts(written)) == 1 else self.text

    def __str__(self) -> str:
        return self.text


def _scripts(text: str) -> set[str]:
    """Return the scripts of the letters of a text, as the names of characters begin with them."""
    return {unicodedata.name(each, each).partition(" ")[0] for each in text if each.isalpha()}


def to_host(value: str | HostName) -> HostName:
    """Return `value` itself, or the host with this name.

    Raises: `Invalid` naming `host`.
    """
    if isinstance(value, HostName):
        return value
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "host")
    return HostName.parse(value)


def host_of_origin(origin: str | None) -> str | None:
    """Return the lower-case host of an `Origin` header that is `https://` and a host on the default port, else None.

    A dot at the end of the host is left out: browsers keep the one that a visitor types, and it is the same host.
    """
    if origin is None or origin[: len(_SECURE)].lower() != _SECURE:
        return None
    host = origin[len(_SECURE) :].removesuffix(_ROOT)
    return host.lower() if host.isascii() and len(host) <= _LONGEST_HOST and _HOST.fullmatch(host.lower()) else None


def host_of_address(address: str | None) -> str | None:
    """Return the lower-case host of a page's URL, as in a `Referer` header, or None if the URL has no host.

    Scheme, port, path and a dot at the end of the host are ignored.
    """
    try:
        host = urlsplit(address).hostname if address else None
    except ValueError:
        return None
    return host.removesuffix(_ROOT) if host else None


def covering(host: str) -> frozenset[str]:
    """Return the hosts whose verification covers `host`: itself, and itself without a leading `www.`."""
    return frozenset({host, host.removeprefix(_COVERED_PREFIX)})


def all_covering(hosts: Iterable[str]) -> Collection[str]:
    """Return the hosts that cover any of these."""
    return {each for host in hosts for each in covering(host)}


def hosts_in(text: str, *, shortest: int = _SHORTEST_TOP_LEVEL) -> Sequence[str]:
    """Return what reads as a host in a text that people see, in lower case: what a mail program may turn into a link.

    That is an IPv4 address, or labels joined by dots of which one after the first is `shortest` letters or more, or
    begins with `xn--`; whatever follows, since programs disagree on where a link ends. No top-level domain has a single
    letter: "B.V." is no host.

    >>> hosts_in("Bakkerij De Molen B.V., Example.nl/brood")
    ['example.nl']
    """
    plain = unicodedata.normalize("NFKC", text).translate(_FULL_STOPS).lower()
    shown = (each if each in "-_." or unicodedata.category(each)[0] in _PART_OF_NAME else " " for each in plain)
    words = [word.strip(".") for word in "".join(shown).split()]
    return [*_IPV4.findall(plain), *(word for word in words if _reads_as_host(word, shortest))]


def _reads_as_host(word: str, shortest: int) -> bool:
    """Return whether a label after the first may be a top-level domain, or what precedes a hyphen or underscore in it.

    Only those that begin with `xn--` contain digits.
    """
    _, *labels = word.split(".")
    ends = [re.split("[-_]", label)[0] for label in labels]
    return any(label.startswith("xn--") for label in labels) or any(
        len(end) >= shortest and not any(map(str.isdecimal, end)) for end in ends
    )


def _to_ascii(host: str) -> str:
    """Return the host as A-labels in lower case."""
    lower = host.lower()
    if lower.isascii() and not any(label.startswith("xn--") for label in lower.split(".")):
        return lower
    import idna  # slow to import, and few hosts need it

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise Invalid(Problem.NOT_A_HOST, "host") from None


def _is_number(label: str) -> bool:
    """Return whether browsers read a name ending in this label as an IPv4 address: `127.0.0.1`, `1.2.3.0x4`."""
    return label.isdigit() or re.fullmatch(r"0x[0-9a-f]*", label) is not None
