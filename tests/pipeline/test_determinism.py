"""The same engagement gives the same tasks and verdicts in another process with another hash seed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.pipeline.command import worldloom
from tests.pipeline.small import write


def test_tasks_and_verdicts_do_not_depend_on_the_process(tmp_path: Path) -> None:
    path = write(tmp_path / "small.yaml")
    versions, files = [], []
    for hash_seed in ("1", "2"):
        store = tmp_path / hash_seed
        done = worldloom(store, "decontaminate", str(path), "--json", PYTHONHASHSEED=hash_seed)
        assert done.returncode == 0, done.stderr
        stages = json.loads(done.stdout)["stages"]
        versions.append({name: stage["data_version"] for name, stage in stages.items()})
        root = store / "small" / "g1"
        files.append({path.relative_to(root): path.read_bytes() for path in root.rglob("*.jsonl")})
    assert versions[0] == versions[1]
    assert files[0] == files[1]
    assert len(files[0]) == 6
