"""Make cattrs convert Litestar's bodies and responses: Litestar itself ignores unknown fields and reads "3" as 3."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

from litestar import Response
from litestar.dto import AbstractDTO, DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.plugins import SerializationPlugin
from litestar.typing import FieldDefinition

from reviewinvite_core.wire.json_converter import structure_body
from reviewinvite_http.schemas.bodies import BODIES
from reviewinvite_http.schemas.converter import SHOWN, converter


class CattrsDTO(AbstractDTO[Any]):
    """Structures the body of a handler's requests, or unstructures its result."""

    converted: ClassVar[type]

    def decode_bytes(self, value: bytes) -> Any:
        """Return the object in a body, or its problems as `Invalid`."""
        return structure_body(converter, value, self.converted)

    def data_to_encodable_type(self, data: Any) -> Any:
        """Return data for the JSON encoder; also handles a `Response` that a handler returns."""
        if isinstance(data, Response):
            data.content = converter.unstructure(data.content)
            return data
        return converter.unstructure(data)

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        """Return whether cattrs converts this class."""
        return field_definition.match_predicate_recursively(is_converted)

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        """Do nothing: the converter is ready."""

    @classmethod
    def create_openapi_schema(
        cls,
        field_definition: FieldDefinition,  # noqa: ARG003 - the signature of Litestar
        handler_id: str,  # noqa: ARG003
        schema_creator: Any,
    ) -> Reference | Schema:
        """Return the schema of the converted class."""
        described: Reference | Schema = schema_creator.for_field_definition(
            FieldDefinition.from_annotation(cls.converted)
        )
        return described

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition, None, None]:
        """Raise: the converter knows the fields."""
        raise NotImplementedError

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Raise: the converter also handles nested classes."""
        raise NotImplementedError


class CattrsPlugin(SerializationPlugin):
    """Has cattrs convert bodies and responses that are our own classes."""

    def supports_type(self, field_definition: FieldDefinition) -> bool:
        """Return whether cattrs converts this type."""
        return is_converted(field_definition)

    def create_dto_for_type(self, field_definition: FieldDefinition) -> type[AbstractDTO[Any]]:
        """Return the DTO for the converted class in an annotation such as `OrderReport | Invalid`."""
        types = [field_definition, *field_definition.inner_types]
        [converted] = [each.annotation for each in types if is_converted(each)]
        return type(f"CattrsDTO[{converted.__name__}]", (CattrsDTO,), {"converted": converted})


def is_converted(field_definition: FieldDefinition) -> bool:
    """Return whether cattrs converts values of this type."""
    return field_definition.annotation in BODIES or field_definition.annotation in SHOWN
