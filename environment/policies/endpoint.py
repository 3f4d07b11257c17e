"""An endpoint is an OpenAI-compatible server, or several that serve the same model, and how that is sampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from environment.policies.prices import Prices
from environment.record import Record


class Endpoint(Record):
    """An OpenAI-compatible endpoint and how it is sampled."""

    base_url: str
    """Such as http://127.0.0.1:8000/v1; not needed beside `base_urls`."""
    base_urls: tuple[str, ...] = ()
    """Every address of the model where it has more than one; calls go to those that answer."""
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
    stream: bool = True
    """Whether answers come piece by piece, so that one that stalls is seen; false where a server can't."""
    timeout_s: float = Field(600, gt=0)
    """Longest wait for a whole answer."""
    first_token_s: float | None = Field(None, gt=0)
    """Longest wait for the beginning of a streamed answer; None where nothing but `timeout_s` limits it."""
    stall_s: float = Field(120, gt=0)
    """Longest silence within a streamed answer that has begun."""
    tries: int = Field(6, ge=1)
    """How often a request is made before the attempt is left unscored."""
    backoff_s: float = Field(1.0, ge=0)
    """Pause after the first failure; it doubles up to a minute, with jitter."""
    max_in_flight: int | None = Field(None, ge=1)
    """Most requests at one time to one address; None where the attempts at one time are limit enough."""
    requests_per_minute: float | None = Field(None, gt=0)
    """Most requests a minute to one address, evenly spread."""
    reasoning: Literal["as_given", "reasoning_content", "reasoning", "dropped"] = "as_given"
    """Under which name the model's reasoning goes back to it in the later turns of an attempt: its template decides."""
    extra_body: Mapping[str, Any] = Field(default_factory=dict)
    """Further request fields that the endpoint understands, such as a reasoning effort."""
    prices: Prices | None = None
    """What the endpoint charges; None where money is no matter."""

    @model_validator(mode="before")
    @classmethod
    def _first_of_several(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and given.get("base_urls") and "base_url" not in given:
            return {**given, "base_url": given["base_urls"][0]}
        return given

    @field_validator("base_url")
    @classmethod
    def _has_scheme(cls, base_url: str) -> str:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url {base_url!r} is no web address; write it like http://127.0.0.1:8000/v1")
        return base_url

    @field_validator("base_urls")
    @classmethod
    def _have_schemes(cls, base_urls: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(base_urls)) < len(base_urls):
            raise ValueError("base_urls names an address twice; name each once, or raise max_in_flight")
        return tuple(cls._has_scheme(url) for url in base_urls)

    @model_validator(mode="after")
    def _is_one_of_several(self) -> Endpoint:
        if self.base_urls and self.base_url not in self.base_urls:
            raise ValueError(f"base_url {self.base_url} is not among base_urls; add it there or leave it out")
        return self

    @property
    def addresses(self) -> tuple[str, ...]:
        """Where the model is served."""
        return self.base_urls or (self.base_url,)
