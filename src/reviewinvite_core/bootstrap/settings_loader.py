"""Load settings from flags, environment and file. Separate from `settings`, because it is slow to import.

typed-settings merges the sources and resolves paths. Values are checked before it converts them, because its own error
messages quote values, which may be secret.
"""

from __future__ import annotations

import tomllib
import types
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

import attrs
import typed_settings
from typed_settings.converters import TSConverter
from typed_settings.exceptions import ConfigFileLoadError, TsError
from typed_settings.loaders import DictLoader, FileFormat, FileLoader, Loader, TomlFormat
from typed_settings.processors import Processor
from typed_settings.types import OptionInfo, OptionList, SettingsClass, SettingsDict

from reviewinvite_core.domain.errors import ConfigurationError

S = TypeVar("S")

SETTINGS_FILE = "reviewinvite.toml"


def load(
    cls: type[S],
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    defaults: Mapping[str, object],
    *,
    prefix: str,
) -> S:
    """Return the settings, an instance of `cls`; see `Settings.load`."""
    return _load(cls, flags, environment, file, defaults, prefix=prefix, check=_refuse_unfit, read=_read_toml)


def load_fit(
    cls: type[S],
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    defaults: Mapping[str, object],
    *,
    prefix: str,
) -> tuple[S, dict[str, str]]:
    """Return the settings with defaults in place of values that are not valid, and what is wrong with those, by name.

    Raises: `ConfigurationError` if the file cannot be read.
    """
    faults: dict[str, str] = {}

    def note_unfit(settings_dict: SettingsDict, settings_cls: SettingsClass, options: OptionList) -> SettingsDict:
        given = [option for option in options if settings_dict.get(option.path) is not None]
        for option in given:
            try:
                _refuse_unfit({option.path: settings_dict[option.path]}, settings_cls, (option,))
            except ConfigurationError as fault:
                faults[option.path] = str(fault)
        return _refuse_unfit(settings_dict, settings_cls, options)

    def read(path: Path, settings_cls: SettingsClass, options: OptionList) -> SettingsDict:
        known = {option.path for option in options} - set(faults)
        settings = TomlFormat(section=None)(path, settings_cls, options)
        return {name: value for name, value in settings.items() if name.replace("-", "_") in known}

    def loaded() -> S:
        fit = ({name: value for name, value in source.items() if name not in faults} for source in (flags, defaults))
        variables = {name: value for name, value in environment.items() if _setting(name, prefix) not in faults}
        return _load(cls, next(fit), variables, file, next(fit), prefix=prefix, check=note_unfit, read=read)

    try:
        return loaded(), faults
    except ConfigurationError:
        if not faults:
            raise
    return loaded(), faults


def _setting(variable: str, prefix: str) -> str:
    return variable.removeprefix(prefix).lower()


def names_in_file(file: Path | None) -> dict[str, object]:
    """Return the settings in the file as they are written there, by their names; empty if there is no file.

    Raises: `OSError`, `ValueError` if it cannot be read.
    """
    path = file or Path(SETTINGS_FILE)
    if not path.exists():
        return {}
    return {name.replace("-", "_"): value for name, value in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def _load(
    cls: type[S],
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    defaults: Mapping[str, object],
    *,
    prefix: str,
    check: Processor,
    read: FileFormat,
) -> S:
    name = file or SETTINGS_FILE
    try:
        loaders: list[Loader] = [
            DictLoader(dict(defaults)),
            *_file_loaders(file, read),
            DictLoader(_from_environment(cls, environment, prefix)),
            DictLoader({name: value for name, value in flags.items() if value is not None}),
        ]
        loaded = typed_settings.load_settings(
            _without_source(cls), loaders, processors=[check], converter=TSConverter()
        )
        return cls(**{option.name: getattr(loaded, option.name) for option in _options(cls)})
    except UnicodeDecodeError:
        message = f"{name} is not UTF-8"
    except ConfigFileLoadError as error:
        refused = isinstance(error.__cause__, OSError)
        message = f"{name} cannot be read: permission denied" if refused else f"{name} is not TOML: {error}"
    except OSError as error:
        message = f"{name} cannot be read: {(error.strerror or 'it cannot be opened').lower()}"
    except (TsError, ValueError):  # the only remaining cause is a path that no file system can have
        message = "secret_file, mail_token_file and handover_mark must be file paths"
    raise ConfigurationError(message)


def _without_source(cls: type[S]) -> type[S]:
    """Return a subclass whose source cannot be found.

    typed-settings parses the source of its class for descriptions of options, which nobody reads here.
    """
    return types.new_class(cls.__name__, (cls,), exec_body=lambda body: body.update(__module__=""))


def _file_loaders(file: Path | None, read: FileFormat) -> list[Loader]:
    path = file or Path(SETTINGS_FILE)
    if file is None and not path.exists():
        return []
    if not path.exists():
        message = f"there is no settings file {path}"
        raise ConfigurationError(message)
    return [FileLoader(formats={"*": read}, files=[path])]


def _read_toml(path: Path, settings_cls: SettingsClass, options: OptionList) -> SettingsDict:
    """Return the settings in a file.

    Raises: `ConfigurationError` for unknown names; what `TomlFormat` raises.
    """
    settings = TomlFormat(section=None)(path, settings_cls, options)
    known = {option.path for option in options}
    unknown = sorted(name for name in settings if name.replace("-", "_") not in known)
    if unknown:
        raise ConfigurationError(unknown_in(path.name, unknown, known))
    return settings


def unknown_in(place: str, unknown: Iterable[str], known: Iterable[str]) -> str:
    """Say which names are no settings, and which may be meant."""
    names = sorted(known)
    meant = {name: get_close_matches(name.replace("-", "_").lower(), names, n=1, cutoff=0.7) for name in unknown}
    told = (f"{name} (did you mean {close[0]}?)" if close else name for name, close in meant.items())
    return f"unknown setting in {place}: {', '.join(told)}"


def _from_environment(cls: type[object], environment: Mapping[str, str], prefix: str) -> dict[str, str]:
    variables = {option.name: prefix + option.name.upper() for option in _options(cls)}
    return {name: environment[variable] for name, variable in variables.items() if variable in environment}


def _options(cls: type[object]) -> Iterable[attrs.Attribute[object]]:
    return cls.__attrs_attrs__  # type: ignore[attr-defined,no-any-return]


def _refuse_unfit(settings_dict: SettingsDict, settings_cls: SettingsClass, options: OptionList) -> SettingsDict:
    """Return the settings, with whole numbers as integers.

    Each value is converted here first: typed-settings would turn what the class refuses into an error that quotes it.

    Raises: `ConfigurationError` with one clause for each wrong setting and no values.
    """
    given = [option for option in options if settings_dict.get(option.path) is not None]
    faults = []
    for option in given:
        try:
            settings_dict[option.path] = _typed(settings_dict[option.path], option)
        except (TypeError, ValueError):
            kind = "a whole number" if option.cls is int else "text"
            faults.append(f"{'the secret' if option.path == 'secret' else option.path} must be {kind}")
    if faults:
        raise ConfigurationError("; ".join(faults))
    settings_cls(**settings_dict)
    return settings_dict


def _typed(value: object, option: OptionInfo) -> int | str | Path:
    """Return the value in the type of its setting; `true` and 1.5 are not whole numbers, and text must be text.

    Raises: `TypeError`, `ValueError`.
    """
    if option.cls is int and isinstance(value, int | str) and not isinstance(value, bool):
        return int(value)
    if option.cls is not int and isinstance(value, str | Path):
        return value
    raise TypeError
