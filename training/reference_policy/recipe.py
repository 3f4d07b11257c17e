"""The recipe: how the shipped weights were made and what text they were made for.

A model this small knows one rendering: when a tool schema, the system prompt or the chat template
changes, it has to be trained again. `Recipe.differences` names what changed.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from training.reference_policy.rendering import ToolSpec
from training.reference_policy.tokenizer import chat_template

WEIGHTS = Path(__file__).parent / "weights"
REBUILD = "python -m training.reference_policy.build --help"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fingerprint(_Record):
    """SHA-256 of everything in a prompt that is the same for every task."""

    system_prompt: str
    chat_template: str
    toolset: str
    """Of all tool specs in use, each as the template renders it (key order counts), sorted."""


class StageRecipe(_Record):
    """One training stage."""

    seed: int
    steps: int
    tokens: int
    seconds: float
    """By the clock of the machine that trained, one thread."""


class DataRecipe(_Record):
    """The transcripts that imitation saw."""

    made_by: str
    """The command or program that writes the same file."""
    sha256: str
    transcripts: int
    held_out: int
    by_family: dict[str, int]
    by_care: dict[str, int]
    """How many demonstrations of each kind of care or carelessness."""


class HeldOutScore(_Record):
    """Teacher-forced greedy agreement with held-out demonstrations of one kind of care."""

    episodes: int
    right_episodes: int


class Recipe(_Record):
    """The content of `recipe.json`."""

    schema_version: int = 1
    recall: StageRecipe
    recall_accuracy: dict[str, tuple[int, int]]
    """Copied tokens predicted and asked, by tokens between source and copy."""
    imitation: StageRecipe
    lr: float
    batch_tokens: int
    batches_a_step: int
    data: DataRecipe
    held_out: dict[str, HeldOutScore]
    fingerprint: Fingerprint
    weights_sha256: str
    libraries: dict[str, str]
    history: str
    """Where these weights were made otherwise than by one build command: what was done; else empty."""

    def differences(self, current: Fingerprint) -> tuple[str, ...]:
        """The parts of the prompt that are no longer what the weights were trained on; empty when all match."""
        return tuple(
            name for name in Fingerprint.model_fields if getattr(self.fingerprint, name) != getattr(current, name)
        )


def make_fingerprint(system_prompts: Iterable[str], tools: Iterable[ToolSpec]) -> Fingerprint:
    """The fingerprint of prompts made of these system prompts and tools with the current chat template."""
    return Fingerprint(
        system_prompt=_digest(sorted(set(system_prompts))),
        chat_template=_digest([chat_template()]),
        toolset=_digest(sorted({json.dumps(tool, ensure_ascii=False) for tool in tools})),
    )


def read_recipe(folder: Path = WEIGHTS) -> Recipe:
    """The recipe of the weights in `folder`."""
    return Recipe.model_validate_json((folder / "recipe.json").read_text(encoding="utf-8"))


def _digest(texts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(texts), ensure_ascii=False).encode()).hexdigest()
