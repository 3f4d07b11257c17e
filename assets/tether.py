"""A tether ends a child process with its parent, so that a killed run leaves nothing behind that goes on writing.

`python -m assets.tether LOG MODULE ARGUMENT...` runs a module on a tether, its output appended to a log file.
"""

import ctypes
import os
import runpy
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1


def tie() -> None:
    """Ties this process to its parent; where the kernel has no such call (outside Linux) nothing happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def main() -> None:
    """Runs the module that the arguments name."""
    tie()
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.argv = sys.argv[2:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
