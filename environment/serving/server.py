"""A server is the target's own, started for a stage and stopped after it, or one of ours that runs already."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TextIO
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from environment.policies.policy import ConfigurationError, InfraError
from environment.serving import keeper
from environment.serving.command import ServerCommand
from environment.serving.settings import Serving

logger = logging.getLogger(__name__)

_POLL_S = 0.2
_KILL_S = 5.0
"""Granted to the keeper beyond what it grants the server."""
_TAIL_LINES, _TAIL_LETTERS = 4, 600


@asynccontextmanager
async def served(
    command: ServerCommand, serving: Serving, log: Path, on_wait: Callable[[float], None] | None = None
) -> AsyncIterator[None]:
    """The server, ready for as long as the block runs; `on_wait` is told the seconds waited for it so far.

    One that another process of ours runs with the same command is used and left running. Raises ConfigurationError
    when the port is taken or the server doesn't get ready, InfraError when it died more often than it may.
    """
    with _mark(command.port).open("a+") as mark:
        process = _Process(command, serving, log, mark)
        try:
            await process.get_ready(on_wait)
            async with _kept_running(process):
                yield
        finally:
            await process.stop()


class _Process:
    """The server at our port: a keeper of ours holds it, or it is borrowed from another process of ours."""

    def __init__(self, command: ServerCommand, serving: Serving, log: Path, mark: TextIO) -> None:
        """`mark` is the port's: whoever holds a lock on it has the port, and its keeper holds on while it lives."""
        self._command, self._serving, self._log, self._mark = command, serving, log, mark
        self._keeper: subprocess.Popen[bytes] | None = None
        self._is_borrowed = False
        self._said_before = 0
        """Size of the log when this server was started."""

    @property
    def ended(self) -> bool:
        if self._is_borrowed:
            return self._lock()
        return self._keeper is None or self._keeper.poll() is not None

    async def get_ready(self, on_wait: Callable[[float], None] | None) -> None:
        """Returns when a server answers: a new one, or the one that is wanted and runs already."""
        began = time.monotonic()
        while not self._lock():
            if self._is_wanted() and await asyncio.to_thread(_answers, self._command.health_url):
                logger.info("port %d: using the server that runs already", self._command.port)
                self._is_borrowed = True
                return
            self._refuse_late(began, on_wait)
            await asyncio.sleep(_POLL_S)
        _refuse_stranger(self._command)
        await self.start(on_wait)

    async def start(self, on_wait: Callable[[float], None] | None = None) -> None:
        """Starts it, the port being ours, and returns when it answers."""
        self._write_mark({"words": self._command.words, "adapters": dict(self._command.adapters)})
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._said_before = self._log.stat().st_size if self._log.exists() else 0
        logger.info("starting %s (log: %s)", self._command, self._log)
        program = [sys.executable, "-P", keeper.__file__, str(self._log), str(self._serving.stop_s)]
        self._keeper = subprocess.Popen(
            [*program, *self._command.argv],
            env={**os.environ, **self._command.env},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[self._mark.fileno()],
            start_new_session=True,  # Ctrl-C at the terminal is ours to answer
        )
        began = time.monotonic()
        while True:
            if self.ended:
                raise ConfigurationError(
                    f"the server ended with exit code {self._keeper.returncode} before it was ready: "
                    f"{self.last_words()}"
                )
            if await asyncio.to_thread(_answers, self._command.health_url):
                return
            self._refuse_late(began, on_wait)
            await asyncio.sleep(_POLL_S)

    async def restart(self, count: int) -> None:
        """Starts a server that died again. Raises InfraError when it died `restarts` times already."""
        self._is_borrowed = False
        code = self._keeper.returncode if self._keeper else None
        if count > self._serving.restarts:
            raise InfraError(f"the server died {count} times, at last with exit code {code}: {self.last_words()}")
        logger.warning("the server died with exit code %s and is started again: %s", code, self.last_words())
        self._let_go()
        try:
            await self.start()
        except ConfigurationError as error:
            if not self.ended:  # one that ended at once has died once more, as when its memory was not free yet
                raise InfraError(f"the server died and did not come back; {error}") from error

    async def stop(self) -> None:
        """Lets requests in flight end, then kills what is left."""
        if self._keeper is None:
            return
        self._write_mark(None)
        self._let_go()
        deadline = time.monotonic() + self._serving.stop_s + _KILL_S
        while not self.ended and time.monotonic() < deadline:
            await asyncio.sleep(_POLL_S / 4)
        self._keeper.kill()
        self._keeper.wait()

    def _let_go(self) -> None:
        """Closes the pipe to the keeper, which ends it."""
        if self._keeper is not None and self._keeper.stdin is not None:
            self._keeper.stdin.close()

    def last_words(self) -> str:
        """The end of what this server wrote."""
        text = ""
        if self._log.exists():
            with self._log.open("rb") as log:
                log.seek(self._said_before)
                text = log.read().decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()][-_TAIL_LINES:]
        return f"{' / '.join(lines)[-_TAIL_LETTERS:] or 'it said nothing'} (log: {self._log})"

    def _lock(self) -> bool:
        try:
            fcntl.flock(self._mark.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _write_mark(self, running: Mapping[str, Any] | None) -> None:
        self._mark.truncate(0)
        self._mark.write("" if running is None else json.dumps(running))
        self._mark.flush()

    def _is_wanted(self) -> bool:
        """Whether the server that has the port is as ours would be; False while it starts or stops.

        Raises ConfigurationError when it is another one.
        """
        self._mark.seek(0)
        text = self._mark.read()
        if not text:
            return False
        running = json.loads(text)
        lacking = [name for name, folder in self._command.adapters.items() if running["adapters"].get(name) != folder]
        if running["words"] != list(self._command.words) or lacking:
            lack = f" without the adapter {lacking[0]}" if lacking else ""
            raise ConfigurationError(
                f"port {self._command.port} has another server of ours{lack} ({' '.join(running['words'])}); stop it, "
                "or give target.endpoint.base_url another port"
            )
        return True

    def _refuse_late(self, began: float, on_wait: Callable[[float], None] | None) -> None:
        waited = time.monotonic() - began
        if waited > self._serving.start_s:
            raise ConfigurationError(
                f"no server answered at port {self._command.port} within {self._serving.start_s:g} s; raise "
                f"serve.start_s or look into the log: {self.last_words()}"
            )
        if on_wait is not None:
            on_wait(waited)


@asynccontextmanager
async def _kept_running(process: _Process) -> AsyncIterator[None]:
    """Starts the server again when it dies during the block; cancels the block when that doesn't help."""
    owner = asyncio.current_task()
    hopeless = False

    async def watch() -> None:
        nonlocal hopeless
        deaths = 0
        while True:
            await asyncio.sleep(_POLL_S)
            if process.ended:
                deaths += 1
                try:
                    await process.restart(deaths)
                except InfraError:
                    hopeless = True
                    if owner is not None:
                        owner.cancel()
                    raise

    watcher = asyncio.create_task(watch())
    try:
        yield
    except asyncio.CancelledError:
        if hopeless and owner is not None:
            owner.uncancel()
            await watcher
        raise
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)


def _mark(port: int) -> Path:
    """File that says whose server has a port of this machine; whoever runs it holds a lock on it."""
    folder = Path(tempfile.gettempdir()) / f"worldloom-servers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{port}.json"


def _refuse_stranger(command: ServerCommand) -> None:
    with closing(socket.socket()) as probe:
        probe.settimeout(1)
        if probe.connect_ex((command.host, command.port)) == 0:
            raise ConfigurationError(
                f"port {command.port} of {command.host} is in use by another server; stop that one, give "
                "target.endpoint.base_url another port, or remove target.serve to use it as it is"
            )


def _answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
