"""A target is the model that an engagement is for: how it is sampled, and where training finds its weights."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from environment.policies.endpoint import Endpoint
from environment.record import Record
from environment.rollout import Limits
from environment.serving.settings import Serving


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
    """Folder of the same weights, from which training starts and which a server of ours serves."""
    limits: Limits
    serve: Serving | None = None
    """How the server is started for a stage and stopped after it; None where the endpoint is there anyway."""

    @model_validator(mode="after")
    def _serves_at_this_machine(self) -> ChatTarget:
        if self.serve is None:
            return self
        if len(self.endpoint.base_urls) > 1:
            raise ValueError("a server that is started here has one address; set serve.data_parallel for more copies")
        address = urlsplit(self.endpoint.base_url)
        if address.hostname not in ("127.0.0.1", "localhost") or not address.port or address.path.rstrip("/") != "/v1":
            raise ValueError(
                f"a server that is started here can't answer at {self.endpoint.base_url}; write base_url like "
                "http://127.0.0.1:8000/v1, or remove target.serve"
            )
        if self.serve.kind == "transformers" and self.endpoint.model != self.weights:
            raise ValueError(
                f"transformers serve names its model by the folder, {self.weights}, and endpoint.model is "
                f"{self.endpoint.model}; make them equal"
            )
        return self


Target = Annotated[LocalTarget | ChatTarget, Field(discriminator="kind")]
