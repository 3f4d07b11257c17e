from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.training.jobs import make_job
from training.arguments import grpo_arguments, lora_arguments


def _arguments(processes: int = 1, **changes):
    return grpo_arguments(make_job(Path("base"), Path("tasks.jsonl"), Path("out"), **changes), processes)


def test_one_generation_of_attempts_makes_one_update():
    arguments = _arguments(tasks_per_update=6, attempts_per_task=8, micro_batch=8)
    assert arguments["per_device_train_batch_size"] == 8
    assert arguments["gradient_accumulation_steps"] == arguments["steps_per_generation"] == 6
    assert arguments["num_generations"] == 8
    assert arguments["num_iterations"] == 1
    assert arguments["max_steps"] == 3
    assert arguments["shuffle_dataset"] is False


def test_processes_share_the_attempts_of_an_update():
    changes = {"tasks_per_update": 6, "attempts_per_task": 8, "micro_batch": 4, "generation": "vllm_colocate"}
    assert _arguments(4, **changes)["gradient_accumulation_steps"] == 3
    with pytest.raises(ValueError, match=r"5 processes of training\.micro_batch 4 cannot share the 48 attempts"):
        _arguments(5, **changes)


def test_the_turn_limit_counts_responses_and_trl_counts_the_calls_between():
    assert _arguments(max_turns=4)["max_tool_calling_iterations"] == 3


def test_in_process_generation_needs_neither_vllm_nor_a_gpu():
    arguments = _arguments()
    assert arguments["use_vllm"] is False
    assert arguments["use_cpu"] is True
    assert not [name for name in arguments if name.startswith("vllm")]


def test_a_colocated_engine_gets_its_share_of_the_gpu():
    arguments = _arguments(
        generation="vllm_colocate", vllm={"gpu_memory_share": 0.4, "tensor_parallel": 2, "sleep": False}
    )
    assert arguments["use_cpu"] is False
    assert arguments["use_vllm"] is True
    assert arguments["vllm_mode"] == "colocate"
    assert arguments["vllm_gpu_memory_utilization"] == 0.4
    assert arguments["vllm_tensor_parallel_size"] == 2
    assert arguments["vllm_enable_sleep_mode"] is False
    assert arguments["vllm_max_model_length"] == 1000
    assert arguments["generation_kwargs"] == {"max_tokens": 40}


def test_a_server_is_named_by_its_address():
    arguments = _arguments(generation="vllm_server", vllm={"server_url": "http://gpu-7:8000"})
    assert arguments["vllm_mode"] == "server"
    assert arguments["vllm_server_base_url"] == "http://gpu-7:8000"
    assert arguments["generation_kwargs"] == {"max_tokens": 40}


@pytest.mark.parametrize(
    ("setting", "value", "argument", "expected"),
    [
        ("learning_rate", 0.003, "learning_rate", 0.003),
        ("schedule", "cosine", "lr_scheduler_type", "cosine"),
        ("schedule", "constant", "lr_scheduler_type", "constant_with_warmup"),
        ("temperature", 0.7, "temperature", 0.7),
        ("loss_type", "dr_grpo", "loss_type", "dr_grpo"),
        ("scale_rewards", "none", "scale_rewards", "none"),
        ("beta", 0.01, "beta", 0.01),
        ("epsilon", 0.1, "epsilon", 0.1),
        ("epsilon_high", 0.3, "epsilon_high", 0.3),
        ("save_every", 5, "save_steps", 5),
        ("max_grad_norm", 0.5, "max_grad_norm", 0.5),
        ("chat_template_arguments", {"effort": "low"}, "chat_template_kwargs", {"effort": "low"}),
        ("precision", "bfloat16", "bf16", True),
        ("gradient_checkpointing", True, "gradient_checkpointing", True),
    ],
)
def test_settings_reach_trl(setting, value, argument, expected):
    assert _arguments(**{setting: value})[argument] == expected


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_trl_and_peft_know_every_argument(monkeypatch):
    monkeypatch.setitem(os.environ, "TRL_EXPERIMENTAL_SILENCE", "1")
    trl, peft = pytest.importorskip("trl"), pytest.importorskip("peft")
    job = make_job(Path("base"), Path("tasks.jsonl"), Path("out"))
    config = trl.GRPOConfig(**grpo_arguments(job, 1))
    assert config.generation_batch_size == 4
    assert peft.LoraConfig(**lora_arguments(job.settings)).r == 4


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("generation", ["vllm_colocate", "vllm_server"])
def test_trl_knows_every_argument_of_vllm(generation):
    trl = pytest.importorskip("trl")
    arguments = _arguments(generation=generation, vllm={"server_url": "http://gpu-7:8000"})
    assert trl.GRPOConfig(**{**arguments, "use_cpu": True}).use_vllm
