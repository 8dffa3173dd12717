"""What a class of this package says about itself: its members' names, bounds, descriptions and examples. ADR-39.

A `Shape` is one JSON object for one audience. Its members are all that leaves, whatever its source has besides. The
service writes shapes and describes them, the client reads them, and the command line prints them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import NoneType
from typing import Any, ClassVar, Self, Union, get_args, get_type_hints

import attrs

_NOT_OF_JSON_SCHEMA = frozenset({"example", "optional"})


class Shape:
    """A JSON object: a subclass is an attrs class, each of whose members is described by `about`."""

    __slots__ = ()

    published_as: ClassVar[str | None] = None
    """Name in the OpenAPI description, if it is not that of the class."""
    example: ClassVar[Mapping[str, Any]] = {}
    """Members of its example that are not those of their own descriptions."""

    @classmethod
    def taken_from(cls, source: object, **others: object) -> Self:
        """Return a shape whose members are the attributes of `source` with the same names, except for `others`."""
        names = [each.name for each in attrs.fields(cls)]  # type: ignore[arg-type]  # a subclass is an attrs class
        return cls(**{name: getattr(source, name) for name in names if name not in others}, **others)


def about(*said: str | Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return what a member says of itself: a description, what another member says, and further details.

    What is said first counts, and `more` before all. `optional` means that the member is left out, rather than null, if
    it has its default. `example` is its value in the example of the whole; the first of `examples` if it is missing, or
    the example of the member's shape. All other details are words of JSON Schema, such as `max_length`.
    """
    details: dict[str, Any] = {}
    for each in reversed(said):
        details |= {"description": each} if isinstance(each, str) else each
    return details | more


def member(*said: str | Mapping[str, Any], default: Any = attrs.NOTHING, converter: Any = None, **more: Any) -> Any:
    """Return an attribute of a shape, which says of itself what `about` returns."""
    return attrs.field(default=default, converter=converter, metadata=about(*said, **more))


@attrs.frozen(kw_only=True)
class Member:
    """A member of an object: its name in JSON, its type, what `about` says, and whether it may be left out.

    Its type allows None only if JSON shows null: not in a body of the domain's, nor if it may be left out.
    """

    name: str
    type: Any
    about: Mapping[str, Any]
    optional: bool

    @property
    def schema(self) -> dict[str, Any]:
        """What JSON Schema says beyond the type."""
        return {word: value for word, value in self.about.items() if word not in _NOT_OF_JSON_SCHEMA}

    @property
    def example(self) -> Any:
        """An example as JSON types, or None."""
        if "example" in self.about:
            return self.about["example"]
        if "examples" in self.about:
            return self.about["examples"][0]
        args = get_args(self.type)
        shape = next(filter(is_shape, (self.type, *args)), None)
        if shape is None:
            return None
        return [example_of(shape)] if ... in args else example_of(shape)


def is_shape(annotation: Any) -> bool:
    """Return whether this is a class of shapes."""
    return isinstance(annotation, type) and issubclass(annotation, Shape)


DESCRIBED: dict[type, tuple[str, Mapping[str, Mapping[str, Any]]]] = {}
"""Bodies of requests that are classes of the domain: what each is for, and what `about` says of its attributes."""


def describe(cls: type, text: str, /, **attributes: Mapping[str, Any]) -> None:
    """Describe a body that is a class of the domain, which knows nothing of JSON.

    The attributes of an attribute that is not described stand in its place.
    """
    DESCRIBED[cls] = text, attributes


def members_of(cls: Any) -> Iterator[Member]:
    """Yield the members of a shape, or of a class that was described."""
    hints = get_type_hints(cls)
    if cls not in DESCRIBED:
        for each in attrs.fields(cls):
            optional = each.metadata.get("optional", False)
            type_ = _not_none(hints[each.name]) if optional else hints[each.name]
            yield Member(name=json_name(each.name), type=type_, about=each.metadata, optional=optional)
        return
    _, attributes = DESCRIBED[cls]
    for each in attrs.fields(cls):
        type_ = _not_none(hints[each.name])
        if said := attributes.get(each.name):
            optional = each.default is not attrs.NOTHING
            yield Member(name=json_name(each.name), type=type_, about=said, optional=optional)
        else:
            yield from (inner for inner in members_of(type_) if inner.name in map(json_name, attributes))


def example_of(cls: type) -> dict[str, Any]:
    """Return an example of an object, as JSON types."""
    examples = ((each, each.example) for each in members_of(cls))
    shown = {each.name: example for each, example in examples if not (each.optional and example is None)}
    return {**shown, **(cls.example if issubclass(cls, Shape) else {})}


def json_name(attribute: str) -> str:
    """Return an attribute's name in JSON: camel case."""
    first, *rest = attribute.split("_")
    return first + "".join(map(str.title, rest))


def known_words(annotation: Any) -> type[Enum] | None:
    """Return the enum in a type such as `State | str`, whose words later versions of the service may add to."""
    args = get_args(annotation)
    words = (each for each in args if isinstance(each, type) and issubclass(each, Enum))
    return next(words, None) if str in args else None


def _not_none(annotation: Any) -> Any:
    args = get_args(annotation)
    return Union[tuple(each for each in args if each is not NoneType)] if NoneType in args else annotation  # noqa: UP007
