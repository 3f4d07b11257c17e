"""The chat policy asks an OpenAI-compatible endpoint: vLLM, `transformers serve`, or a hosted API."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    AsyncOpenAI,
    BadRequestError,
)

from environment.apps import APPS
from environment.attempt import PolicyFingerprint
from environment.episode import SYSTEM_PROMPT
from environment.policies.endpoint import Endpoint
from environment.policies.policy import Completion, ConfigurationError, InfraError
from environment.record import content_hash
from environment.rng import derive_rng
from environment.tools import toolset_hash

_RETRIED = (408, 409, 425, 429)
_PROBE_TOOL = {
    "type": "function",
    "function": {
        "name": "report_number",
        "description": "Report a number.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer", "description": "The number"}},
            "required": ["number"],
        },
    },
}


class ChatPolicy:
    """One model at one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Raises ConfigurationError when the key's environment variable is not set."""
        self._endpoint = endpoint
        key = "none"
        if endpoint.api_key_variable:
            key = os.environ.get(endpoint.api_key_variable, "")
            if not key:
                raise ConfigurationError(
                    f"set {endpoint.api_key_variable}: the endpoint {endpoint.base_url} wants a key"
                )
        self._client = AsyncOpenAI(base_url=endpoint.base_url, api_key=key, timeout=endpoint.timeout_s, max_retries=0)

    @property
    def fingerprint(self) -> PolicyFingerprint:
        endpoint = self._endpoint
        return PolicyFingerprint(
            model=endpoint.model,
            revision=endpoint.revision,
            adapter=endpoint.adapter,
            sampling={
                "temperature": endpoint.temperature,
                "max_tokens": endpoint.max_tokens,
                "extra_body": content_hash(dict(endpoint.extra_body))[:16],
            },
            prompt_hash=content_hash(SYSTEM_PROMPT)[:16],
            toolset_hash=toolset_hash(APPS)[:16],
        )

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        endpoint = self._endpoint
        jitter = derive_rng("backoff", seed)
        for trial in range(endpoint.tries):
            started = time.perf_counter()
            try:
                response = await self._ask(messages, tools, seed)
                return _completion(response, time.perf_counter() - started)
            except BadRequestError as error:
                if _names_context_length(error):
                    return Completion({"role": "assistant", "content": ""}, "context", 0, 0, 0.0)
                raise ConfigurationError(_refusal(endpoint, error)) from error
            except APIStatusError as error:
                if error.status_code < 500 and error.status_code not in _RETRIED:
                    raise ConfigurationError(_refusal(endpoint, error)) from error
                failure: Exception = error
            except (APIError, InfraError, json.JSONDecodeError) as error:
                failure = error
            if trial + 1 < endpoint.tries:
                pause = min(60.0, endpoint.backoff_s * 2**trial) * (0.5 + jitter.random())
                await asyncio.sleep(max(pause, _retry_after(failure)))
        raise InfraError(
            f"{endpoint.base_url} failed {endpoint.tries} times, last: {type(failure).__name__}: {failure}"
        )

    async def probe(self) -> None:
        """Check that the endpoint is up and that one forced tool call comes back parsed.

        Raises ConfigurationError with the remedy otherwise: a wrong tool parser would score every attempt 0.
        """
        messages = [{"role": "user", "content": "Report the number 7 with the tool."}]
        endpoint = self._endpoint
        forced = {"type": "function", "function": {"name": "report_number"}}
        try:
            response = await self._ask(messages, [_PROBE_TOOL], 0, tool_choice=forced)
            completion = _completion(response, 0.0)
        except APIConnectionError as error:
            raise ConfigurationError(
                f"nothing answers at {endpoint.base_url}; start the server or mend base_url"
            ) from error
        except APIStatusError as error:
            raise ConfigurationError(_refusal(endpoint, error)) from error
        except (APIError, InfraError, json.JSONDecodeError) as error:
            raise ConfigurationError(f"{endpoint.base_url} does not answer like an OpenAI endpoint: {error}") from error
        if not completion.message.get("tool_calls"):
            raise ConfigurationError(
                f"{endpoint.base_url} returned no parsed tool call for {endpoint.model}; "
                "serve it with the tool parser of its family (for Qwen3.x: --tool-call-parser qwen3_coder)"
            )

    async def _ask(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int, **more: Any
    ) -> Any:
        endpoint = self._endpoint
        response = await self._client.chat.completions.create(
            model=endpoint.model,
            messages=list(messages),  # type: ignore[arg-type]
            tools=list(tools),  # type: ignore[arg-type]
            temperature=endpoint.temperature,
            max_tokens=endpoint.max_tokens,
            seed=seed % 2**31,
            extra_body=dict(endpoint.extra_body) or None,
            **more,
        )
        if not getattr(response, "choices", None):
            raise InfraError(f"{endpoint.base_url} answered without choices: {str(response)[:120]!r}")
        return response


def _completion(response: Any, seconds: float) -> Completion:
    choice, usage = response.choices[0], response.usage
    cost = (usage.prompt_tokens if usage else 0, usage.completion_tokens if usage else 0, seconds)
    message: dict[str, Any] = {"role": "assistant", "content": choice.message.content or ""}
    calls = [
        {
            "id": call.id or f"call_{place}",
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments or "{}"},
        }
        for place, call in enumerate(choice.message.tool_calls or ())
    ]
    if calls:
        message["tool_calls"] = calls
        return Completion(message, "tool_calls", *cost)
    return Completion(message, "length" if choice.finish_reason == "length" else "stop", *cost)


def _names_context_length(error: APIStatusError) -> bool:
    text = str(error).lower()
    return ("context" in text and ("length" in text or "window" in text)) or "maximum context" in text


def _refusal(endpoint: Endpoint, error: APIStatusError) -> str:
    remedies = {401: "check the key", 403: "check the key's rights", 404: "check base_url and model"}
    remedy = remedies.get(error.status_code, "mend the request's settings")
    return f"{endpoint.base_url} refused model {endpoint.model} with {error.status_code}: {str(error)[:160]}; {remedy}"


def _retry_after(failure: Exception) -> float:
    if isinstance(failure, APIStatusError):
        text = failure.response.headers.get("retry-after", "")
        if text.replace(".", "", 1).isdigit():
            return min(120.0, float(text))
    return 0.0
