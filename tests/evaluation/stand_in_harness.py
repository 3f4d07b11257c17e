"""A stand-in for AutomationBench's program, with its command line and its export, and failures on request.

It stands as `bin/auto-bench` beside `bin/python` in an environment of its own; `wishes.json` there says which call
crashes, which tasks lose their attempt to an infrastructure error, and which rows are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser()
    for flag in ("model", "base-url", "api-key", "toolset", "domains", "tasks", "max-steps", "max-concurrent"):
        parser.add_argument(f"--{flag}", required=True)
    parser.add_argument("--reasoning-effort")
    parser.add_argument("--export-json", required=True)
    given = parser.parse_args()
    wishes = json.loads((HERE / "wishes.json").read_text())
    calls = HERE / "calls.jsonl"
    number = len(calls.read_text().splitlines()) if calls.exists() else 0
    with calls.open("a") as file:
        file.write(json.dumps({"tasks": given.tasks, "model": given.model, "key": given.api_key}) + "\n")
    time.sleep(wishes.get("seconds", 0))
    if number in wishes.get("crash", []):
        print("RuntimeError: out of disk", file=sys.stderr)
        return 1
    rows = []
    for place, name in enumerate(given.tasks.split(","), 1):
        digest = hashlib.sha256(f"{name} {given.model}".encode()).digest()[0]
        row = {"id": place, "name": name, "score": digest % 2, "passed": bool(digest % 2), "num_model_calls": 3}
        if wishes.get("lose", {}).get(name, -1) >= number:
            row |= {"score": 0.0, "passed": False, "error": "APIConnectionError"}
        if name not in wishes.get("omit", []):
            rows.append(row)
    meta = {"model": given.model, "toolset": given.toolset, "benchmark_version": "1.0.5", "run": number}
    Path(given.export_json).write_text(json.dumps({"meta": meta, "tasks": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
