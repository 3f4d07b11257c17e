"""A server of ours is started, used, kept running, stopped, and never outlives us: real processes throughout."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from environment.policies.policy import ConfigurationError, InfraError
from environment.serving.command import ServerCommand, server_command
from environment.serving.server import _answers, served
from environment.serving.settings import Serving

ROOT = Path(__file__).parents[3]
FAKE = Path(__file__).with_name("fake_server.py")


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fake(tmp_path: Path, port: int, name: str = "m", **env: str) -> tuple[ServerCommand, Serving]:
    """The command of a fake server, whose process ids `pids` tells."""
    program, folder = tmp_path / "vllm", tmp_path / "model"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} "$@"\n')
    program.chmod(0o755)
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    serving = Serving(
        kind="vllm",
        program=str(program),
        tool_parser="hermes",
        env={"PIDS": str(tmp_path / "pids"), **env},
        start_s=20,
        stop_s=1,
        restarts=1,
    )
    return server_command(serving, base_url=f"http://127.0.0.1:{port}/v1", model=name, weights=folder), serving


def pids(tmp_path: Path) -> list[int]:
    """Processes of all servers so far: each server, then its child."""
    path = tmp_path / "pids"
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def all_ended(tmp_path: Path, within_s: float = 10) -> bool:
    deadline = time.monotonic() + within_s
    while any(map(lives, pids(tmp_path))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(lives, pids(tmp_path)))


def use(tmp_path: Path, port: int, **env: str) -> list[bool]:
    """Whether it answered while it was used, and whether it did afterwards."""
    command, serving = fake(tmp_path, port, **env)

    async def work() -> bool:
        async with served(command, serving, tmp_path / "server.log"):
            return _answers(command.health_url)

    return [asyncio.run(work()), _answers(command.health_url)]


def test_a_server_answers_while_it_is_used_and_leaves_no_process(tmp_path: Path) -> None:
    assert use(tmp_path, free_port(), WARM_S="0.3") == [True, False]
    assert len(pids(tmp_path)) == 2 and all_ended(tmp_path)


def test_a_server_that_ignores_the_request_to_stop_is_killed_with_its_children(tmp_path: Path) -> None:
    assert use(tmp_path, free_port(), STUBBORN="1") == [True, False]
    assert all_ended(tmp_path)


def test_a_server_that_ends_at_once_is_reported_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"exit code 3 before it was ready: .*CUDA out of memory \(log: "):
        use(tmp_path, free_port(), CRASH="1")
    assert all_ended(tmp_path)


def test_a_server_that_never_gets_ready_is_given_up_and_stopped(tmp_path: Path) -> None:
    command, serving = fake(tmp_path, free_port(), WARM_S="60")
    waits: list[float] = []

    async def work() -> None:
        async with served(command, serving.model_copy(update={"start_s": 0.7}), tmp_path / "log", waits.append):
            pytest.fail("it is not ready")

    with pytest.raises(ConfigurationError, match=r"no server answered at port \d+ within 0.7 s.*loading weights"):
        asyncio.run(work())
    assert waits and max(waits) < 2
    assert all_ended(tmp_path)


def test_a_port_of_somebody_else_is_refused(tmp_path: Path) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(ConfigurationError, match="in use by another server; stop that one"):
            use(tmp_path, other.getsockname()[1])
    assert pids(tmp_path) == []


def test_our_own_running_server_is_used_and_not_stopped_by_whoever_borrowed_it(tmp_path: Path) -> None:
    command, serving = fake(tmp_path, free_port())

    async def work() -> bool:
        async with served(command, serving, tmp_path / "log"):
            async with served(command, serving, tmp_path / "other-log"):
                assert _answers(command.health_url)
            return _answers(command.health_url)

    assert asyncio.run(work())
    assert len(pids(tmp_path)) == 2
    assert all_ended(tmp_path)


def test_our_own_server_with_another_model_is_refused_by_name(tmp_path: Path) -> None:
    port = free_port()
    command, serving = fake(tmp_path, port)
    other, _ = fake(tmp_path, port, name="another")

    async def work() -> None:
        async with served(command, serving, tmp_path / "log"), served(other, serving, tmp_path / "other-log"):
            pytest.fail("it serves another model")

    with pytest.raises(ConfigurationError, match=rf"port {port} has another server of ours \(.*--served-model-name m "):
        asyncio.run(work())


def test_a_borrower_starts_a_server_of_its_own_when_the_owner_stops(tmp_path: Path) -> None:
    command, serving = fake(tmp_path, free_port())

    async def borrow(begun: asyncio.Event, left: asyncio.Event) -> bool:
        async with served(command, serving, tmp_path / "other-log"):
            begun.set()
            await left.wait()
            for _ in range(100):
                if len(pids(tmp_path)) == 4 and await asyncio.to_thread(_answers, command.health_url):
                    return True
                await asyncio.sleep(0.1)
            return False

    async def work() -> bool:
        begun, left = asyncio.Event(), asyncio.Event()
        async with served(command, serving, tmp_path / "log"):
            borrower = asyncio.create_task(borrow(begun, left))
            await begun.wait()
        left.set()
        return await borrower

    assert asyncio.run(work())
    assert all_ended(tmp_path)


def test_a_server_that_dies_is_started_again_and_given_up_the_second_time(tmp_path: Path) -> None:
    command, serving = fake(tmp_path, free_port())

    async def work() -> None:
        async with served(command, serving, tmp_path / "log"):
            for deaths in (1, 2):
                os.kill(pids(tmp_path)[-2], signal.SIGKILL)
                for _ in range(100):
                    if len(pids(tmp_path)) == 2 * deaths + 2 and await asyncio.to_thread(_answers, command.health_url):
                        break
                    await asyncio.sleep(0.1)
                await asyncio.sleep(0.5)  # until it is taken to be ready
            pytest.fail("it was started a third time")

    with pytest.raises(InfraError, match="the server died 2 times, at last with exit code 137"):
        asyncio.run(work())
    assert len(pids(tmp_path)) == 4
    assert all_ended(tmp_path)


OWNER = """
import asyncio, sys
from pathlib import Path
from tests.environment.serving.test_server import fake, served
async def work():
    command, serving = fake(Path(sys.argv[1]), int(sys.argv[2]))
    async with served(command, serving, Path(sys.argv[1]) / "log"):
        print("ready", flush=True)
        await asyncio.sleep(600)
asyncio.run(work())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_server_ends_with_its_owner_however_that_ends(tmp_path: Path, number: signal.Signals) -> None:
    words: list[Any] = [sys.executable, "-c", OWNER, tmp_path, free_port()]
    with subprocess.Popen([*map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as owner:
        assert owner.stdout and owner.stdout.readline() == b"ready\n"
        assert all(map(lives, pids(tmp_path)))
        owner.send_signal(number)
    assert all_ended(tmp_path)


def test_a_server_ends_with_its_keeper(tmp_path: Path) -> None:
    command, serving = fake(tmp_path, free_port())

    async def work() -> None:
        async with served(command, serving.model_copy(update={"restarts": 0}), tmp_path / "log"):
            keeper = int(Path(f"/proc/{pids(tmp_path)[0]}/stat").read_text().rpartition(") ")[2].split()[1])
            os.kill(keeper, signal.SIGKILL)
            await asyncio.sleep(20)

    with pytest.raises(InfraError, match="died 1 times"):
        asyncio.run(work())
    assert not lives(pids(tmp_path)[0])
    os.kill(pids(tmp_path)[1], signal.SIGKILL)
