"""The base class of the models, and the reading of responses into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError
from pydantic.alias_generators import to_camel


class ApiModel(BaseModel):
    """What the API answered with. Fields that this version does not know are kept: see `model_extra`."""

    model_config = ConfigDict(
        extra="allow",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        protected_namespaces=(),
        # A response is taken as it is: nothing is converted.
        strict=True,
        defer_build=True,
        hide_input_in_errors=True,
    )

    _validation_error: str | None = PrivateAttr(default=None)

    @property
    def validation_error(self) -> str | None:
        """How the response differs from this type; None if it fits. The values are kept as the API sent them."""
        return self._validation_error


class UnknownResult(ApiModel):
    """A success of a `type` that this version does not know. Its other fields are in `model_extra`."""

    type: str
    """The type as the API sent it, e.g. `scheduled`."""


def parse(model: type[ApiModel], data: Any) -> Any:
    """Reads a JSON object into a model. One that does not fit is kept and flagged."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        kept = _keep(model, data)
        parts = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False)]
        kept._validation_error = "; ".join(parts[:3])
        return kept


def _keep(model: type[ApiModel], data: Mapping[str, Any]) -> ApiModel:
    """Fills a model without checks. Fields that are missing are None."""
    values: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        wire = field.alias or name
        if wire in data:
            values[name] = _nested(field.annotation, data[wire])
        else:
            values[name] = field.get_default(call_default_factory=False) if not field.is_required() else None
    known = {field.alias or name for name, field in model.model_fields.items()}
    extra = {name: value for name, value in data.items() if name not in known and name not in values}
    kept = model.model_construct(_fields_set={name for name in values if values[name] is not None}, **values)
    # Not as arguments: a field may be called `cls`.
    kept.__pydantic_extra__ = extra
    return kept


def _nested(annotation: Any, value: Any) -> Any:
    inner = get_args(annotation)
    if isinstance(value, list) and inner:
        items: list[Any] = value
        return [_nested(inner[0], item) for item in items]
    if isinstance(value, dict):
        for one in (annotation, *inner):
            if isinstance(one, type) and issubclass(one, ApiModel):
                return parse(one, value)
    return value
