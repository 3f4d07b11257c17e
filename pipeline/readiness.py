"""Readiness is looked into before anything is written: a benchmark that can be read, a target that answers."""

from __future__ import annotations

import asyncio

from assets.generation import STAGES
from assets.stages.sampling import command_to_serve, weights_folder
from decontam.readers.sources import load_benchmark
from evaluation.capability.runner import evaluator_versions
from pipeline.bad_input import BadInput
from pipeline.engagement import Engagement
from pipeline.reuse import source_of
from pipeline.store import Store

_SAMPLING = STAGES.index("calibrated_tasks")
"""The first stage that asks the target."""
_ADAPTED = STAGES.index("evaluation_report")
"""The first stage that asks for the adapter."""
_CAPABILITY = STAGES.index("capability_report")


def refuse_unready(store: Store, engagement: Engagement, until: str) -> None:
    """Raises ValueError with the remedy when a run up to `until` is bound to fail."""
    source_of(store, engagement)
    load_benchmark(store.benchmark_paths(engagement))
    if STAGES.index(until) < _SAMPLING:
        return
    target, capability = engagement.target, engagement.evaluation.capability
    if capability is not None and STAGES.index(until) >= _CAPABILITY:
        evaluator_versions(capability)
    if target.kind == "chat" and target.serve is not None:
        command_to_serve(target)  # the server itself is started, and asked, when a stage needs it
        if target.serve.kind == "transformers" and STAGES.index(until) >= _ADAPTED:
            raise BadInput(
                "target.serve: transformers serve has no adapters, so that base and adapter can't be compared through "
                "it; stop at `worldloom train`, or use kind vllm"
            )
        return
    if target.kind == "chat":
        from environment.policies.chat import ChatPolicy  # only who asks an endpoint pays for its client

        asyncio.run(ChatPolicy(target.endpoint).probe())
        return
    folder = weights_folder(target)
    if not (folder / "config.json").is_file():
        raise BadInput(f"target.model: there is no model in {folder}; give a folder with config.json and weights")
