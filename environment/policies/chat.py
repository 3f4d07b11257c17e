"""The chat policy asks an OpenAI-compatible endpoint: vLLM, `transformers serve`, or a hosted API."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from openai import APIStatusError

from environment.apps import APPS
from environment.attempt import Failure, PolicyFingerprint
from environment.episode import SYSTEM_PROMPT
from environment.policies.connection import Connection
from environment.policies.endpoint import Endpoint
from environment.policies.failures import CallFailed, ContextOverflow
from environment.policies.policy import Completion, ConfigurationError, InfraError
from environment.policies.pool import Pool
from environment.policies.probe import probe_endpoint
from environment.policies.probe_report import ProbeReport
from environment.policies.request import refusal, request_body
from environment.record import content_hash
from environment.rng import derive_rng
from environment.tools import toolset_hash

_LONGEST_PAUSE_S = 60.0


class ChatPolicy:
    """One model at one endpoint, which may have several addresses."""

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
        self._connections = {url: Connection(url, key, endpoint) for url in endpoint.addresses}
        self._pool = Pool(endpoint)
        self._fingerprint = PolicyFingerprint(
            model=endpoint.model,
            revision=endpoint.revision,
            adapter=endpoint.adapter,
            sampling={
                "temperature": endpoint.temperature,
                "max_tokens": endpoint.max_tokens,
                "reasoning": endpoint.reasoning,
                "extra_body": content_hash(dict(endpoint.extra_body))[:16],
            },
            prompt_hash=content_hash(SYSTEM_PROMPT)[:16],
            toolset_hash=toolset_hash(APPS)[:16],
        )

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return self._fingerprint

    async def probe(self) -> ProbeReport:
        """What the endpoint can do, found out with a few short questions to each address.

        Raises ConfigurationError with the remedy for what would make every attempt worthless.
        """
        return await probe_endpoint(self._endpoint, tuple(self._connections.values()))

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        endpoint, jitter = self._endpoint, derive_rng("backoff", seed)
        body = request_body(endpoint, messages, tools, seed)
        home = self._pool.home(str(messages[1]["content"]) if len(messages) > 1 else "")
        not_before: dict[str, float] = {}
        failures: Counter[Failure] = Counter()
        while True:
            async with self._pool.lease(home, not_before) as lease:
                url = lease.address.url
                started = time.perf_counter()
                try:
                    answer = await self._connections[url].ask(body)
                except CallFailed as failed:
                    lease.note(failed=True, reason=str(failed))
                    failure = failed
                except ContextOverflow:
                    lease.note(failed=False)
                    return Completion({"role": "assistant", "content": ""}, "context", 0, 0, 0.0)
                except APIStatusError as error:
                    raise ConfigurationError(refusal(endpoint, url, error.status_code, error.message)) from error
                else:
                    lease.note(failed=False)
                    return answer.completion(time.perf_counter() - started)
            if not lease.is_trial:  # a trial of an address that was failing is nobody's try, so an outage costs nothing
                failures[failure.kind] += 1
            if failures.total() >= endpoint.tries:
                raise InfraError(_sentence(url, failures, failure), failure.kind)
            pause = min(_LONGEST_PAUSE_S, endpoint.backoff_s * 2.0 ** (failures.total() - 1)) * (0.5 + jitter.random())
            not_before[url] = time.monotonic() + max(pause, failure.retry_after_s)


def _sentence(url: str, failures: Counter[Failure], last: CallFailed) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(failures.items()))
    return f"{url} failed {failures.total()} times, at last with {last} ({kinds})"
