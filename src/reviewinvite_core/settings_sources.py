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
from reviewinvite_core.settings import ENVIRONMENT_PREFIX, SETTINGS_FILE

S = TypeVar("S")

# typed-settings quotes the value that does not fit; only these parts of what it says are told
_OPTION = re.compile(r"^Could not convert value .* for option '(\w+)' from loader ", re.DOTALL)
_RULE = re.compile(r"\('(must be a [a-z ]+)'\)$")


def load(cls: type[S], flags: Mapping[str, object], environment: Mapping[str, str], file: Path | None) -> S:
    """See `Settings.load`."""
    loaders: list[Loader] = [
        *_file_loaders(file),
        DictLoader(_from_environment(cls, environment)),
        DictLoader({name: value for name, value in flags.items() if value is not None}),
    ]
    try:
        return typed_settings.load_settings(cls, loaders, converter=_converter())
    except ConfigurationError:
        raise
    except (ConfigFileLoadError, UnicodeDecodeError) as error:
        message = f"{file or SETTINGS_FILE}: {error}"
        raise ConfigurationError(message) from None
    except (TsError, OSError, ValueError) as error:
        raise ConfigurationError(_in_words(error)) from None  # the values, which may be secret, stay out


def _file_loaders(file: Path | None) -> list[Loader]:
    path = file or Path(SETTINGS_FILE)
    if file is None and not path.exists():
        return []
    if not path.exists():
        message = f"there is no settings file {path}"
        raise ConfigurationError(message)
    return [FileLoader(formats={"*": TomlFormat(section=None)}, files=[path])]


def _from_environment(cls: type[object], environment: Mapping[str, str]) -> dict[str, str]:
    names = (option.name for option in cls.__attrs_attrs__)  # type: ignore[attr-defined]
    variables = {name: ENVIRONMENT_PREFIX + name.upper() for name in names}
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


def _in_words(error: BaseException) -> str:
    """What is wrong, one clause a fault; never a value, which may be secret."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(_in_words(each) for each in error.exceptions)
    text = str(error)
    option, rule = _OPTION.search(text), _RULE.search(text)
    return f"{option[1]} {rule[1] if rule else 'does not fit'}" if option else text
