"""Evaluation settings say how often and how base and adapter attempt the held-out tasks."""

from __future__ import annotations

from pydantic import Field, model_validator

from environment.record import Record


class EvaluationSettings(Record):
    """Attempts on the held-out tasks; base and adapter get the same."""

    attempts: int = Field(ge=1)
    """Of each side on each task; the study's is 3."""
    temperature: float = Field(gt=0)
    other_temperatures: tuple[float, ...]
    """At which the base is sampled too, so that a gain from mere sharpening shows; at 0 one attempt a task is made."""

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
