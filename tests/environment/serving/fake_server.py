"""A program in the place of `vllm`: a real HTTP server without a model, told by its environment how to misbehave.

It notes its process id, and that of a child that outlives it, in the file PIDS.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Health(BaseHTTPRequestHandler):
    """Answers every GET once the server is warm."""

    def do_GET(self) -> None:
        self.send_response(200 if time.monotonic() > WARM_AT else 503)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def main() -> None:
    host, port = (sys.argv[sys.argv.index(name) + 1] for name in ("--host", "--port"))
    print("loading weights", flush=True)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with Path(os.environ["PIDS"]).open("a") as pids:
        pids.write(f"{os.getpid()} {child.pid}\n")
    if "CRASH" in os.environ:
        print("CUDA out of memory", flush=True)
        raise SystemExit(3)
    if "STUBBORN" in os.environ:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ThreadingHTTPServer((host, int(port)), Health).serve_forever()


WARM_AT = time.monotonic() + float(os.environ.get("WARM_S", "0"))

if __name__ == "__main__":
    main()
