"""Convert JSON to domain classes and back with cattrs; shared by HTTP and the command line (ADR-39).

Bodies are decoded strictly and structured by the attrs converters of the domain classes, so that each rule exists once.
Output has the members of a `Shape` only, so that nothing is exposed by accident.

cattrs is imported with the first converter: that takes some 20 ms, which commands without JSON avoid.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.orders import OrderReport, SnippetReport
from reviewinvite_core.domain.reviews import NewReply
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.snippets import SnippetSignature
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.wire.shape import Shape, is_shape, json_name

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")

_LONGEST_FIELD_NAME = 64
_MOST_UNKNOWN_FIELDS = 100


@attrs.frozen
class NoFields(Shape):
    """A body that must be an object without fields."""


def as_json(value: object) -> Any:
    """Return shapes, and what holds them, as JSON types."""
    return json_converter().unstructure(value)


@cache
def json_converter() -> Converter:
    """Return the converter, which structures bodies of requests (see `structure_body`) and unstructures shapes.

    It refuses any other attrs class.
    """
    from cattrs import Converter

    converter = Converter(detailed_validation=True, forbid_extra_keys=True, prefer_attrib_converters=True)
    converter.register_unstructure_hook_factory(attrs.has, _refuse_unshaped)
    converter.register_unstructure_hook_factory(is_shape, lambda cls: _unstructure_hook(converter, cls))
    converter.register_unstructure_hook(datetime, iso_milliseconds)
    for scalar in (SiteId, PurePath):
        converter.register_unstructure_hook(scalar, str)
    converter.register_structure_hook_factory(is_shape, lambda cls: _structure_hook(converter, cls))
    for body in (OrderReport, NewReply):
        converter.register_structure_hook(body, _structure_hook(converter, body))
    converter.register_structure_hook(SnippetReport, _snippet_hook(converter))
    return converter


def structure_body(body: bytes, cls: type[T]) -> T | Invalid:
    """Return the `cls` in the JSON object of a body, or everything that is wrong with it (`Invalid.errors`)."""
    try:
        return structure_fields(decode_object(body), cls)
    except Invalid as invalid:
        return Invalid(invalid.problem, invalid.field)


def structure_fields(fields: Mapping[str, Any], cls: type[T]) -> T | Invalid:
    """Return the `cls` with these fields, or everything that is wrong with them.

    The first fault is the one found first: unknown fields and nulls in order of appearance, then missing fields, then
    values in the order of the interface (Spec: §2). The other faults follow: the first 100 unknown fields, so that an
    answer is not many times the size of the body, then the rest in that order.
    """
    try:
        return json_converter().structure(fields, cls)
    except ExceptionGroup as collected:
        faults = list(_faults(collected, fields))
    first = min(faults, key=lambda fault: fault[0])  # the interface's order decides between equals
    faults.remove(first)
    faults.sort(key=lambda fault: fault[1].problem is not Problem.UNKNOWN_FIELD)
    problem, field = first[1].problem, first[1].field
    return Invalid(problem, field, tuple(invalid for _, invalid in faults))


def decode_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body: UTF-8, no repeated field at any depth, no NaN and no infinity.

    Raises: `Invalid`.
    """
    try:
        decoded = _DECODER.decode(body.decode("utf-8"))
    except Invalid:
        raise
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of 5,000 digits, 8,000 brackets
        raise Invalid(Problem.INVALID_JSON) from None
    if not isinstance(decoded, dict):
        raise Invalid(Problem.NOT_AN_OBJECT)
    return decoded


def as_field(name: str) -> str:
    """Return a field's name in a form that is safe in an answer."""
    return name[:_LONGEST_FIELD_NAME].encode("ascii", "backslashreplace").decode("ascii")


def _unstructure_hook(converter: Converter, cls: Any) -> Callable[[Any], dict[str, Any]]:
    from cattrs import override
    from cattrs.gen import make_dict_unstructure_fn

    overrides: dict[str, Any] = {
        each.name: override(rename=json_name(each.name), omit_if_default=each.metadata.get("optional", False))
        for each in attrs.fields(cls)
    }
    unstructure: Callable[[Any], dict[str, Any]] = make_dict_unstructure_fn(cls, converter, **overrides)
    optional = [bool(each.omit_if_default) for each in overrides.values()]
    if optional == sorted(optional):
        return unstructure
    names = [json_name(name) for name in overrides]

    def in_order(instance: Any) -> dict[str, Any]:
        """Return the members in the order of the class: cattrs puts those that may be left out at the end."""
        shown = unstructure(instance)
        return {name: shown[name] for name in names if name in shown}

    return in_order


