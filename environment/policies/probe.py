"""A probe asks an endpoint a few short questions before anything is spent on it.

What would make every attempt worthless is refused with the remedy; what a person should only know is reported.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from openai import APIStatusError

from environment.apps import APPS
from environment.episode import SYSTEM_PROMPT
from environment.policies.answer import REASONING_FIELDS, Answer
from environment.policies.connection import Connection
from environment.policies.endpoint import Endpoint
from environment.policies.failures import CallFailed, ContextOverflow
from environment.policies.policy import Completion, ConfigurationError
from environment.policies.probe_report import ProbedAddress, ProbeReport
from environment.policies.request import refusal, request_body
from environment.specs import function_spec

logger = logging.getLogger(__name__)

_ACTION = "google_sheets_find_rows"
_MESSAGES = (
    {"role": "system", "content": SYSTEM_PROMPT},
    {"role": "user", "content": "Find the row of order 5174 in Shipments."},
)
_FOUND = '{"rows": [{"row": 7, "Order": "5174", "Status": "Shipped"}]}'
_ESSAY = ({"role": "user", "content": "Describe in a few sentences how a parcel gets from a shop to a home."},)
_ESSAY_TOKENS = 64
_TEXT_FIELDS = ("content", *REASONING_FIELDS)
_TRIES = 3
"""Fewer than an attempt has: who starts a run wants to know soon."""
_LONGEST_PAUSE_S = 20.0
_LENGTH_NAMES = ("max_model_len", "context_length", "max_context_length", "context_window", "n_ctx")
"""How servers call the context length in their list of models."""


async def probe_endpoint(endpoint: Endpoint, connections: Sequence[Connection]) -> ProbeReport:
    """What every address can do. Raises ConfigurationError when one is set up wrong or none answers."""
    found = await asyncio.gather(*(_Probe(endpoint, one).run() for one in connections), return_exceptions=True)
    reports: list[ProbedAddress] = []
    problems: list[_NotThere] = []
    for connection, result in zip(connections, found, strict=True):
        if isinstance(result, _NotThere):
            problems.append(result)
            reports.append(ProbedAddress(base_url=connection.url, problem=str(result)))
        elif isinstance(result, BaseException):
            raise result
        else:
            reports.append(result)
    if len(problems) == len(connections):
        raise ConfigurationError("; ".join(map(str, problems))) from problems[0]
    report = ProbeReport(model=endpoint.model, addresses=tuple(reports), warnings=tuple(_warnings(endpoint, reports)))
    for sentence in report.warnings:
        logger.warning("%s", sentence)
    return report


class _NotThere(Exception):
    """An address can't be asked at the moment; another one may do."""


