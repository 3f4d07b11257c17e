"""The chat policy asks an OpenAI-compatible endpoint: vLLM, `transformers serve`, or a hosted API."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from openai import APIConnectionError, APIStatusError, AsyncOpenAI, Timeout
from pydantic import ValidationError

from environment.apps import APPS
from environment.attempt import PolicyFingerprint
from environment.episode import SYSTEM_PROMPT
from environment.policies.answer import Answer
from environment.policies.circuit_breaker import CircuitBreaker
from environment.policies.endpoint import Endpoint
from environment.policies.policy import Completion, ConfigurationError, InfraError
from environment.record import content_hash
from environment.rng import derive_rng
from environment.specs import function_spec
from environment.tools import toolset_hash

_RETRIED = frozenset((408, 409, 425, 429))
"""Statuses below 500 that say nothing about the request."""
_CONNECT_S = 10.0
_LONGEST_PAUSE_S = 60.0
_LONGEST_RETRY_AFTER_S = 600.0
_TOO_LONG = re.compile(r"context[ _](length|window|size)|maximum (context|model) length|prompt is too long")
_REMEDIES = {401: "check the key", 403: "check what the key may do", 404: "check base_url and model"}
_PROBE_MESSAGES = (
    {"role": "system", "content": SYSTEM_PROMPT},
    {"role": "user", "content": "Find the row of order 5174 in Shipments."},
)
_PROBE_ACTION = "google_sheets_find_rows"


class ChatPolicy:
    """One model at one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Raises ConfigurationError when the key's environment variable is not set."""
        self._endpoint = endpoint
        self._key = "none"
        if endpoint.api_key_variable:
            self._key = os.environ.get(endpoint.api_key_variable, "")
            if not self._key:
                raise ConfigurationError(
                    f"set {endpoint.api_key_variable}: the endpoint {endpoint.base_url} wants a key"
                )
        self._client: AsyncOpenAI | None = None
        self._in_flight = 0
        self._breaker = CircuitBreaker(endpoint.base_url, endpoint.backoff_s)
        self._fingerprint = PolicyFingerprint(
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

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return self._fingerprint

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        endpoint = self._endpoint
        jitter = derive_rng("backoff", seed)
        failure: Exception | None = None
        for count in range(endpoint.tries):
            if failure is not None:
                pause = min(_LONGEST_PAUSE_S, endpoint.backoff_s * 2.0 ** (count - 1)) * (0.5 + jitter.random())
                await asyncio.sleep(max(pause, _retry_after(failure)))
            await self._breaker.admit()
            started = time.perf_counter()
            try:
                answer = await self._ask(messages, tools, seed)
            except APIStatusError as error:
                self._breaker.note(failed=_is_infrastructure(error))
                if _names_context_length(error):
                    return Completion({"role": "assistant", "content": ""}, "context", 0, 0, 0.0)
                if not _is_infrastructure(error):
                    raise ConfigurationError(self._refusal(error)) from error
                failure = error
            except (APIConnectionError, ValidationError) as error:
                self._breaker.note(failed=True)
                failure = error
            else:
                self._breaker.note(failed=False)
                return answer.completion(time.perf_counter() - started)
        raise InfraError(f"{endpoint.base_url} failed {endpoint.tries} times, at last with {_named(failure)}")

    async def probe(self) -> None:
        """Check that the endpoint is up and that a tool call comes back parsed.

        Raises ConfigurationError with the remedy otherwise: a wrong tool parser would score every attempt 0. The first
        request leaves the choice to the model, since servers don't use the parser for a call that they force; the
        second one forces the call of a model that preferred to talk.
        """
        endpoint = self._endpoint
        tools = [
            function_spec(a.name, a.doc, a.args) for app in APPS for a in app.all_actions if a.name == _PROBE_ACTION
        ]
        forced = {"type": "function", "function": {"name": _PROBE_ACTION}}
        for more in ({}, {"tool_choice": forced}):
            try:
                answer = await self._ask(_PROBE_MESSAGES, tools, 0, **more)
            except APIConnectionError as error:
                raise ConfigurationError(
                    f"nothing answers at {endpoint.base_url} ({error}); start the server or mend base_url"
                ) from error
            except APIStatusError as error:
                if _is_infrastructure(error):
                    raise ConfigurationError(
                        f"{endpoint.base_url} answers {error.status_code}; wait until it is ready, then start again"
                    ) from error
                raise ConfigurationError(self._refusal(error)) from error
            except ValidationError as error:
                raise ConfigurationError(
                    f"{endpoint.base_url} does not answer like an OpenAI endpoint; base_url usually ends in /v1"
                ) from error
            if answer.choices[0].message.tool_calls:
                return
            if answer.has_unparsed_call:
                break
        raise ConfigurationError(
            f"{endpoint.base_url} returned no parsed tool call for {endpoint.model}; serve it with the tool parser of "
            "its family (for Qwen3.x: --enable-auto-tool-choice --tool-call-parser qwen3_coder)"
        )

    async def _ask(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int, **more: Any
    ) -> Answer:
        endpoint = self._endpoint
        async with self._connected() as client:
            response = await client.chat.completions.with_raw_response.create(
                model=endpoint.model,
                messages=[_readable(message) for message in messages],  # type: ignore[misc]
                tools=list(tools),  # type: ignore[arg-type]
                temperature=endpoint.temperature,
                max_tokens=endpoint.max_tokens,
                seed=seed % 2**31,
                extra_body=dict(endpoint.extra_body) or None,
                **more,
            )
        return Answer.model_validate_json(response.content)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncOpenAI]:
        """The client, closed when its last request is over: nobody else knows when a job with this policy ends."""
        endpoint = self._endpoint
        if self._client is None:
            self._client = AsyncOpenAI(
                base_url=endpoint.base_url,
                api_key=self._key,
                timeout=Timeout(endpoint.timeout_s, connect=min(_CONNECT_S, endpoint.timeout_s)),
                max_retries=0,  # retries are made here, where they are counted and jittered reproducibly
            )
        client = self._client
        self._in_flight += 1
        try:
            yield client
        finally:
            self._in_flight -= 1
            if self._in_flight == 0:
                self._client = None
                await client.close()

    def _refusal(self, error: APIStatusError) -> str:
        endpoint = self._endpoint
        remedy = _REMEDIES.get(error.status_code, "mend the endpoint's settings")
        if _names_context_length(error):
            remedy = "lower max_tokens or serve a longer context"
        return (
            f"{endpoint.base_url} refused model {endpoint.model} with {error.status_code} "
            f"({error.message[:300]}); {remedy}"
        )


