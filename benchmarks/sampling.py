"""Overhead and memory of the sampler, against a stub server that answers every request after one second.

    python -m benchmarks.sampling

Rate: requests a second of the sampler (episodes, verdicts, a durable ledger) at 256 concurrent attempts, beside the
same client library in a bare loop that sends the same requests; the two take turns. Budget: at least 95% of the bare
loop's. Memory: peak of the client process at 1,000 concurrent attempts whose transcripts grow to 100,000 tokens (four
letters each). Budget: 1.5 GB. The stub and each measurement are processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from openai import AsyncOpenAI

from assets.stages.sampling import attempts_on
from environment.episode import Episode
from environment.ledger import Ledger, Plan, carry_out
from environment.policies.chat import ChatPolicy
from environment.policies.endpoint import Endpoint
from environment.rng import derive_rng
from environment.rollout import Limits
from environment.task import Task
from generators.families import family_named

CONCURRENT, TURNS, ROUNDS, LEAST_SHARE = 256, 8, 3, 0.95
LARGE_CONCURRENT, LARGE_TURNS, LARGE_TOKENS, MOST_GB = 1000, 5, 100_000, 1.5
LETTERS_PER_TOKEN = 4
DELAY_S = 1.0
_CALL = {"name": "google_sheets_find_rows", "arguments": "{}"}


class Stub(asyncio.Protocol):
    """One connection: answers each request `DELAY_S` after its last byte, with a call until the last turn."""

    def __init__(self, turns: int, letters: int) -> None:
        self._turns, self._letters = turns, letters
        self._head = b""
        self._missing = 0
        self._assistant_turns = 0
        self._streams = False
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        if not self._missing:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, data, self._head = self._head[:end].lower(), self._head[end + 4 :], b""
            self._missing = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
            self._assistant_turns, self._streams, self._tail = 0, False, b""
        seen = self._tail + data
        for mark in (b'"role":"assistant"', b'"role": "assistant"'):
            self._assistant_turns += seen.count(mark)
        self._streams |= b'"stream":true' in seen or b'"stream": true' in seen
        self._tail = seen[-10:]  # shorter than a mark, so that none is counted twice
        self._missing -= len(data)
        if not self._missing:
            asyncio.get_running_loop().call_later(DELAY_S, self._answer, self._assistant_turns + 1, self._streams)

    def _answer(self, turn: int, streams: bool) -> None:
        if self._transport.is_closing():
            return
        message: dict[str, Any] = {"role": "assistant", "content": "x" * self._letters}
        finish = "stop"
        if turn < self._turns:
            message["tool_calls"] = [{"index": 0, "id": f"call_{turn}", "type": "function", "function": _CALL}]
            finish = "tool_calls"
        usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
        whole = {"id": "x", "created": 0, "model": "m", "usage": usage}
        if streams:
            chunks = [
                {**whole, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": message}]},
                {
                    **whole,
                    "object": "chat.completion.chunk",
                    "choices": [{"index": 0, "delta": {}, "finish_reason": finish}],
                },
            ]
            text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            choices = [{"index": 0, "finish_reason": finish, "message": message}]
            text, kind = json.dumps({**whole, "object": "chat.completion", "choices": choices}), "application/json"
        body = text.encode()
        self._transport.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body
        )


async def serve(turns: int, letters: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Stub(turns, letters), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def stub(turns: int, letters: int) -> Iterator[str]:
    """Base URL of a stub in a process of its own."""
    words = [sys.executable, __file__, "--part", "serve", "--turns", str(turns), "--letters", str(letters)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        finally:
            server.terminate()


def tasks(count: int) -> list[Task]:
    family = family_named("leave_request")
    return [
        family.generate(
            "sampling", index, "train", family.draw_knobs(derive_rng("sampling", index), "starter"), "actions"
        )
        for index in range(count)
    ]


def policy(url: str) -> ChatPolicy:
    return ChatPolicy(
        Endpoint(base_url=url, model="m", revision="r", temperature=1.0, max_tokens=1024, timeout_s=120.0)
    )


async def sample(url: str, made: Sequence[Task], concurrent: int, turns: int) -> float:
    """Seconds that the sampler takes for one attempt on every task."""
    asked = policy(url)
    key = asked.fingerprint.key()
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder)) as ledger:
        planned = tuple(one for task in made for one in ledger.next_attempts(key, task.id, 1, "sampling"))
        make = attempts_on({task.id: task for task in made}, asked, Limits(max_turns=turns, concurrency=concurrent))
        begun = time.perf_counter()
        await carry_out(Plan(purpose="calibration", policy=key, round=0, attempts=planned), ledger, make)
        took = time.perf_counter() - begun
        lines = ledger.lines(key)
        assert len(lines) == len(made) and all(line.scored for line in lines)
        assert {line.tokens_in for line in lines} == {1000 * turns}
    return took


async def loop(url: str, made: Sequence[Task], concurrent: int, turns: int) -> float:
    """Seconds that the bare client takes for as many requests with the same messages and tools."""
    episode = Episode(made[0])
    messages: list[Any] = list(episode.messages())
    result = episode.call(_CALL["name"], _CALL["arguments"])
    turn = [
        {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1", "type": "function", "function": _CALL}]},
        {"role": "tool", "tool_call_id": "call_1", "name": _CALL["name"], "content": result},
    ]
    chats = [messages + turn * count for count in range(turns)]
    left = iter(range(len(made)))
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=120) as client:

        async def work() -> None:
            for _ in left:
                for chat in chats:
                    await client.chat.completions.create(
                        model="m", messages=chat, tools=list(episode.specs), temperature=1.0, max_tokens=1024, seed=1
                    )

        begun = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(concurrent)))
        return time.perf_counter() - begun


def measure_rate() -> None:
    """Prints one JSON line: requests a second of both, and processor seconds a request."""
    made = tasks(CONCURRENT)
    found: dict[str, list[float]] = {"loop": [], "sampler": [], "loop_cpu": [], "sampler_cpu": []}
    requests = CONCURRENT * TURNS
    with stub(TURNS, 0) as url:
        for _ in range(ROUNDS):
            for name, work in (("loop", loop), ("sampler", sample)):
                cpu = time.process_time()
                found[name].append(requests / asyncio.run(work(url, made, CONCURRENT, TURNS)))
                found[f"{name}_cpu"].append((time.process_time() - cpu) / requests)
    print(json.dumps(found))


def measure_memory() -> None:
    """Prints one JSON line: peak bytes of this process before and after."""
    made = tasks(LARGE_CONCURRENT)
    before = _peak_bytes()
    with stub(LARGE_TURNS, LARGE_TOKENS * LETTERS_PER_TOKEN // LARGE_TURNS) as url:
        took = asyncio.run(sample(url, made, LARGE_CONCURRENT, LARGE_TURNS))
    print(json.dumps({"before": before, "after": _peak_bytes(), "seconds": took}))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _measured(part: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--part", part], stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    rates = _measured("rate")
    loop_rate, rate = statistics.median(rates["loop"]), statistics.median(rates["sampler"])
    share = rate / loop_rate
    print(
        f"{CONCURRENT} concurrent attempts of {TURNS} requests, {ROUNDS} rounds, medians; the stub waits {DELAY_S:g} s"
    )
    for name, label in (("loop", "bare client loop"), ("sampler", "sampler")):
        cpu_ms = 1000 * statistics.median(rates[f"{name}_cpu"])
        print(f"{label:18} {statistics.median(rates[name]):6.1f} requests/s  {cpu_ms:.2f} ms of processor a request")
    print(f"sampler / loop     {share:6.1%} (budget {LEAST_SHARE:.0%})")
    memory = _measured("memory")
    peak_gb = memory["after"] / 1e9
    print(
        f"{LARGE_CONCURRENT:,} concurrent attempts of {LARGE_TOKENS:,} tokens: peak {peak_gb:.2f} GB "
        f"(budget {MOST_GB} GB), {memory['before'] / 1e9:.2f} GB before the first; {memory['seconds']:.0f} s"
    )
    return 0 if share >= LEAST_SHARE and peak_gb <= MOST_GB else 1


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--part", choices=["serve", "rate", "memory"], help="one part, in a process of its own")
    given.add_argument("--turns", type=int)
    given.add_argument("--letters", type=int)
    chosen = given.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    if chosen.part == "serve":
        asyncio.run(serve(chosen.turns, chosen.letters))
    elif chosen.part == "rate":
        measure_rate()
    elif chosen.part == "memory":
        measure_memory()
    else:
        sys.exit(main())
