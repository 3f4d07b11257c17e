"""A fault server is a real HTTP endpoint with a scripted agent behind it that fails as often as it is told to.

Whether the nth time that a request comes it fails, and how, depends on the request and n alone.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from environment.rng import derive_rng
from tests.calibration.scripted_agent import ScriptedAgent

FAULTS = (
    "429",
    "500",
    "502 html",
    "reset",
    "reset in mid-answer",
    "half-written JSON",
    "stall",
    "stall in mid-answer",
    "no choices",
)
STALL_S = 30.0
_PIECE = 40
"""Characters of a text or of arguments that come at once."""


class FaultServer:
    """A running fault server."""

    def __init__(self, agent: ScriptedAgent, fault_rate: float) -> None:
        self.url = ""
        self.faults: Counter[str] = Counter()
        """How often each happened."""
        self.answered: list[tuple[str, int, int]] = []
        """Prompt, seed and number of messages of every request that was answered, in the order of their coming."""
        self.requests = 0
        self.on_request: Callable[[int], None] = lambda count: None
        """Is told of every request, before it is answered, how many have come."""
        self._agent, self._fault_rate = agent, fault_rate
        self._seen: Counter[str] = Counter()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = next(int(line[15:]) for line in head.splitlines() if line.startswith("content-length:"))
                await self._answer(await reader.readexactly(length), writer)
                await writer.drain()
        writer.close()

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        self.requests += 1
        self.on_request(self.requests)
        name = hashlib.sha256(request).hexdigest()
        self._seen[name] += 1
        rng = derive_rng("fault", name, self._seen[name])
        fault = rng.choice(FAULTS) if rng.random() < self._fault_rate else None
        body = json.loads(request)
        if fault is not None:
            self.faults[fault] += 1
        else:
            self.answered.append((body["messages"][1]["content"], body["seed"], len(body["messages"])))
        if fault == "429":
            _send(writer, b'{"error": {"message": "slow down"}}', "429 Too Many Requests", {"retry-after": "0.05"})
        elif fault == "500":
            _send(writer, b'{"error": {"message": "out of memory"}}', "500 Internal Server Error")
        elif fault == "502 html":
            _send(writer, b"<html>Bad Gateway</html>", "502 Bad Gateway", {"content-type": "text/html"})
        elif fault == "reset":
            writer.transport.abort()
        elif fault == "stall":
            await self._stall(writer)
        else:
            whole = self._answer_bytes(body, has_choices=fault != "no choices")
            kind = {"content-type": "text/event-stream" if body.get("stream") else "application/json"}
            if fault == "half-written JSON":
                cut = whole[: 2 * len(whole) // 3].rstrip(b"\n")
                _send(writer, cut + b"\n\n" if body.get("stream") else cut, headers=kind)
            elif fault in ("reset in mid-answer", "stall in mid-answer"):
                _send(writer, whole, headers=kind, sent=len(whole) // 2)
                await writer.drain()
                if fault == "stall in mid-answer":
                    await self._stall(writer)
                writer.transport.abort()
            else:
                _send(writer, whole, headers=kind)

    async def _stall(self, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(STALL_S)
        writer.transport.abort()

    def _answer_bytes(self, body: Mapping[str, Any], has_choices: bool) -> bytes:
        message, finish = self._agent.reply(body)
        usage = {
            "prompt_tokens": sum(len(str(message)) for message in body["messages"]) // 4,
            "completion_tokens": len(str(message)) // 4,
            "prompt_tokens_details": {"cached_tokens": sum(len(str(m)) for m in body["messages"][:-1]) // 4},
        }
        if not body.get("stream"):
            choices = [{"index": 0, "message": message, "finish_reason": finish}] if has_choices else []
            return json.dumps({"id": "x", "choices": choices, "usage": usage}).encode()
        pieces = list(_pieces(message, finish)) if has_choices else []
        pieces.append({"choices": [], "usage": usage})
        return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in pieces) + b"data: [DONE]\n\n"


def _pieces(message: Mapping[str, Any], finish: str | None) -> Iterator[dict[str, Any]]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{name: part} for name in ("reasoning", "content") for part in _cut(message[name])]
    for place, call in enumerate(message.get("tool_calls", ())):
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{**call, "index": place, "function": function}]})
        for part in _cut(call["function"]["arguments"]):
            deltas.append({"tool_calls": [{"index": place, "function": {"arguments": part}}]})
    for delta in deltas:
        yield {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}


def _cut(text: str) -> list[str]:
    return [text[start : start + _PIECE] for start in range(0, len(text), _PIECE)]


def _send(
    writer: asyncio.StreamWriter,
    body: bytes,
    status: str = "200 OK",
    headers: Mapping[str, str] | None = None,
    sent: int | None = None,
) -> None:
    """A response, of whose body only the first `sent` bytes are sent."""
    lines = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body[:sent])


@contextmanager
def serve_faulty(agent: ScriptedAgent, fault_rate: float) -> Iterator[FaultServer]:
    """A fault server in a thread of its own."""
    server = FaultServer(agent, fault_rate)
    loop = asyncio.new_event_loop()
    ready, done = threading.Event(), asyncio.Event()

    async def work() -> None:
        async with await asyncio.start_server(server.handle, "127.0.0.1", 0, limit=2**24) as listening:
            server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
            ready.set()
            await done.wait()
            listening.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:  # type: ignore[arg-type]
                task.cancel()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(work())

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
