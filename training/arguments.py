"""Arguments of TRL's trainer and of PEFT's adapter, built from a job without importing either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from environment.rng import derive_seed
from training.settings import TrainingJob, TrainingSettings

CHECKPOINTS = "checkpoints"


def lora_arguments(settings: TrainingSettings) -> dict[str, Any]:
    """Of `peft.LoraConfig`: every linear layer but the head, which TRL reads around; no dropout, which would make the
    policy that learns another than the one that acted."""
    return {
        "r": settings.lora_rank,
        "lora_alpha": settings.lora_alpha,
        "lora_dropout": 0.0,
        "target_modules": "all-linear",
        "task_type": "CAUSAL_LM",
    }


def grpo_arguments(job: TrainingJob, processes: int) -> dict[str, Any]:
    """Of `trl.GRPOConfig`, for one of `processes` processes that train together.

    Each generation of attempts is used for one optimiser step. Raises ValueError when the attempts of an update
    cannot be dealt out evenly.
    """
    settings = job.settings
    at_once = settings.micro_batch * processes
    if settings.attempts_per_update % at_once:
        raise ValueError(
            f"{processes} processes of training.micro_batch {settings.micro_batch} cannot share the "
            f"{settings.attempts_per_update} attempts of an update evenly; change one of the three"
        )
    accumulation = settings.attempts_per_update // at_once
    return {
        "output_dir": str(Path(job.output) / CHECKPOINTS),
        "seed": derive_seed("training", job.seed) % 2**31,
        # the plan, followed in order
        "max_steps": settings.updates,
        "num_generations": settings.attempts_per_task,
        "per_device_train_batch_size": settings.micro_batch,
        "gradient_accumulation_steps": accumulation,
        "steps_per_generation": accumulation,
        "num_iterations": 1,
        "shuffle_dataset": False,
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": False,
        # the optimiser
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": _SCHEDULES[settings.schedule],
        "warmup_steps": settings.warmup_updates,
        "weight_decay": 0.0,
        "max_grad_norm": settings.max_grad_norm,
        "loss_type": settings.loss_type,
        "scale_rewards": settings.scale_rewards,
        "beta": settings.beta,
        "epsilon": settings.epsilon,
        "epsilon_high": settings.epsilon_high,
        "bf16": settings.precision == "bfloat16",
        "gradient_checkpointing": settings.gradient_checkpointing,
        # the attempts
        "temperature": settings.temperature,
        "chat_template_kwargs": dict(settings.chat_template_arguments),
        "max_tool_calling_iterations": settings.max_turns - 1,
        # Tool results count towards TRL's completion length, so the context is the only limit on it.
        "max_completion_length": settings.max_context,
        **_generation(settings),
        **_monitoring(settings, processes),
        # checkpoints and logs
        "save_strategy": "steps",
        "save_steps": settings.save_every,
        "save_total_limit": 2,
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "log_level": "error",
        "log_completions": False,
        "use_cpu": settings.generation == "in_process",
    }


_SCHEDULES = {"constant": "constant_with_warmup", "linear": "linear", "cosine": "cosine"}


def _monitoring(settings: TrainingSettings, processes: int) -> dict[str, Any]:
    monitor = settings.monitor
    if monitor is None:
        return {"eval_strategy": "no"}
    groups = max(1, settings.attempts_per_update // processes // monitor.attempts_per_task)
    return {
        "eval_strategy": "steps",
        "eval_steps": monitor.every,
        "num_generations_eval": monitor.attempts_per_task,
        "per_device_eval_batch_size": groups * monitor.attempts_per_task,
    }


def _generation(settings: TrainingSettings) -> dict[str, Any]:
    if settings.generation == "in_process":
        return {"use_vllm": False}
    vllm = settings.vllm
    # A response has a limit of its own; TRL would let each have the whole completion length.
    arguments = {"use_vllm": True, "generation_kwargs": {"max_tokens": settings.max_response_tokens}}
    if settings.generation == "vllm_server":
        return {**arguments, "vllm_mode": "server", "vllm_server_base_url": vllm.server_url}
    return {
        **arguments,
        "vllm_mode": "colocate",
        "vllm_gpu_memory_utilization": vllm.gpu_memory_share,
        "vllm_tensor_parallel_size": vllm.tensor_parallel,
        "vllm_max_model_length": settings.max_context,
        "vllm_enable_sleep_mode": vllm.sleep,
    }
