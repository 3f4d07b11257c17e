"""A target is the model that an engagement is for: how it is sampled, and where training finds its weights."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from environment.policies.endpoint import Endpoint
from environment.record import Record
from environment.rollout import Limits


class LocalTarget(Record):
    """A model folder, sampled in this process."""

    kind: Literal["local"]
    model: str
    """`reference-policy` for the weights that ship with the project, or a folder with config.json and weights."""
    label: str
    """The model in a reader's words."""
    temperature: float = Field(ge=0)
    """Of calibration; the same as training's, or the band is measured on another policy than learns."""
    max_tokens: int = Field(ge=1)
    """Token limit of one response."""
    max_context: int = Field(ge=2)
    """Prompt and response together."""
    batch: int = Field(ge=1)
    """Responses sampled at once."""
    limits: Limits


class ChatTarget(Record):
    """A model behind an OpenAI-compatible endpoint."""

    kind: Literal["chat"]
    endpoint: Endpoint
    label: str
    """The model in a reader's words."""
    adapter_model: str
    """Id under which the endpoint serves the trained adapter, for the evaluation."""
    weights: str
    """Folder of the same weights, from which training starts."""
    limits: Limits


Target = Annotated[LocalTarget | ChatTarget, Field(discriminator="kind")]
