"""A capability check on existing results reads what NeMo Evaluator left of two models and writes the report on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from assets.files import file_hash, write_text
from evaluation.capability.comparison import CapabilityComparison, compare_capability
from evaluation.capability.report import render_capability
from evaluation.capability.results import FILE, read_results
from pipeline.bad_input import BadInput

SEED = "capability"
"""Of the resamples: the same files give the same report."""


def compare_results(
    base: Path, adapter: Path, *, scores: Sequence[str] = (), common: bool = False, allow: Sequence[str] = ()
) -> CapabilityComparison:
    """Two sides' results below their folders; `scores` holds TASK=SCORE for tasks with several.

    Raises ValueError or BadInput with one sentence for what is no result or cannot be compared.
    """
    chosen = _chosen(scores)
    sides = [read_results(folder, chosen) for folder in (base, adapter)]
    return compare_capability(*sides, seed=SEED, common=common, allow=allow)


def write_report(found: CapabilityComparison, base: Path, adapter: Path, folder: Path) -> Path:
    """Writes report.html and report.json into the folder and returns the page's path."""
    provenance = {
        f"{name}: {path.relative_to(side)}": f"sha256 {file_hash(path)}"
        for name, side in (("Base", base), ("Adapter", adapter))
        for path in sorted(side.rglob(FILE))
    }
    page = render_capability(f"Capability: {found.adapter_model} against {found.base_model}", found, provenance)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "report.json", json.dumps(found.to_json(), indent=1))
        write_text(folder / "report.html", page)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error}); give another folder with --out") from None
    return folder / "report.html"


def _chosen(scores: Sequence[str]) -> Mapping[str, str]:
    chosen = {}
    for given in scores:
        task, equals, score = given.partition("=")
        if not (task and equals and score):
            raise BadInput(f"--score {given} names no score; write it as TASK=SCORE, such as mmlu=score/micro")
        chosen[task] = score
    return chosen
