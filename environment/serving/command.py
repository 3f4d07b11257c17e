"""A server command is the command line of an engagement's own server, checked before anything is started."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from environment.policies.policy import ConfigurationError
from environment.serving.parsers import parsers_for
from environment.serving.settings import Serving

_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM takes for `--max-lora-rank`."""


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """How a server is started, and where it answers."""

    words: tuple[str, ...]
    """Program and arguments without the adapters'."""
    adapters: Mapping[str, str]
    """Id at the endpoint -> folder."""
    adapter_words: tuple[str, ...]
    env: Mapping[str, str]
    host: str
    port: int

    @property
    def argv(self) -> tuple[str, ...]:
        return self.words + self.adapter_words

    @property
    def health_url(self) -> str:
        return f"http://{self.host}:{self.port}/health"

    def __str__(self) -> str:
        """As it would be typed."""
        return shlex.join([*(f"{name}={value}" for name, value in sorted(self.env.items())), *self.argv])


def server_command(
    serving: Serving, *, base_url: str, model: str, weights: Path, adapters: Mapping[str, Path] | None = None
) -> ServerCommand:
    """The command that serves the weights as `model` at `base_url`, with LoRA adapters by id.

    Raises ConfigurationError when the program, the weights or an adapter isn't there.
    """
    address = urlsplit(base_url)
    host, port = address.hostname or "", address.port or 0
    every = {**serving.adapters, **{name: str(folder) for name, folder in (adapters or {}).items()}}
    words = [_program(serving), "serve", str(_checked(weights)), "--host", host, "--port", str(port)]
    adapter_words: tuple[str, ...] = ()
    if serving.kind == "transformers":
        if every:
            raise ConfigurationError(
                "transformers serve has no adapters; use serve.kind vllm, or merge the adapter into the weights"
            )
    else:
        words += ["--served-model-name", model, *_vllm_words(serving, weights, model)]
        adapter_words = _adapter_words(every)
    return ServerCommand((*words, *serving.extra_args), every, adapter_words, serving.env, host, port)


def _program(serving: Serving) -> str:
    name = serving.program or serving.kind
    places = (Path(sys.executable).with_name(name), name) if serving.program is None else (Path(name).expanduser(),)
    found = next((path for place in places if (path := shutil.which(str(place)))), None)
    if found is None:
        extra = "vllm" if serving.kind == "vllm" else "serve"
        raise ConfigurationError(
            f"there is no program {name} to serve the target with; pip install 'worldloom[{extra}]', or set "
            "serve.program to its path"
        )
    return found


def _checked(weights: Path) -> Path:
    if not (weights / "config.json").is_file():
        raise ConfigurationError(f"there is no model in {weights} to serve; give a folder with config.json and weights")
    return weights


def _vllm_words(serving: Serving, weights: Path, model: str) -> list[str]:
    tool, reasoning = serving.tool_parser, serving.reasoning_parser
    if tool is None:
        found = parsers_for(weights, model)
        tool, reasoning = found.tool, reasoning or found.reasoning
    settings = {
        "--tensor-parallel-size": serving.tensor_parallel,
        "--data-parallel-size": serving.data_parallel,
        "--max-model-len": serving.max_model_len,
        "--max-num-seqs": serving.max_num_seqs,
        "--gpu-memory-utilization": serving.gpu_memory_utilization,
        "--tool-call-parser": tool,
        "--reasoning-parser": reasoning,
    }
    words = ["--enable-auto-tool-choice"]
    for name, value in settings.items():
        if value is not None:
            words += [name, str(value)]
    return words


def _adapter_words(adapters: Mapping[str, str]) -> tuple[str, ...]:
    if not adapters:
        return ()
    ranks = [_rank(name, Path(folder)) for name, folder in adapters.items()]
    if max(ranks) > _RANKS[-1]:
        raise ConfigurationError(f"an adapter has rank {max(ranks)}, vLLM serves ranks up to {_RANKS[-1]}")
    rank = next(rank for rank in _RANKS if rank >= max(ranks))
    modules = [f"{name}={folder}" for name, folder in adapters.items()]
    limits = ("--max-loras", str(len(adapters)), "--max-lora-rank", str(rank))
    return ("--enable-lora", *limits, "--lora-modules", *modules)


def _rank(name: str, folder: Path) -> int:
    path = folder / "adapter_config.json"
    if not path.is_file():
        raise ConfigurationError(f"there is no adapter in {folder} to serve as {name}; give a folder that PEFT wrote")
    return int(json.loads(path.read_text(encoding="utf-8"))["r"])
