"""The capability stage asks base and adapter the benchmarks of NeMo Evaluator; it does nothing where none are named."""

import json
from collections.abc import Mapping
from pathlib import Path

from assets.files import file_record, read_record, write_rows, write_text
from assets.generation import FellShort, Generation, Product
from assets.manifest import FileRecord, Manifest
from assets.stages.sampling import run_async, target_served
from assets.stages.training import STAGE as ADAPTER
from assets.stages.training import read_adapter
from environment.policies.target import ChatTarget
from evaluation.capability.comparison import CapabilityComparison, compare_capability
from evaluation.capability.report import render_capability
from evaluation.capability.results import read_results
from evaluation.capability.runner import Answering, CapabilityError, answer_benchmarks, evaluator_versions
from evaluation.capability.settings import CapabilitySettings

STAGE = "capability_report"
RESULTS = "nemo_evaluator"
"""Folder of what NeMo Evaluator left."""
NOT_ASKED_FOR = "not asked for: the engagement has no evaluation.capability"
_KEPT = (".yml", ".json", ".jsonl", ".html")
"""What its results are made of; its caches are left out."""


def check_capability(generation: Generation) -> Manifest:
    """The comparison as a page and as JSON; killed at any moment, it goes on with the benchmarks that are missing."""

    def make(folder: Path) -> Product:
        settings, target = generation.engagement.evaluation.capability, generation.engagement.target
        if settings is None or target.kind == "local":
            return Product(files={}, rows_in=0, rows_out=0, facts={"capability": NOT_ASKED_FOR})
        versions = evaluator_versions(settings)
        found = run_async(_compared(generation, settings, target, folder / RESULTS))
        tested = [row for row in found.rows if row.outcome != "untested"]
        provenance = {
            "Engagement": generation.key,
            "Seed of samples": str(settings.seed),
            **{name: f"version {version}" for name, version in versions.items()},
            "Commands": f"{RESULTS}/base/commands.jsonl, {RESULTS}/adapter/commands.jsonl",
            "Adapter": f"sha256 {read_adapter(generation)[1]}",
        }
        links = {"evaluation report": "../evaluation_report/report.html"}
        page = render_capability(f"Capability: {generation.key}", found, provenance, links)
        return Product(
            files={
                "differences.jsonl": write_rows(folder / "differences.jsonl", (row.to_json() for row in found.rows)),
                "report.json": write_text(folder / "report.json", json.dumps(found.to_json(), indent=1)),
                "report.html": write_text(folder / "report.html", page),
                **_left(folder),
            },
            rows_in=len(found.rows),
            rows_out=len(tested),
            dropped={"untested": len(found.rows) - len(tested)},
            facts={"capability": found.verdict},
        )

    return generation.produce(STAGE, make, upstream=(ADAPTER,))


def read_capability(generation: Generation) -> CapabilityComparison | None:
    """The comparison as it was reported; None where none was asked for."""
    if generation.manifest(STAGE).facts["capability"] == NOT_ASKED_FOR:
        return None
    return read_record(generation.folder(STAGE) / "report.json", CapabilityComparison)


async def _compared(
    generation: Generation, settings: CapabilitySettings, target: ChatTarget, folder: Path
) -> CapabilityComparison:
    endpoint = target.endpoint
    scores = {one.task: one.score for one in settings.benchmarks if one.score}
    sides = []
    async with target_served(generation, STAGE, adapter=read_adapter(generation)[0]):
        for name, model in (("base", endpoint.model), ("adapter", target.adapter_model)):

            def tell(done: int, total: int, name: str = name) -> None:
                generation.tell(STAGE, done, total, f"benchmarks of the {name}")

            side = Answering(name, endpoint.base_url, model, endpoint.api_key_variable)
            try:
                found = read_results(await answer_benchmarks(settings, side, folder, tell), scores)
            except CapabilityError as error:
                raise FellShort(str(error)) from None
            sides.append({one.task: found[one.task] for one in settings.benchmarks})
    return compare_capability(*sides, seed=generation.seed, common=True)


def _left(folder: Path) -> Mapping[str, FileRecord]:
    """What NeMo Evaluator left: results, answers, what it was asked and the commands."""
    paths = sorted(path for path in (folder / RESULTS).rglob("*") if path.suffix in _KEPT and path.is_file())
    return {str(path.relative_to(folder)): file_record(path, is_content=False) for path in paths}
