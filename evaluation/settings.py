"""Evaluation settings say how often and how base and adapter attempt the held-out tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from environment.record import Record
from evaluation.capability.settings import CapabilitySettings


class HarnessSettings(Record):
    """How AutomationBench's own harness runs, alike for base and adapter."""

    python: Path
    """Interpreter (3.13 or newer) whose environment holds the package automation-bench."""
    toolset: Literal["api", "zapier", "limited_zapier"] = "api"
    max_steps: int = Field(50, ge=1)
    max_concurrent: int = Field(16, ge=1)
    reasoning_effort: str | None = None
    batch: int = Field(20, ge=1)
    """Tasks a call of the harness: what an interruption loses at most, since it writes its results at its end."""
    retries: int = Field(2, ge=0)
    """Further calls for the tasks of an attempt that infrastructure errors left unscored."""
    monitored: Path | None = None
    """Text file with the tasks that decisions were taken on, one name a line."""
    flags: Path | None = None
    """CSV with the columns `task` and `set`: tasks whose grading is in doubt."""
    extra: tuple[str, ...] = ()
    """Further words of the command line."""


class EvaluationSettings(Record):
    """Attempts on the held-out tasks, and on AutomationBench where a harness is named; both sides get the same."""

    attempts: int = Field(ge=1)
    """Of each side on each task; the study's is 3."""
    temperature: float = Field(gt=0)
    other_temperatures: tuple[float, ...]
    """At which the base is sampled too, so that a gain from mere sharpening shows; at 0 one attempt a task is made."""
    published: Path | None = None
    """YAML list of published scores for the comparison table; None takes those that ship with the package."""
    harness: HarnessSettings | None = None
    """With it AutomationBench is attempted too; needs a target behind an endpoint."""
    capability: CapabilitySettings | None = None
    """With it the benchmarks of NeMo Evaluator are asked before and after training; needs such a target too."""

    @model_validator(mode="after")
    def _temperatures_differ(self) -> EvaluationSettings:
        temperatures = (self.temperature, *self.other_temperatures)
        if len(set(temperatures)) < len(temperatures) or min(temperatures) < 0:
            raise ValueError(
                f"the base is sampled at {list(temperatures)}; give temperatures of at least 0 that differ from each "
                "other and from evaluation.temperature"
            )
        return self

    def attempts_at(self, temperature: float) -> int:
        """Attempts a task at this temperature; greedy decoding repeats itself."""
        return 1 if temperature == 0 else self.attempts
