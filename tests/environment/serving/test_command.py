"""The command of a server is built of the settings and checked before anything is started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from environment.policies.policy import ConfigurationError
from environment.policies.target import ChatTarget
from environment.serving.command import ServerCommand, server_command
from environment.serving.parsers import Parsers, parsers_for
from environment.serving.settings import Serving

HERMES = "{{ '<tool_call>\\n{\"name\": ' }}"
CODER = "<tool_call>\n<function=example_function_name>\n<parameter=x>"


def weights(folder: Path, template: str | None = CODER) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    if template is not None:
        (folder / "chat_template.jinja").write_text(template)
    return folder


def adapter(folder: Path, rank: int) -> Path:
    folder.mkdir()
    (folder / "adapter_config.json").write_text(json.dumps({"r": rank}))
    return folder


def program(folder: Path) -> str:
    path = folder / "vllm"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def command(tmp_path: Path, trained: dict[str, Path] | None = None, **settings: Any) -> ServerCommand:
    serving = Serving.model_validate({"kind": "vllm", "program": program(tmp_path), **settings})
    folder = weights(tmp_path / "model")
    return server_command(
        serving, base_url="http://127.0.0.1:8123/v1", model="Qwen/Qwen3.8-27B", weights=folder, adapters=trained
    )


def test_a_vllm_command_has_every_setting_and_the_parsers_of_the_model(tmp_path: Path) -> None:
    built = command(
        tmp_path,
        tensor_parallel=4,
        data_parallel=2,
        max_model_len=131072,
        max_num_seqs=256,
        gpu_memory_utilization=0.9,
        extra_args=["--kv-cache-dtype", "fp8"],
        env={"VLLM_USE_V1": "1"},
    )
    assert str(built) == (
        f"VLLM_USE_V1=1 {tmp_path}/vllm serve {tmp_path}/model --host 127.0.0.1 --port 8123 "
        "--served-model-name Qwen/Qwen3.8-27B --enable-auto-tool-choice --tensor-parallel-size 4 "
        "--data-parallel-size 2 --max-model-len 131072 --max-num-seqs 256 --gpu-memory-utilization 0.9 "
        "--tool-call-parser qwen3_coder --kv-cache-dtype fp8"
    )
    assert built.health_url == "http://127.0.0.1:8123/health"


def test_adapters_are_served_under_their_ids_at_a_rank_that_vllm_takes(tmp_path: Path) -> None:
    trained, other = adapter(tmp_path / "trained", 48), adapter(tmp_path / "other", 4)
    built = command(tmp_path, {"adapter": trained}, adapters={"older": str(other)})
    assert built.adapter_words == (
        *("--enable-lora", "--max-loras", "2", "--max-lora-rank", "64"),
        *("--lora-modules", f"older={other}", f"adapter={trained}"),
    )
    assert built.argv == built.words + built.adapter_words


@pytest.mark.parametrize(
    ("template", "model", "expected"),
    [
        (CODER, "m", Parsers("qwen3_coder", None)),
        (CODER + "<think>", "m", Parsers("qwen3_coder", "qwen3")),
        (HERMES, "Qwen/Qwen3.8-27B", Parsers("hermes", None)),
        (HERMES + "<think>\n\n</think>", "m", Parsers("hermes", "qwen3")),
        ("[TOOL_CALLS]", "m", Parsers("mistral", None)),
        (None, "Qwen/Qwen3.8-27B", Parsers("qwen3_coder", "qwen3")),
        (None, "Qwen/Qwen3-Coder-30B", Parsers("qwen3_coder", "qwen3")),
        (None, "Qwen/Qwen3-8B", Parsers("hermes", "qwen3")),
        (None, "Qwen2.5-7B-Instruct", Parsers("hermes", None)),
    ],
)
def test_the_chat_template_chooses_the_parsers_and_the_name_only_without_it(
    tmp_path: Path, template: str | None, model: str, expected: Parsers
) -> None:
    assert parsers_for(weights(tmp_path / "model", template), model) == expected


def test_the_template_inside_the_tokenizers_settings_counts_too(tmp_path: Path) -> None:
    folder = weights(tmp_path / "model", None)
    named = [{"name": "default", "template": "none"}, {"name": "tool_use", "template": CODER}]
    for template in (CODER, named):
        (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
        assert parsers_for(folder, "m").tool == "qwen3_coder"


def test_a_parser_that_is_set_is_taken_and_an_unknown_form_asks_for_one(tmp_path: Path) -> None:
    folder = weights(tmp_path / "model", "no tools")
    with pytest.raises(ConfigurationError, match=r"set serve\.tool_parser"):
        parsers_for(folder, "m")
    serving = Serving(kind="vllm", program=program(tmp_path), tool_parser="glm45", reasoning_parser="glm45")
    built = server_command(serving, base_url="http://127.0.0.1:1/v1", model="m", weights=folder)
    assert built.words[-4:] == ("--tool-call-parser", "glm45", "--reasoning-parser", "glm45")


def test_what_is_not_there_is_named_before_anything_is_started(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no program /no/vllm .* set serve\.program"):
        command(tmp_path, program="/no/vllm")
    with pytest.raises(ConfigurationError, match=r"no adapter in .*missing to serve as adapter"):
        command(tmp_path, {"adapter": tmp_path / "missing"})
    with pytest.raises(ConfigurationError, match="rank 1024"):
        command(tmp_path, {"adapter": adapter(tmp_path / "wide", 1024)})
    serving = Serving(kind="vllm", program=program(tmp_path))
    with pytest.raises(ConfigurationError, match="no model in"):
        server_command(serving, base_url="http://127.0.0.1:1/v1", model="m", weights=tmp_path / "empty")


def test_transformers_serves_the_folder_and_refuses_adapters(tmp_path: Path) -> None:
    serving = Serving(kind="transformers", program=program(tmp_path), extra_args=("--device", "cpu"))
    folder = weights(tmp_path / "model")
    built = server_command(serving, base_url="http://localhost:7/v1", model=str(folder), weights=folder)
    assert built.argv[1:] == ("serve", str(folder), "--host", "localhost", "--port", "7", "--device", "cpu")
    with pytest.raises(ConfigurationError, match="has no adapters"):
        server_command(
            serving,
            base_url="http://localhost:7/v1",
            model=str(folder),
            weights=folder,
            adapters={"adapter": adapter(tmp_path / "adapter", 8)},
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "vllm", "extra_args": ["--port=9"]}, "--port=9 follows from the other settings"),
        ({"kind": "transformers", "tensor_parallel": 2}, "tensor_parallel can't be set for kind transformers"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Serving.model_validate(settings)


@pytest.mark.parametrize(
    ("base_url", "model", "message"),
    [
        ("http://gpu-7:8000/v1", "/m", "started here can't answer at http://gpu-7:8000/v1"),
        ("http://127.0.0.1/v1", "/m", "started here can't answer"),
        ("http://127.0.0.1:8000/v1", "other", "names its model by the folder, /m"),
    ],
)
def test_a_target_is_served_where_it_is_asked(base_url: str, model: str, message: str) -> None:
    endpoint = {"base_url": base_url, "model": model, "revision": "r", "temperature": 1.0, "max_tokens": 9}
    with pytest.raises(ValidationError, match=message):
        ChatTarget.model_validate(
            {
                "kind": "chat",
                "endpoint": endpoint,
                "label": "a model",
                "adapter_model": "adapter",
                "weights": "/m",
                "limits": {"max_turns": 5, "concurrency": 4},
                "serve": {"kind": "transformers"},
            }
        )
