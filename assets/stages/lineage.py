"""The lineage stage writes down which artifact was made from which, and which updates used which task."""

import json
from pathlib import Path
from typing import Any

from assets.files import write_rows, write_text
from assets.generation import STAGES, Generation, Product, batch_name
from assets.manifest import Manifest
from assets.stages.training import plan_of

STAGE = "lineage_manifest"


def write_lineage(generation: Generation) -> Manifest:
    """One row an artifact and one a trained task."""

    def make(folder: Path) -> Product:
        artifacts = _artifacts(generation)
        trained = _trained(generation)
        summary = {"generation": generation.key, "seed": generation.seed, "artifacts": artifacts}
        return Product(
            files={
                "artifacts.jsonl": write_rows(folder / "artifacts.jsonl", artifacts),
                "trained.jsonl": write_rows(folder / "trained.jsonl", trained),
                "lineage.json": write_text(folder / "lineage.json", json.dumps(summary, indent=1)),
            },
            rows_in=len(artifacts),
            rows_out=len(artifacts),
            facts={"trained_tasks": len(trained)},
        )

    return generation.produce(STAGE, make, upstream=tuple(stage for stage in STAGES if stage != STAGE))


def _artifacts(generation: Generation) -> list[dict[str, Any]]:
    found = []
    for stage in STAGES:
        if stage == STAGE:
            continue
        for batch in (0, *generation.batches(stage)):
            manifest = generation.manifest(stage, batch)
            found.append(
                {
                    "artifact": batch_name(stage, batch),
                    "content_hash": manifest.content_hash,
                    "rows_in": manifest.rows_in,
                    "rows_out": manifest.rows_out,
                    "dropped": dict(manifest.dropped),
                    "upstream": dict(manifest.upstream),
                }
            )
    return found


def _trained(generation: Generation) -> list[dict[str, Any]]:
    """Trained task -> the updates that used it."""
    updates: dict[str, list[int]] = {}
    for number, batch in enumerate(plan_of(generation).updates, start=1):
        for task_id in batch:
            updates.setdefault(task_id, []).append(number)
    return [{"task_id": task_id, "updates": updates[task_id]} for task_id in sorted(updates)]
