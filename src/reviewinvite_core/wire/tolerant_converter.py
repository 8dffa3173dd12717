"""Convert JSON of this or a later version of the service to shapes: strict about types, tolerant of additions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args

import attrs
from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn

from reviewinvite_core.wire.shape import is_shape, json_name, known_words

T = TypeVar("T")


@cache
def tolerant_converter() -> Converter:
    """Return the converter. It ignores members that it does not know, and leaves words that it does not know as text.

    It raises anything for anything else that is not as the shape says.
    """
    converter = Converter(detailed_validation=False)
    for plain in (str, int, bool):
        converter.register_structure_hook(plain, lambda value, _, cls=plain: _exactly(cls, value))
    converter.register_structure_hook(datetime, _instant)
    converter.register_structure_hook(float, _number)
    converter.register_structure_hook_factory(lambda cls: known_words(cls) is not None, _word_hook)
    converter.register_structure_hook_factory(is_shape, lambda cls: _shape_hook(converter, cls))
    return converter


def _shape_hook(converter: Converter, cls: Any) -> Callable[[Any, Any], Any]:
    names = {each.name: override(rename=json_name(each.name)) for each in attrs.fields(cls)}
    return make_dict_structure_fn(cls, converter, **names)  # type: ignore[arg-type]


def _word_hook(annotation: Any) -> Callable[[Any, Any], Any]:
    words, may_be_null = known_words(annotation), NoneType in get_args(annotation)
    assert words is not None  # noqa: S101 - it is asked for such types only

    def structure(value: object, _: object) -> Any:
        if value is None and may_be_null:
            return None
        text = _exactly(str, value)
        try:
            return words(text)
        except ValueError:
            return text

    return structure


def _exactly(cls: type[T], value: object) -> T:
    if type(value) is not cls:
        message = f"not a {cls.__name__}"
        raise TypeError(message)
    return value


def _number(value: object, _: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("not a number")
    return float(value)


def _instant(value: object, _: object) -> datetime:
    instant = datetime.fromisoformat(_exactly(str, value))
    if instant.tzinfo is None:
        raise ValueError("an instant has no time zone")
    return instant.astimezone(UTC)
