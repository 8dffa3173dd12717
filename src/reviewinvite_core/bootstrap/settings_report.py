"""Report where each setting comes from and what is wrong with it, without stopping at the first fault."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from reviewinvite_core.bootstrap.adapter_factory import default_high_water_mark_path, default_state_path
from reviewinvite_core.bootstrap.key_ring import secret_path
from reviewinvite_core.bootstrap.settings import (
    DEFAULT,
    FIELDS,
    SETTINGS_FILE,
    Settings,
    given_values,
    read_file,
    typed,
    unknown_settings,
)
from reviewinvite_core.domain.errors import ConfigurationError

MASK = "***"

# Everything up to the last @: a password that is not percent-encoded may contain any character.
_LOGIN = re.compile(r"(://)([^:@]*):(.*)@", re.DOTALL)
_PARAMETER = re.compile(r"([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)


@attrs.frozen(kw_only=True)
class EffectiveSetting:
    """A setting's effective value, and its source: an option, a variable, the file, or `default`.

    `value` is masked: it contains no secret and no password. If the value is not valid, `fault` says why.
    """

    name: str
    value: object
    source: str
    fault: str | None = None

    @property
    def told(self) -> str:
        """Return the fault with the source, and with the value if that is neither secret nor an address."""
        is_shown = FIELDS[self.name].repr is not False and not {"@", "?"} & set(str(self.value))
        return f"{self.fault}{f', not {self.value!r}' if is_shown else ''} ({self.source})"


@attrs.frozen(kw_only=True)
class SettingsReport:
    """The effective settings, and what is wrong with them; defaults stand in for values that are not valid.

    `faults` has a sentence for each fault, by the name of its setting or, if the file itself is wrong, of the file.
    """

    settings: Settings
    effective: tuple[EffectiveSetting, ...]
    faults: Mapping[str, str]


def report_settings(
    flags: Mapping[str, object] | None = None, *, environment: Mapping[str, str] | None = None, file: Path | None = None
) -> SettingsReport:
    """Return the settings that `Settings.load` would return, with their sources and all their faults.

    The names of `flags` are sources with two dashes in front, as on a command line.
    """
    path = file or Path(SETTINGS_FILE)
    faults: dict[str, str] = {}
    in_file: Mapping[str, object] = {}
    try:
        in_file = read_file(path, must_exist=file is not None)
    except ConfigurationError as unreadable:
        faults[str(path)] = str(unreadable)
    if unknown := sorted(set(in_file) - set(FIELDS)):
        faults[str(path)] = unknown_settings(str(path), unknown)
    given = given_values(flags or {}, environment or {}, in_file, path, {})
    fit: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, each in given.items():
        try:
            value: Any = typed(name, each)
            Settings(**{name: value})
            fit[name] = value
        except ConfigurationError as fault:
            wrong[name] = str(fault)
    settings = Settings(**fit)
    effective = tuple(
        EffectiveSetting(
            name=name,
            value=_masked(name, given[name].value if name in wrong else _in_use(name, settings)),
            source=given[name].source if name in given else DEFAULT,
            fault=wrong.get(name),
        )
        for name in FIELDS
    )
    faults |= {each.name: each.told for each in effective if each.fault}
    return SettingsReport(settings=settings, effective=effective, faults=faults)


def explained(
    error: ConfigurationError, flags: Mapping[str, object], environment: Mapping[str, str], file: Path | None
) -> ConfigurationError:
    """Return the error of `Settings.load` with the values that it refused, and where they come from."""
    report = report_settings(flags, environment=environment, file=file)
    return ConfigurationError("; ".join(report.faults.values())) if report.faults else error


def _in_use(name: str, settings: Settings) -> object:
    """Return the value that applies, including the files that the database's name gives."""
    value = getattr(settings, name)
    try:
        if name == "secret_file" and value is None and settings.secret is None:
            return secret_path(settings)
        if name == "handover_mark" and value is None:
            return default_high_water_mark_path(settings.database_url)
        if name == "state_file" and value is None:
            return default_state_path(settings.database_url)
    except ConfigurationError:  # the database's URL is not valid
        return None
    return value


def _masked(name: str, value: object) -> object:
    """Return a value that can be shown: fields without `repr` may hold secrets, and in a URL only a part is secret."""
    if isinstance(value, Path):
        return str(value)
    if value is None or FIELDS[name].repr is not False:
        return value
    return without_password(str(value)) if name.endswith("_url") else MASK


def without_password(url: str) -> str:
    """Return the URL with its password masked, and its user too if that is the same text, as with access tokens."""

    def mask(found: re.Match[str]) -> str:
        user = MASK if found[2] == found[3] else found[2]
        return f"{found[1]}{user}:{MASK}@"

    return _PARAMETER.sub(rf"\g<1>{MASK}", _LOGIN.sub(mask, url))
