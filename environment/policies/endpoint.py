"""An endpoint is an OpenAI-compatible server and how a model behind it is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from environment.policies.prices import Prices
from environment.record import Record


class Endpoint(Record):
    """An OpenAI-compatible endpoint and how it is sampled."""

    base_url: str
    """Such as http://127.0.0.1:8000/v1."""
    model: str
    """The model's id at the endpoint."""
    revision: str
    """Commit or hash of the weights behind the id; attempts of different revisions are never pooled."""
    adapter: str | None = None
    """Hash of the LoRA adapter served under this id, None for a base model."""
    api_key_variable: str | None = None
    """Environment variable that holds the key, None where the endpoint wants none."""
    temperature: float = Field(ge=0)
    max_tokens: int = Field(ge=1)
    """Token limit of one response."""
    timeout_s: float = Field(600, gt=0)
    tries: int = Field(6, ge=1)
    """How often a request is made before the attempt is left unscored."""
    backoff_s: float = Field(1.0, ge=0)
    """Pause after the first failure; it doubles up to a minute, with jitter."""
    extra_body: Mapping[str, Any] = Field(default_factory=dict)
    """Further request fields that the endpoint understands, such as a reasoning effort."""
    prices: Prices | None = None
    """What the endpoint charges; None where money is no matter."""

    @field_validator("base_url")
    @classmethod
    def _has_scheme(cls, base_url: str) -> str:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url {base_url!r} is no web address; write it like http://127.0.0.1:8000/v1")
        return base_url
