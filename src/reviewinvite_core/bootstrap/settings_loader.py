"""Where settings come from: flags, environment, file. Apart from `settings`, because it is slow to import."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import typed_settings
from typed_settings.converters import TSConverter
from typed_settings.exceptions import ConfigFileLoadError, TsError
from typed_settings.loaders import DictLoader, FileLoader, Loader, TomlFormat

from reviewinvite_core.domain.errors import ConfigurationError

S = TypeVar("S")

SETTINGS_FILE = "reviewinvite.toml"

# typed-settings quotes the value that does not fit, which may be secret; of what it says only these parts are told
_OPTION = re.compile(r"^Could not convert value .* for option '(\w+)' from loader ", re.DOTALL)
_OUR_OWN = re.compile(r"ConfigurationError\(['\"]([^'\"]+)['\"]\)$")
_UNKNOWN = re.compile(r"^Invalid options found in .*: (.*)$", re.DOTALL)


def load(
    cls: type[S], flags: Mapping[str, object], environment: Mapping[str, str], file: Path | None, *, prefix: str
) -> S:
    """Return the settings, an instance of `cls`; see `Settings.load`."""
    loaders: list[Loader] = [
        *_file_loaders(file),
        DictLoader(_from_environment(cls, environment, prefix)),
        DictLoader({name: value for name, value in flags.items() if value is not None}),
    ]
    name = file or SETTINGS_FILE
    try:
        return typed_settings.load_settings(cls, loaders, converter=_converter())
    except UnicodeDecodeError:
        message = f"{name} is not UTF-8"
    except ConfigFileLoadError as error:
        refused = isinstance(error.__cause__, OSError)
        message = f"{name} cannot be read: permission denied" if refused else f"{name} is not TOML: {error}"
    except OSError as error:
        message = f"{name} cannot be read: {(error.strerror or 'it cannot be opened').lower()}"
    except (TsError, ValueError) as error:
        message = _in_words(error, cls, name)
    raise ConfigurationError(message)


def _file_loaders(file: Path | None) -> list[Loader]:
    path = file or Path(SETTINGS_FILE)
    if file is None and not path.exists():
        return []
    if not path.exists():
        message = f"there is no settings file {path}"
        raise ConfigurationError(message)
    return [FileLoader(formats={"*": TomlFormat(section=None)}, files=[path])]


def _from_environment(cls: type[object], environment: Mapping[str, str], prefix: str) -> dict[str, str]:
    names = (option.name for option in cls.__attrs_attrs__)  # type: ignore[attr-defined]
    variables = {name: prefix + name.upper() for name in names}
    return {name: environment[variable] for name, variable in variables.items() if variable in environment}


def _converter() -> TSConverter:
    """Typed-settings' own, but a whole number is one (not `true`, not 1.5), and a text is a text."""
    converter = TSConverter()
    converter.scalar_converters[int] = _whole_number
    converter.scalar_converters[str] = _text
    return converter


def _whole_number(value: object, _: type) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("must be a whole number")
    try:
        return int(value)
    except ValueError:
        raise ValueError("must be a whole number") from None


def _text(value: object, _: type) -> str:
    if not isinstance(value, str):
        raise TypeError("must be a text")
    return value


def _in_words(error: BaseException, cls: type[object], file: Path | str) -> str:
    """What is wrong, one clause a fault; never a value, which may be secret."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(_in_words(each, cls, file) for each in error.exceptions)
    text = str(error)
    if own := _OUR_OWN.search(text):
        return own[1]
    if option := _OPTION.search(text):
        name = option[1]
        kind = "whole number" if name in _whole_numbers(cls) else "text"
        return f"{'the secret' if name == 'secret' else name} must be a {kind}"
    if unknown := _UNKNOWN.search(text):
        return f"{file} has what is no setting: {unknown[1]}"
    return "a setting does not fit"


def _whole_numbers(cls: type[object]) -> set[str]:
    options = cls.__attrs_attrs__  # type: ignore[attr-defined]
    return {option.name for option in options if isinstance(option.default, int)}