def _readable(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message with arguments that every server can read: text that is no JSON object is wrapped in one.

    Servers refuse a whole chat (400) for one earlier call that the model miswrote.
    """
    if not message.get("tool_calls"):
        return message
    calls = [
        {**call, "function": {**call["function"], "arguments": _object_text(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": calls}


def _object_text(arguments: str) -> str:
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    return arguments if isinstance(given, dict) else json.dumps({"arguments": arguments}, ensure_ascii=False)


def _is_infrastructure(error: APIStatusError) -> bool:
    return error.status_code >= 500 or error.status_code in _RETRIED


def _names_context_length(error: APIStatusError) -> bool:
    return error.status_code == 400 and bool(_TOO_LONG.search(f"{error.message} {error.body}".lower()))


def _retry_after(failure: Exception) -> float:
    """Seconds that the server asked for, 0 where it didn't."""
    if isinstance(failure, APIStatusError):
        text = failure.response.headers.get("retry-after", "")
        if re.fullmatch(r"\d+(\.\d+)?", text):
            return min(_LONGEST_RETRY_AFTER_S, float(text))
    return 0.0


def _named(failure: Exception | None) -> str:
    if isinstance(failure, ValidationError):
        return f"an answer that is no chat completion ({failure.errors()[0]['msg']})"
    return f"{type(failure).__name__}: {str(failure)[:300]}"
