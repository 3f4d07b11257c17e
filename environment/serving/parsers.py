"""A parser turns what a model writes into tool calls and reasoning; the model's chat template says which form that is.

With the wrong one every `tool_calls` comes back empty, and every attempt scores 0.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from environment.policies.policy import ConfigurationError

_TOOL_MARKS = (
    ("<function=", "qwen3_coder"),
    ("[TOOL_CALLS]", "mistral"),
    ("<|python_tag|>", "llama3_json"),
    ("<tool_call>", "hermes"),
)
"""What stands in a template -> vLLM's parser for it; earlier ones first, as Qwen3.x writes `<function=` inside
`<tool_call>`."""
_TOOL_NAMES = ((r"qwen-?3\.\d|qwen3-?coder", "qwen3_coder"), (r"qwen-?(2\.5|3)", "hermes"))
"""The same by the model's name, where its template is not at hand."""
_REASONING_MARKS = (("<think>", "qwen3"),)


@dataclass(frozen=True, slots=True)
class Parsers:
    """Names of vLLM's parsers."""

    tool: str
    reasoning: str | None


def parsers_for(weights: Path, model: str) -> Parsers:
    """The parsers of the model in a folder, by its chat template; by its id where the folder has none.

    Raises ConfigurationError when neither is known.
    """
    template = _chat_template(weights)
    if template is not None:
        tool = next((parser for mark, parser in _TOOL_MARKS if mark in template), None)
        if tool is None:
            raise ConfigurationError(
                f"the chat template in {weights} calls tools in no form that is known here; set serve.tool_parser "
                "(vLLM's documentation lists them by family)"
            )
        return Parsers(tool, next((parser for mark, parser in _REASONING_MARKS if mark in template), None))
    for pattern, parser in _TOOL_NAMES:
        if re.search(pattern, model.lower()):
            return Parsers(parser, "qwen3" if "qwen3" in model.lower().replace("-", "") else None)
    raise ConfigurationError(
        f"there is no chat template in {weights}, and the tool calls of {model} are of no form that is known here; "
        "set serve.tool_parser"
    )


def _chat_template(weights: Path) -> str | None:
    path = weights / "chat_template.jinja"
    if path.is_file():
        return path.read_text(encoding="utf-8")
    path = weights / "tokenizer_config.json"
    if path.is_file():
        template = json.loads(path.read_text(encoding="utf-8")).get("chat_template")
        if isinstance(template, list):  # several by name: the one for tools, else the default
            named = {one["name"]: one["template"] for one in template}
            template = named.get("tool_use", named.get("default"))
        return template
    return None