class _Probe:
    """The questions to one address."""

    def __init__(self, endpoint: Endpoint, connection: Connection) -> None:
        self._endpoint, self._connection, self._url = endpoint, connection, connection.url
        self._tools = [
            function_spec(a.name, a.doc, a.args) for app in APPS for a in app.all_actions if a.name == _ACTION
        ]

    async def run(self) -> ProbedAddress:
        answer, unforced = await self._tool_call()
        called = answer.completion(0.0).message
        after = await self._after_the_call(called)
        essays, tokens_per_s = await self._essays()
        context_length = await self._context_length()
        usage = answer.usage
        return ProbedAddress(
            base_url=self._url,
            calls_unforced=unforced,
            streams=answer.was_streamed,
            honours_n=await self._honours_n(),
            repeats_seeds=essays[0] == essays[1],
            varies_with_seeds=essays[0] != essays[2],
            counts_tokens=usage is not None and bool(usage.prompt_tokens and usage.completion_tokens),
            counts_cached_tokens=after.usage is not None and after.usage.cached is not None,
            reasoning_field=next((name for name in REASONING_FIELDS if called.get(name)), None),
            context_length=context_length,
            tokens_per_s=tokens_per_s,
        )

    async def _tool_call(self) -> tuple[Answer, bool]:
        """A parsed tool call: a wrong tool parser would score every attempt 0.

        The first request leaves the choice to the model, since servers don't use the parser for a call that they
        force; the second one forces the call of a model that preferred to talk.
        """
        forced = {"type": "function", "function": {"name": _ACTION}}
        for more in ({}, {"tool_choice": forced}):
            answer = await self._ask(_MESSAGES, tools=self._tools, **more)
            if answer.choices[0].message.tool_calls:
                return answer, not more
            if answer.has_unparsed_call:
                break
        raise ConfigurationError(
            f"{self._url} returned no parsed tool call for {self._endpoint.model}; serve it with the tool parser of "
            "its family (for Qwen3.x: --enable-auto-tool-choice --tool-call-parser qwen3_coder)"
        )

    async def _after_the_call(self, called: Mapping[str, Any]) -> Answer:
        """The answer to a tool's result: the way back, which a chat template may not know."""
        results = [{"role": "tool", "tool_call_id": call["id"], "content": _FOUND} for call in called["tool_calls"]]
        return await self._ask((*_MESSAGES, called, *results), tools=self._tools)

    async def _essays(self) -> tuple[list[str], float | None]:
        """Texts for one seed twice and for another one, and the tokens a second of the quickest."""
        tokens = min(_ESSAY_TOKENS, self._endpoint.max_tokens)
        temperature = self._endpoint.temperature or 1.0
        texts, speeds = [], []
        for seed in (1, 1, 2):
            started = time.perf_counter()
            answer = await self._ask(_ESSAY, seed=seed, max_tokens=tokens, temperature=temperature)
            completion = answer.completion(time.perf_counter() - started)
            texts.append("\n".join(str(completion.message.get(name, "")) for name in _TEXT_FIELDS))
            speeds.append(_speed(completion))
        return texts, max(speeds) or None

    async def _honours_n(self) -> bool:
        try:
            answer = await self._ask(_ESSAY, n=2, max_tokens=1, stream=False, stream_options=None)
        except (ConfigurationError, _NotThere):
            return False
        return len(answer.choices) == 2

    async def _context_length(self) -> int | None:
        listed = await self._connection.models()
        models = listed.get("data") if isinstance(listed, dict) else None
        for model in models if isinstance(models, list) else ():
            if isinstance(model, dict) and model.get("id") == self._endpoint.model:
                length = next((model[name] for name in _LENGTH_NAMES if isinstance(model.get(name), int)), None)
                if length is not None and length <= self._endpoint.max_tokens:
                    raise ConfigurationError(
                        f"{self._url} serves a context of {length} tokens, max_tokens {self._endpoint.max_tokens} "
                        "leaves no room for a prompt; lower max_tokens or serve a longer context"
                    )
                return length
        return None

    async def _ask(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] = (), **changes: Any) -> Answer:
        body = request_body(self._endpoint, messages, tools, seed=0)
        body = {name: value for name, value in {**body, **changes}.items() if value is not None}
        try:
            return await self._answered(body)
        except ContextOverflow as error:
            raise ConfigurationError(refusal(self._endpoint, self._url, 400, str(error))) from error
        except APIStatusError as error:
            sentence = refusal(self._endpoint, self._url, error.status_code, error.message)
            raise ConfigurationError(sentence) from error
        except CallFailed as error:
            raise _NotThere(self._sentence(error)) from error

    async def _answered(self, body: Mapping[str, Any]) -> Answer:
        for count in range(1, _TRIES):
            try:
                return await self._connection.ask(body)
            except CallFailed as error:
                await asyncio.sleep(min(_LONGEST_PAUSE_S, max(self._endpoint.backoff_s * count, error.retry_after_s)))
        return await self._connection.ask(body)

    def _sentence(self, error: CallFailed) -> str:
        if isinstance(error.__cause__, APIStatusError):
            return f"{self._url} answers {error.__cause__.status_code}; wait until it is ready, then start again"
        if error.kind in ("malformed_response", "no_choices"):
            return f"{self._url} does not answer like an OpenAI endpoint; base_url usually ends in /v1"
        return f"nothing answers at {self._url} ({error}); start the server or mend base_url"


def _speed(completion: Completion) -> float:
    return completion.tokens_out / completion.seconds if completion.seconds > 0 else 0.0


def _warnings(endpoint: Endpoint, reports: Sequence[ProbedAddress]) -> list[str]:
    sentences = []
    for one in reports:
        if one.problem is not None:
            sentences.append(f"calls go to the other addresses for now: {one.problem}")
            continue
        if endpoint.stream and not one.streams:
            sentences.append(f"{one.base_url} does not stream: a stalled answer is only seen after timeout_s")
        if not one.counts_tokens:
            sentences.append(f"{one.base_url} does not count tokens: limits in tokens or money do not work with it")
        if endpoint.temperature > 0 and one.repeats_seeds and not one.varies_with_seeds:
            sentences.append(
                f"{one.base_url} gave the same answer to two seeds: if that goes on, a task's attempts are all alike "
                "and pass rates mean nothing; look for a cache or a fixed seed on the way"
            )
    lengths = sorted({one.context_length for one in reports if one.context_length is not None})
    if len(lengths) > 1:
        sentences.append(f"the addresses serve contexts of {lengths} tokens: serve the same everywhere")
    return sentences
