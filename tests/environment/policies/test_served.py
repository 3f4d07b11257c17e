"""A real OpenAI-compatible server, `transformers serve`, asked through the chat policy."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

if not all(map(find_spec, ("transformers", "uvicorn", "fastapi"))):
    pytest.skip("the extra `serve` (transformers[serving]) is not installed", allow_module_level=True)

from environment.attempt import Attempt, PolicyFingerprint
from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.policies.local import LocalPolicy
from environment.policies.policy import Completion, ConfigurationError
from environment.rng import derive_rng
from environment.rollout import Limits, Request, attempt_many
from environment.task import Task
from generators.families import family_named

SHIPPED = Path(__file__).parents[3] / "training" / "reference_policy" / "weights"


@pytest.fixture(scope="module")
def weights(request: pytest.FixtureRequest) -> Path:
    """The shipped weights, or the miniature model where there are none."""
    if (SHIPPED / "config.json").is_file():
        return SHIPPED
    folder: Path = request.getfixturevalue("miniature")
    return folder


@pytest.fixture(scope="module")
def url(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a server that serves them."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    log = tmp_path_factory.mktemp("serve") / "log"
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(weights), "--device", "cpu"]
    command += ["--host", "127.0.0.1", "--port", port]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out, env=environment) as server:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"transformers serve did not start: {log.read_text()[-2000:]}")


def endpoint(url: str, weights: Path, **changes: Any) -> Endpoint:
    given = {"model": str(weights), "temperature": 0, "max_tokens": 96, "timeout_s": 60, "tries": 2, **changes}
    return Endpoint(base_url=url, revision="shipped", **given)


def starter_task(family: str, index: int) -> Task:
    made = family_named(family)
    return made.generate("served", index, "train", made.draw_knobs(derive_rng(family, index), "starter"), "actions")


class Compared:
    """The chat policy, with the prompt of every request measured as the local policy renders it."""

    def __init__(self, policy: ChatPolicy, local: LocalPolicy) -> None:
        self._policy, self._local = policy, local
        self.sizes: list[tuple[int, int]] = []
        """Tokens of each prompt: as the server counted, as rendered here."""

    @property
    def fingerprint(self) -> PolicyFingerprint:
        return self._policy.fingerprint

    async def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], seed: int
    ) -> Completion:
        completion = await self._policy.complete(messages, tools, seed)
        self.sizes.append((completion.tokens_in, len(self._local.prompt_ids(messages, tools))))
        return completion


def test_attempts_through_a_real_server_are_scored_and_prompts_are_those_of_the_local_policy(
    url: str, weights: Path
) -> None:
    local = LocalPolicy(weights, temperature=0, max_tokens=96, max_context=3072)
    policy = Compared(ChatPolicy(endpoint(url, weights)), local)
    tasks = [starter_task(family, 0) for family in ("shipment_update", "callback_number", "leave_request")]
    requests = [Request(task, 0, 1, "calibration") for task in tasks]
    served: list[Attempt] = []
    asyncio.run(attempt_many(requests, policy, Limits(max_turns=6, concurrency=3), served.append))
    assert len(served) == 3 and all(one.scored for one in served), [one.error for one in served]
    assert [counted for counted, _ in policy.sizes] == [rendered for _, rendered in policy.sizes]
    if weights == SHIPPED:
        assert all(one.calls for one in served)
        assert len(policy.sizes) > 6


def test_a_served_model_passes_the_probe_when_it_calls_tools(url: str, weights: Path) -> None:
    if weights != SHIPPED:
        pytest.skip("the reference policy's weights are not there, and the miniature model knows no other tools")
    [found] = asyncio.run(ChatPolicy(endpoint(url, weights)).probe()).addresses
    assert found.streams and found.repeats_seeds and found.counts_tokens
    assert not found.honours_n and not found.counts_cached_tokens
    assert found.tokens_per_s is not None and found.tokens_per_s > 1


def test_a_model_that_is_not_served_is_a_configuration_error(url: str, weights: Path) -> None:
    with pytest.raises(ConfigurationError, match="refused model /no/such/model"):
        asyncio.run(ChatPolicy(endpoint(url, weights, model="/no/such/model")).probe())
