"""The doctor says whether this machine can run an engagement, and what to do where it can't."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from assets.files import file_hash
from assets.stages.sampling import REFERENCE_POLICY, command_to_serve, weights_folder
from decontam.readers.sources import load_benchmark
from decontam.scored_set import shortfalls
from environment.policies.target import ChatTarget, LocalTarget
from environment.record import Record
from evaluation.capability.runner import evaluator_versions
from evaluation.capability.settings import CapabilitySettings
from pipeline.engagement import Engagement, load_engagement
from pipeline.store import BENCHMARK_VARIABLE, Store, store_root

_TRAINING = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")


class Examined(Record):
    """One thing that was looked at."""

    name: str
    passed: bool
    finding: str
    is_warning: bool = False
    """Passed, but a person should look."""


def examine(name_or_path: str) -> tuple[Examined, ...]:
    """Everything that the engagement needs, in the order in which it is needed."""
    engagement = load_engagement(name_or_path)
    store = Store(store_root())
    return (
        _python(),
        _packages(),
        Examined(name="engagement", passed=True, finding=f"{engagement.name}, hash {engagement.hash[:16]}"),
        _store(store.root),
        *_benchmarks(store, engagement),
        _weights(engagement.target),
        *_endpoint(engagement.target),
        *_capability(engagement.evaluation.capability),
    )


def examination_text(found: tuple[Examined, ...]) -> str:
    """The findings as text."""
    marks = {one: "MISS" if not one.passed else "WARN" if one.is_warning else "ok  " for one in found}
    return "\n".join(f"{mark}  {one.name}: {one.finding}" for one, mark in marks.items())


def _python() -> Examined:
    version = ".".join(map(str, sys.version_info[:3]))
    return Examined(name="python", passed=sys.version_info >= (3, 11), finding=f"{version}; 3.11 or newer is needed")


def _packages() -> Examined:
    missing = [name for name in _TRAINING if importlib.util.find_spec(name) is None]
    finding = f"missing {', '.join(missing)}; pip install 'worldloom[train]'" if missing else "all there"
    return Examined(name="packages for training", passed=not missing, finding=finding)


def _store(root: Path) -> Examined:
    place = next(path for path in (root, *root.parents) if path.exists())
    writable = os.access(place, os.W_OK)
    return Examined(name="store", passed=writable, finding=f"{root} is {'' if writable else 'not '}writable")


def _benchmarks(store: Store, engagement: Engagement) -> Iterator[Examined]:
    """Every benchmark that is read, and what is missing of it."""
    try:
        benchmark = load_benchmark(store.benchmark_paths(engagement))
    except ValueError as error:
        yield Examined(name="benchmark", passed=False, finding=str(error))
        return
    if benchmark.is_stand_in:
        finding = f"none: invented tasks stand in for it; set {BENCHMARK_VARIABLE} or worldloom benchmark import SOURCE"
        yield Examined(name="benchmark", passed=True, finding=finding, is_warning=True)
        return
    for source in benchmark.sources:
        finding = f"{sum(source.counts.values())} tasks in {source.source} ({source.name}, {source.version})"
        yield Examined(name="benchmark", passed=True, finding=finding)
    for sentence in shortfalls(benchmark):
        yield Examined(name="benchmark", passed=True, finding=sentence, is_warning=True)


def _weights(target: LocalTarget | ChatTarget) -> Examined:
    folder = weights_folder(target)
    weights = sorted(folder.glob("*.safetensors"))
    if not (folder / "config.json").is_file() or not weights:
        finding = f"no model in {folder}; training and local sampling need config.json and *.safetensors there"
        return Examined(name="weights", passed=False, finding=finding)
    if target.kind == "local" and target.model == REFERENCE_POLICY:
        stated = json.loads((folder / "recipe.json").read_text(encoding="utf-8"))["weights_sha256"]
        if file_hash(folder / "model.safetensors") != stated:
            finding = f"{folder}/model.safetensors is not what recipe.json describes; restore it from the repository"
            return Examined(name="weights", passed=False, finding=finding)
    return Examined(name="weights", passed=True, finding=f"{len(weights)} files in {folder}")


def _endpoint(target: LocalTarget | ChatTarget) -> Iterator[Examined]:
    if target.kind == "local":
        return
    if target.serve is not None:
        yield _server(target)
        return
    from environment.policies.chat import ChatPolicy

    try:
        asyncio.run(ChatPolicy(target.endpoint).probe())
    except ValueError as error:
        yield Examined(name="endpoint", passed=False, finding=str(error))
    else:
        yield Examined(name="endpoint", passed=True, finding=f"{target.endpoint.base_url} parses tool calls")


def _capability(settings: CapabilitySettings | None) -> Iterator[Examined]:
    if settings is None:
        return
    try:
        versions = evaluator_versions(settings)
    except ValueError as error:
        yield Examined(name="capability check", passed=False, finding=str(error))
    else:
        finding = ", ".join(f"{name} {version}" for name, version in versions.items())
        yield Examined(name="capability check", passed=True, finding=finding)


def _server(target: ChatTarget) -> Examined:
    """The command is built and checked, not run."""
    try:
        command = command_to_serve(target)
    except ValueError as error:
        return Examined(name="server", passed=False, finding=str(error))
    no_gpu = target.serve is not None and target.serve.kind == "vllm" and not Path("/dev/nvidiactl").exists()
    here = "no GPU here, so it can't run on this machine: " if no_gpu else ""
    return Examined(name="server", passed=True, finding=f"{here}{command}")
