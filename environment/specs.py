"""A tool specification is the JSON by which a model learns a function tool, in OpenAI's form.

Keys come in the order in which transformers' `get_json_schema` writes them, so that a policy served from these and a
trainer that derives its own from Python signatures render the same prompt.
"""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

_JSON_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}


def function_spec(name: str, doc: str, args: type[BaseModel]) -> dict[str, Any]:
    """The specification of one function tool."""
    return {"type": "function", "function": {"name": name, "description": doc, "parameters": parameters_schema(args)}}


def parameters_schema(args: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of the fields of `args`; an optional field is one that is not required, never a nullable one."""
    properties, required = {}, []
    for name, info in args.model_fields.items():
        shape = _shape(info.annotation)
        if info.description:
            shape["description"] = info.description
        properties[info.alias or name] = shape
        if info.is_required():
            required.append(info.alias or name)
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _shape(annotation: Any) -> dict[str, Any]:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _shape(inner[0])
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Union, types.UnionType):
        return _shape(next(kind for kind in inner if kind is not type(None)))
    if origin in (list, tuple):
        return {"type": "array", "items": _shape(inner[0])}
    if origin is dict or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return {"type": "object"}
    return {"type": _JSON_NAMES[annotation]} if annotation in _JSON_NAMES else {}
