"""A keeper is the process between us and a server: it ends the server, with all its children, when we are gone.

`python keeper.py LOG STOP_S PROGRAM ARGUMENT...`, with a pipe of ours as its standard input.
However we end, the pipe closes; the keeper then asks the server to stop, and kills what is left of it after STOP_S
seconds. It ends with the server's exit code.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time

_SET_PARENT_DEATH_SIGNAL = 1
_POLL_S = 0.1


def main() -> int:
    """Runs the server until it ends or its owner does."""
    path, stop_s, *words = sys.argv[1:]
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        server = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=_tie
        )
    except OSError as error:
        os.write(log, f"{words[0]} cannot be started: {error.strerror}\n".encode())
        return 127
    try:
        while server.poll() is None and not select.select([sys.stdin], [], [], _POLL_S)[0]:
            pass
    finally:
        _end(server, float(stop_s))
    return server.returncode if server.returncode >= 0 else 128 - server.returncode


def _end(server: subprocess.Popen[bytes], stop_s: float) -> None:
    """Ends the server's whole process group: its own children outlive it otherwise, and hold the GPUs."""
    deadline = time.monotonic() + stop_s
    _signal(server.pid, signal.SIGTERM)
    while server.poll() is None and time.monotonic() < deadline:
        time.sleep(_POLL_S / 2)
    _signal(server.pid, signal.SIGKILL)
    server.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of it has ended
        os.killpg(group, number)


def _tie() -> None:
    """Should the keeper itself be killed, the server goes with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _interrupted(*_: object) -> None:
    raise SystemExit(128 + signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
