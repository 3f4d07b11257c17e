"""A stub endpoint is a real HTTP server on this machine that answers requests from a list, well or badly."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What one request gets."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    delay_s: float = 0.0
    missing_bytes: int = 0
    """How many bytes more the header promises than are sent."""
    stall_s: float = 0.0
    """Silence between the body and the end of the response."""
    pause_s: float = 0.0
    """Silence between two events of the body."""


RESET = Reply("", status=0)
"""The connection is reset without an answer."""


def chat_reply(
    content: str | None = "Done.", calls: Sequence[Mapping[str, Any]] = (), finish: str = "stop", **message: Any
) -> Reply:
    """A well-formed chat completion; each of `calls` is a function with name and arguments."""
    message = {"role": "assistant", "content": content, **message}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{place}", "type": "function", "function": dict(call)} for place, call in enumerate(calls)
        ]
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    choices = [{"index": 0, "finish_reason": finish, "message": message}]
    return Reply(json.dumps({"id": "x", "object": "chat.completion", "choices": choices, "usage": usage}))


def pieces_reply(*pieces: Mapping[str, Any] | str, done: bool = True, **changes: Any) -> Reply:
    """A streamed answer; text among the pieces is sent as it is."""
    parts = [piece if isinstance(piece, str) else f"data: {json.dumps(piece)}\n\n" for piece in pieces]
    body = "".join(parts) + ("data: [DONE]\n\n" if done else "")
    return Reply(body, headers={"content-type": "text/event-stream; charset=utf-8"}, **changes)


def piece(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One chunk of a streamed answer."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def refusal(status: int, message: str, **headers: str) -> Reply:
    """An error as OpenAI-compatible servers send it."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}})
    return Reply(body, status, {"content-type": "application/json", **headers})


@dataclass
class Stub:
    """A running stub endpoint."""

    url: str
    requests: list[dict[str, Any]]
    """Bodies of the requests so far."""
    moments: list[float]
    """When each came, in seconds."""
    bodies: list[bytes]
    """The same as they were sent."""
    at_once: int = 0
    most_at_once: int = 0


@contextmanager
def serve(*replies: Reply, models: Reply | None = None) -> Iterator[Stub]:
    """An endpoint that gives the replies one after another, and the last one again and again.

    `models` is its list of models; without one it says 404.
    """
    stub = Stub("", [], [], [])
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with lock:
                reply = replies[min(len(stub.requests), len(replies) - 1)]
                stub.requests.append(json.loads(body))
                stub.bodies.append(body)
                stub.moments.append(time.monotonic())
                stub.at_once += 1
                stub.most_at_once = max(stub.most_at_once, stub.at_once)
            time.sleep(reply.delay_s)
            with lock:
                stub.at_once -= 1
            self._give(reply)

        def do_GET(self) -> None:
            self._give(models or refusal(404, "no list"))

        def _give(self, reply: Reply) -> None:
            self.close_connection = True
            if reply.status == 0:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            data = reply.body.encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not reply.stall_s and not reply.pause_s:
                self.send_header("content-length", str(len(data) + reply.missing_bytes))
            self.send_header("connection", "close")
            self.end_headers()
            for part in data.split(b"\n\n") if reply.pause_s else ():
                self.wfile.write(part + b"\n\n")
                self.wfile.flush()
                time.sleep(reply.pause_s)
            if not reply.pause_s:
                self.wfile.write(data)
                self.wfile.flush()
            time.sleep(reply.stall_s)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # clients that gave up waiting

    with Server(("127.0.0.1", 0), Handler) as server:
        stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()
