"""A serving is how an engagement starts the server of its own target: vLLM, or `transformers serve` where small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator, model_validator

from environment.record import Record

OURS = (
    *("--host", "--port", "--served-model-name", "--tensor-parallel-size", "--data-parallel-size", "--max-model-len"),
    *("--max-num-seqs", "--gpu-memory-utilization", "--enable-auto-tool-choice", "--tool-call-parser"),
    *("--reasoning-parser", "--enable-lora", "--max-loras", "--max-lora-rank", "--lora-modules"),
)
"""Arguments that the settings decide."""


class Serving(Record):
    """The server's program and its settings; host and port are those of the endpoint's base_url."""

    kind: Literal["vllm", "transformers"]
    program: str | None = None
    """Its executable; None for the one of that name beside this Python, else on the path."""
    tensor_parallel: int = Field(1, ge=1)
    """GPUs that one copy of the model is spread over."""
    data_parallel: int = Field(1, ge=1)
    """Copies of the model."""
    max_model_len: int | None = Field(None, ge=1)
    """Context length in tokens, None for the model's own."""
    max_num_seqs: int | None = Field(None, ge=1)
    gpu_memory_utilization: float | None = Field(None, gt=0, le=1)
    tool_parser: str | None = None
    """None for the one that the model's chat template asks for."""
    reasoning_parser: str | None = None
    """None for the one that the model's chat template asks for, if any."""
    adapters: Mapping[str, str] = {}
    """LoRA adapters besides the trained one: id at the endpoint -> folder."""
    extra_args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    """Environment variables besides this process's own; never secrets."""
    start_s: float = Field(1800, gt=0)
    """Until it must answer; large weights take minutes to load."""
    stop_s: float = Field(30, ge=0)
    """Granted to requests in flight before it is killed."""
    restarts: int = Field(3, ge=0)
    """How often a server that dies in the middle of a stage is started again."""

    @field_validator("extra_args")
    @classmethod
    def _leaves_ours_alone(cls, extra_args: tuple[str, ...]) -> tuple[str, ...]:
        taken = [word for word in extra_args if word.partition("=")[0] in OURS]
        if taken:
            raise ValueError(f"{taken[0]} follows from the other settings; remove it from extra_args and set those")
        return extra_args

    @model_validator(mode="after")
    def _settings_suit_the_program(self) -> Serving:
        if self.kind == "transformers":
            given = [name for name in _VLLM_ALONE if getattr(self, name) != type(self).model_fields[name].default]
            if given:
                raise ValueError(f"{', '.join(given)} can't be set for kind transformers; remove it or use kind vllm")
        return self


_VLLM_ALONE = (
    *("tensor_parallel", "data_parallel", "max_model_len", "max_num_seqs", "gpu_memory_utilization"),
    *("tool_parser", "reasoning_parser", "adapters"),
)