def _structure_hook(converter: Converter, cls: type[T], **overrides: Any) -> Callable[[Any, Any], T]:
    """Return a hook that structures each attribute of `cls` with its attrs converter, so that all faults are found.

    The class then runs its converters a second time, so they must accept their own output.
    """
    from cattrs import override
    from cattrs.gen import make_dict_structure_fn

    for attribute in attrs.fields(cls):  # type: ignore[arg-type]  # only attrs classes are structured
        if attribute.name not in overrides:
            name = json_name(attribute.name)
            overrides[attribute.name] = override(rename=name, struct_hook=_not_null(attribute.converter, name))
    return make_dict_structure_fn(cls, converter, **overrides)


def _snippet_hook(converter: Converter) -> Callable[[Any, Any], SnippetReport]:
    """Return a hook for a browser's report: the shop's identifier and an order with fewer fields."""
    from cattrs import override

    order = _structure_hook(converter, OrderReport, language=override(omit=True), delay_days=override(omit=True))
    nested = _structure_hook(
        converter, SnippetReport, order=override(struct_hook=order), signature=override(struct_hook=_signature)
    )

    def structure(fields: Mapping[str, Any], cls: type) -> SnippetReport:
        of_order = {name: value for name, value in fields.items() if name not in {"siteId", "signature"}}
        of_shop = {"siteId": fields["siteId"]} if "siteId" in fields else {}
        signed = {"signature": fields} if "signature" in fields else {}
        return nested({**of_shop, "order": of_order, **signed}, cls)

    return structure


def _signature(fields: Mapping[str, Any], _: type) -> SnippetSignature | None:
    """Return the signature with the strings it is over, exactly as they were sent; an empty one counts as none."""
    value = fields["signature"]
    if not isinstance(value, str):
        raise Invalid(Problem.WRONG_TYPE, "signature")
    sent = {name: fields.get(name, "") for name in ("siteId", "email", "orderNumber")}
    if not value or not all(isinstance(each, str) for each in sent.values()):  # the order's own faults are reported
        return None
    return SnippetSignature(value=value, site_id=sent["siteId"], email=sent["email"], order_number=sent["orderNumber"])


def _not_null(convert: Callable[[Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """Return a structure hook that applies an attrs converter but rejects null for an absent field."""

    def structure(value: object, _: type) -> object:
        if value is None:
            raise Invalid(Problem.WRONG_TYPE, name)
        return convert(value)

    return structure


def _faults(
    collected: ExceptionGroup[Exception], fields: Mapping[str, Any]
) -> Iterator[tuple[tuple[int, int], Invalid]]:
    """Yield all faults that cattrs collected, each with its rank in the order of discovery.

    Raises: any exception that the body did not cause.
    """
    from cattrs import ClassValidationError, ForbiddenExtraKeysError

    places = {name: place for place, name in enumerate(fields)}
    for error in collected.exceptions:
        match error:
            case ClassValidationError():
                yield from _faults(error, fields)
            case ForbiddenExtraKeysError():
                for name in sorted(error.extra_fields, key=places.__getitem__)[:_MOST_UNKNOWN_FIELDS]:
                    yield (0, places[name]), Invalid(Problem.UNKNOWN_FIELD, as_field(name))
            case KeyError(args=[str(name)]) if name not in fields:
                yield (1, 0), Invalid(Problem.FIELD_MISSING, name)
            case Invalid(problem, name):
                field = name and json_name(name)
                yield _place(problem, field, fields), Invalid(problem, field)
            case _:
                raise error


def _place(problem: Problem, field: str | None, fields: Mapping[str, Any]) -> tuple[int, int]:
    if field is not None and fields.get(field, field) is None:
        return 0, list(fields).index(field)
    is_late = field == "siteId" and problem is not Problem.WRONG_TYPE  # its form is checked after the order
    return (3 if is_late else 2), 0


def _refuse_unshaped(cls: type) -> NoReturn:
    message = f"{cls.__name__} is not a `Shape`"
    raise TypeError(message)


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise Invalid(Problem.DUPLICATE_FIELD, as_field(times.most_common(1)[0][0]))
    return fields


def _no_constant(_: str) -> NoReturn:
    """Reject NaN and the infinities, which Python accepts but JSON does not have."""
    raise Invalid(Problem.INVALID_JSON)


_DECODER = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_no_constant)
