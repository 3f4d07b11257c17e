"""Capability settings say which benchmarks of NeMo Evaluator base and adapter answer, and how: both alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, JsonValue, model_validator

from environment.record import Record


class Benchmark(Record):
    """One benchmark as NeMo Evaluator runs it."""

    task: str = Field(pattern=r"^[\w-]+(\.[\w-]+)?$")
    """As `nemo-evaluator ls` has it: a task, or framework.task where several frameworks have one of that name."""
    score: str | None = None
    """Which of its scores is compared, in [0, 1] and better when higher; None where it has one only."""
    samples: int | None = Field(None, ge=1)
    """Questions of its seeded sample, for harnesses whose `args` can ask for one; None takes all."""
    args: str | None = None
    """Further words for the harness behind it, in place of its own; {seed} and {samples} are filled in."""
    extra: Mapping[str, JsonValue] = {}
    """Further parameters of the framework, over those for all benchmarks."""

    @model_validator(mode="after")
    def _sample_is_asked_for(self) -> Benchmark:
        if self.samples is not None and "{samples}" not in (self.args or ""):
            raise ValueError(
                f"{self.task}: samples is {self.samples} and args doesn't ask the harness for as many; write "
                "--examples {samples} --seed {seed} there, or whatever its words for it are, or remove samples"
            )
        return self


_SEEDED = "--seed {seed}"
SIX = (
    Benchmark(task="simple_evals.mmlu_pro", samples=3000, args=f"--examples {{samples}} {_SEEDED}"),
    Benchmark(task="simple_evals.gpqa_diamond", args=_SEEDED),
    Benchmark(task="simple_evals.math_test_500_nemo", args=_SEEDED),
    Benchmark(task="simple_evals.humaneval", args=_SEEDED),
    Benchmark(task="lm-evaluation-harness.gsm8k_cot_instruct", score="exact_match__flexible-extract"),
    Benchmark(task="lm-evaluation-harness.ifeval", score="prompt_level_strict_acc"),
)
"""Knowledge, science, mathematics, programs, arithmetic in words, and following instructions; none needs a judge."""


class CapabilitySettings(Record):
    """How NeMo Evaluator runs, alike for base and adapter."""

    python: Path
    """Interpreter of the environment that holds nemo-evaluator and the packages of its benchmarks."""
    benchmarks: tuple[Benchmark, ...] = Field(SIX, min_length=1)
    seed: int = Field(ge=0)
    """Of the samples and of what a harness draws, alike for both sides."""
    limit_samples: int | None = Field(None, ge=1)
    """The first so many questions of each benchmark, for a trial; None takes all."""
    parallelism: int = Field(16, ge=1)
    request_timeout: int = Field(600, ge=1)
    """Seconds for one answer; a model that reasons needs more than the harnesses' own."""
    temperature: float | None = Field(None, ge=0)
    """None leaves it to each benchmark, as do the two below."""
    top_p: float | None = Field(None, gt=0, le=1)
    max_new_tokens: int | None = Field(None, ge=1)
    extra: Mapping[str, JsonValue] = {}
    """Further parameters of the frameworks (`config.params.extra`)."""

    @model_validator(mode="after")
    def _benchmarks_differ(self) -> CapabilitySettings:
        tasks = [benchmark.task for benchmark in self.benchmarks]
        twice = next((task for task in tasks if tasks.count(task) > 1), None)
        if twice:
            raise ValueError(f"benchmarks has {twice} twice; name each once")
        return self
