"""A target is served by the run itself: `transformers serve`, a real server, with the reference policy behind it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.conftest import WEIGHTS
from tests.pipeline.small import SMALL, changed, write

if not all(map(find_spec, ("transformers", "uvicorn", "fastapi"))):
    pytest.skip("the extra `serve` (transformers[serving]) is not installed", allow_module_level=True)
if not WEIGHTS.exists():
    pytest.skip("the reference policy's weights are not in this checkout", allow_module_level=True)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def engagement(folder: Path, port: int, **serve: Any) -> Path:
    """The small engagement with its model behind a server that is started for it."""
    weights = str(WEIGHTS.parent)
    target = {
        "kind": "chat",
        "label": "a small model",
        "adapter_model": "adapter",
        "weights": weights,
        "endpoint": {
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model": weights,
            "revision": "shipped",
            "temperature": 1.0,
            "max_tokens": 96,
        },
        "limits": SMALL["target"]["limits"],
        "serve": {"kind": "transformers", "extra_args": ["--device", "cpu"], "stop_s": 5, **serve},
    }
    return write(
        folder / "served.yaml",
        changed(("target", target), ("calibration.max_attempts", 8), ("calibration.max_batches", 0)),
    )


def servers(port: int) -> list[int]:
    """Processes whose command line names the port."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"serve" in words and str(port).encode() in words:
            found.append(int(path.parent.name))
    return found


def test_calibration_starts_the_server_samples_through_it_and_stops_it(tmp_path: Path) -> None:
    port = free_port()
    path, store = engagement(tmp_path, port), tmp_path / "store"
    done = worldloom(store, "calibrate", str(path), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["stages"]["calibrated_tasks"]["state"] == "done"
    stage = store / "served" / "g1" / "calibrated_tasks"
    facts = json.loads((stage / "manifest.json").read_text())["facts"]
    assert (facts["attempts"], facts["unscored"]) == (8, 0)
    assert (stage / "server.log").stat().st_size > 0
    probe = json.loads((stage / f"ledger/probe.{facts['policy']}.json").read_text())
    assert [one["base_url"] for one in probe["addresses"]] == [f"http://127.0.0.1:{port}/v1"]
    assert servers(port) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_no_server_outlives_a_run_that_is_interrupted_or_killed(tmp_path: Path, number: signal.Signals) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline.cli", "calibrate", str(engagement(tmp_path, port))],
        cwd=ROOT,
        env=environment(tmp_path / "store"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while len(servers(port)) < 2 and process.poll() is None:  # the keeper's own command line names the port too
        time.sleep(0.05)
    os.killpg(process.pid, number)
    _, said = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130, said
        assert said.endswith("worldloom: interrupted; the same command goes on from here\n")
    deadline = time.monotonic() + 10
    while servers(port) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert servers(port) == []


def test_a_server_that_cannot_start_ends_the_run_with_its_last_words(tmp_path: Path) -> None:
    path = engagement(tmp_path, free_port(), extra_args=["--no-such-option"])
    done = worldloom(tmp_path / "store", "calibrate", str(path))
    assert done.returncode == 2
    assert "worldloom: the server ended with exit code 2 before it was ready: " in done.stderr
    log = tmp_path / "store/served/g1/calibrated_tasks/server.log"
    assert done.stderr.endswith(f"(log: {log})\n") and "--no-such-option" in log.read_text()
    assert "Traceback" not in done.stderr


def test_the_command_is_printed_and_the_doctor_shows_it(tmp_path: Path) -> None:
    path = engagement(tmp_path, 8123)
    printed = worldloom(tmp_path / "store", "serve", str(path), "--print")
    assert printed.returncode == 0, printed.stderr
    program = Path(sys.executable).with_name("transformers")
    assert printed.stdout == f"{program} serve {WEIGHTS.parent} --host 127.0.0.1 --port 8123 --device cpu\n"
    examined = json.loads(worldloom(tmp_path / "store", "doctor", str(path), "--json").stdout)
    server = next(one for one in examined if one["name"] == "server")
    assert (server["passed"], server["finding"]) == (True, printed.stdout.strip())


def test_what_cannot_be_served_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    store = tmp_path / "store"
    without = worldloom(store, "serve", "laptop")
    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert "laptop names no server to start; add target.serve" in without.stderr
    missing = worldloom(store, "calibrate", str(engagement(tmp_path, 8123, program="/no/program")))
    assert missing.returncode == 2 and "set serve.program to its path" in missing.stderr
    whole = worldloom(store, "run", str(engagement(tmp_path, 8123)))
    assert whole.returncode == 2 and "transformers serve has no adapters" in whole.stderr
    assert not (store / "served").exists()
