"""A tool in words: what it is for, what arguments it takes, what a call of it answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.layout import clean, cut, outline, wrap

_BRIEF = 400
"""Characters of an answer that are shown where it is cut."""


def tool_lines(spec: Mapping[str, Any], width: int, indent: str = "") -> list[str]:
    """One tool with its arguments, from the specification that a model is given."""
    function = spec["function"]
    lines = wrap(f"{function['name']}: {function['description']}", width, indent, indent + "    ")
    required = function["parameters"].get("required", ())
    for name, shape in function["parameters"]["properties"].items():
        lines += wrap(_argument(name, shape, name in required), width, indent + "    ", indent + "        ")
    return lines


def example_line(spec: Mapping[str, Any]) -> str:
    """A call of the tool as it is typed, with its required arguments, or its first."""
    function = spec["function"]
    names = function["parameters"].get("required") or list(function["parameters"]["properties"])[:1]
    return " ".join([function["name"], *(f'{name}="..."' for name in names)])


def call_line(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as a person types it: `tool name=value ...`."""
    return " ".join([tool, *(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())])


def answer_lines(result: str, width: int, indent: str = "  ", brief: bool = False) -> list[str]:
    """A tool's answer as an outline; an error as the model sees it, on one line."""
    if result.startswith('{"error":'):
        return wrap(result, width, indent)
    value = json.loads(result)
    if brief:
        return wrap(cut(result, _BRIEF), width, indent)
    if value in ({}, [], None):
        return [f"{indent}{clean(result)}"]
    return outline(value, width, indent)


def endpoint_lines(endpoints: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """Endpoints that a search found, each as the beginning of a call with its arguments below."""
    if not endpoints:
        return ["  no endpoint fits; try other words, such as the application's name and what you want to do"]
    lines: list[str] = []
    for one in endpoints:
        lines += wrap(f"{one['method']} {one['url']}", width, "  ", "      ")
        lines += wrap(f"{one['app']}: {' '.join(one['description'].split())}", width, "      ", "      ")
        for name, shape in one["arguments"].items():
            place = f"in the {shape['in']}"
            lines += wrap(_argument(name, shape, shape.get("required", False), place), width, " " * 8, " " * 12)
        lines += [line for told in _told(one) for line in wrap(told, width, " " * 8, " " * 12)]
    return lines


def _told(endpoint: Mapping[str, Any]) -> list[str]:
    """What a search says of an endpoint besides its arguments, each in a line."""
    told = [f"also {', '.join(endpoint['other'])}"] if "other" in endpoint else []
    for part, value in endpoint.get("example", {}).items():
        told.append(f"for example {part}={json.dumps(value, ensure_ascii=False)}")
    told += [f"answers {endpoint['answers']}"] if "answers" in endpoint else []
    return [*told, *([f"pages: {endpoint['paging']}"] if "paging" in endpoint else [])]


def _argument(name: str, shape: Mapping[str, Any], required: bool, place: str = "") -> str:
    kind = " or ".join(f'"{word}"' for word in shape["enum"]) if "enum" in shape else shape.get("type", "any")
    facts = ", ".join(part for part in (kind, place, "required" if required else "") if part)
    told = "; ".join(part for part in (shape.get("description", ""), shape.get("fields", "")) if part)
    return f"{name} ({facts}){f': {told}' if told else ''}"
