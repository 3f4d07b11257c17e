"""A typed line is what a person at a desk asks for: a tool call, or a command of the desk's own."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from environment.apps.kit import AppError, parse_json

Word = Literal["help", "tools", "task", "changes", "finish", "quit"]
WORDS: tuple[Word, ...] = ("help", "tools", "task", "changes", "finish", "quit")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_IN_QUERY = ("GET", "DELETE")
_LONGEST = 20_000
"""Characters that are taken apart into words, which takes time that grows with their square."""
_PAIR = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_URL_END = re.compile(r"\s+(?=[{\[\"])")

HELP = """\
search WORDS                    find endpoints of the vendors' APIs
GET https://... {"limit": 5}    call one; the JSON is the query of GET and DELETE, else the body (POST PUT PATCH)
TOOL name=value name="a b"      call one of the task's tools; give a name again for a list
TOOL {"name": "value"}          the same with JSON, where \\n is a new line
tools, help TOOL                the tools with their arguments
task                            the request again, who you are, the clock
changes                         what you have changed so far
finish [ANSWER]                 end with an answer, and see the verdict
quit                            leave without a verdict"""


@dataclass(frozen=True, slots=True)
class ToolLine:
    """A call of a tool; `arguments` is the JSON text that a model would have written."""

    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class WordLine:
    """A command of the desk's own, with what stood behind it."""

    word: Word
    rest: str


@dataclass(frozen=True, slots=True)
class UnclearLine:
    """A line that is neither, and why."""

    sentence: str


Line = ToolLine | WordLine | UnclearLine


def read_line(text: str, specs: Sequence[Mapping[str, Any]]) -> Line | None:
    """What a line asks for; None for an empty one and for a comment. Whatever is typed is read, never raised."""
    text = text.strip()
    if not text or text.startswith("#"):
        return None
    first, _, rest = text.partition(" ")
    rest = rest.strip()
    tools = {spec["function"]["name"]: spec["function"]["parameters"] for spec in specs}
    if first in tools or "_" in first:
        return _tool(first, rest, tools.get(first, {"properties": {}}))
    if first.upper() in _METHODS:
        return _request(first.upper(), rest)
    word = first.lower()
    if word == "search":
        return ToolLine("api_search", json.dumps({"query": rest}, ensure_ascii=False))
    if word == "exit":
        word = "quit"
    for known in WORDS:
        if word == known:
            return WordLine(known, rest)
    near = difflib.get_close_matches(first[:80], ["search", *WORDS, *tools], n=1)
    guess = f"did you mean {near[0]}?" if near else "see help"
    return UnclearLine(f"there is no command {first[:80]!r}; {guess}")


def _request(method: str, rest: str) -> Line:
    if not rest:
        return UnclearLine(f"{method} needs a URL, such as {method} https://...; search WORDS finds one")
    parts = _URL_END.split(rest, maxsplit=1)
    arguments = {"method": method, "url": parts[0].strip("\"'")}
    if len(parts) > 1:
        arguments["params" if method in _IN_QUERY else "body"] = parts[1]
    return ToolLine("api_fetch", json.dumps(arguments, ensure_ascii=False))


def _tool(name: str, rest: str, parameters: Mapping[str, Any]) -> Line:
    if not rest or rest.startswith("{"):
        return ToolLine(name, rest or "{}")
    if len(rest) > _LONGEST:
        return UnclearLine(f"{name}: more than {_LONGEST:,} characters are too many for name=value; give JSON")
    try:
        words = shlex.split(rest)
    except ValueError as error:
        return UnclearLine(f"{name}: {str(error).lower()}; quote with matching quotes, or give JSON")
    given: dict[str, list[str]] = {}
    for word in words:
        pair = _PAIR.fullmatch(word)
        if not pair:
            return UnclearLine(f"{name}: {word[:80]!r} is no name=value; quote values that have blanks, or give JSON")
        given.setdefault(pair[1], []).append(pair[2])
    shapes = parameters["properties"]
    values = {name: _value(texts, shapes.get(name, {}).get("type", "")) for name, texts in given.items()}
    return ToolLine(name, json.dumps(values, ensure_ascii=False))


def _value(texts: Sequence[str], kind: str) -> Any:
    """The value as the tool's own type where the text can be read so, else as text, for the tool to refuse."""
    if len(texts) > 1:
        return list(texts)
    text = texts[0]
    if kind in ("", "string"):
        return text
    try:
        value = parse_json(text, "the value")
    except AppError:
        value = text
    return [value] if kind == "array" and not isinstance(value, list) else value
