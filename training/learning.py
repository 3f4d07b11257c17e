"""Learning is what the training program does once it knows its job: plan, attempts, updates, checkpoints, adapter."""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from datasets import disable_progress_bars as disable_dataset_progress_bars
from peft import LoraConfig
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PrinterCallback,
)
from transformers.utils import logging as transformers_logging
from trl import GRPOConfig

from environment.episode import Episode
from environment.record import content_hash
from environment.task import Task
from training.arguments import CHECKPOINTS, grpo_arguments, lora_arguments
from training.checkpoints import discard_incomplete, newest_checkpoint, update_of
from training.diagnostics import UPDATES, UpdateLog, truncate_updates
from training.durable import sync, write_durably
from training.environments import environment_name, make_environments
from training.journal import Journal
from training.plan import PLAN, UpdatePlan, make_plan
from training.responses import ResponseReader
from training.result import ADAPTER, TrainingResult, adapter_hash, read_result, write_result
from training.sampler import Sampler
from training.scoring import Scoring
from training.settings import TrainingJob
from training.shared_prompt import SHARED_PROMPT
from training.trainer import AgentTrainer, InProcessTrainer

_HOW_NOT_WHAT = {"save_every", "micro_batch", "gradient_checkpointing", "vllm"}
"""Settings that may change between an interruption and what follows it."""


def learn(job: TrainingJob, report: Callable[[UpdateLog], None]) -> TrainingResult:
    """Do the job, or what is left of it, and say what came out; `report` is shown each update's line.

    Raises ValueError when the job cannot be done or its output folder belongs to another one.
    """
    tasks = _read_tasks(job.tasks)
    plan = make_plan(tasks, job.settings.updates, job.settings.tasks_per_update, job.seed)
    key = _job_key(job)
    leader = int(os.environ.get("RANK", "0")) == 0
    if leader:
        _claim(job.output, key)
    done = read_result(job.output)
    if done is not None:
        return done
    checkpoint = newest_checkpoint(job.output / CHECKPOINTS)
    if leader:
        write_durably(job.output / PLAN, plan.model_dump_json(indent=2) + "\n")
        discard_incomplete(job.output / CHECKPOINTS)
        truncate_updates(job.output / UPDATES, update_of(checkpoint))
    with _quiet_libraries():
        trainer = make_trainer(job, tasks, plan, report, resumed=checkpoint is not None)
        try:
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        except ValueError as error:  # the job was accepted: whatever comes now is not the caller's mistake
            raise RuntimeError(f"training failed: {error}") from error
        _save_adapter(trainer, job.output)
    result = TrainingResult(job=key, updates=job.settings.updates, adapter_sha256=adapter_hash(job.output))
    if leader:
        write_result(job.output, result)
    return result


def make_trainer(
    job: TrainingJob, tasks: Sequence[Task], plan: UpdatePlan, report: Callable[[UpdateLog], None], *, resumed: bool
) -> AgentTrainer:
    """The trainer that follows this plan and keeps a journal in the job's output folder."""
    settings = job.settings
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    tokenizer = AutoTokenizer.from_pretrained(job.model)
    reader = ResponseReader(tokenizer, settings.max_turns)
    tokenizer.parse_response = reader.parse_response  # type: ignore[method-assign, assignment]
    scoring = Scoring(reader, settings)
    _check_prompts(tokenizer, tasks, settings.max_context)
    arguments: dict[str, Any] = {
        "model": _load_model(job, processes),
        "args": GRPOConfig(**grpo_arguments(job, processes)),
        "peft_config": LoraConfig(**lora_arguments(settings)),
        "processing_class": tokenizer,
        "train_dataset": _dataset(tasks, plan),
        "reward_funcs": scoring,
        "environment_factory": make_environments(tasks),
    }
    if settings.generation == "in_process":
        trainer: AgentTrainer = InProcessTrainer(
            lambda model: Sampler(
                model,
                tokenizer.eos_token_id,
                temperature=settings.temperature,
                max_response_tokens=settings.max_response_tokens,
                max_context=settings.max_context,
                seed=job.seed,
            ),
            **arguments,
        )
    else:
        trainer = AgentTrainer(**arguments)
    trainer.remove_callback(PrinterCallback)
    Journal(job.output, plan, scoring, report).follow(trainer, resumed)
    return trainer


def _read_tasks(path: Path) -> list[Task]:
    with path.open(encoding="utf-8") as file:
        return [Task.model_validate_json(line) for line in file if line.strip()]


def _job_key(job: TrainingJob) -> str:
    """Hash of everything that the result depends on."""
    return content_hash(
        {
            "seed": job.seed,
            "settings": job.settings.model_dump(mode="json", exclude=_HOW_NOT_WHAT),
            "tasks": _sha256(job.tasks),
            "model": [
                hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(job.model.glob("*.safetensors"))
            ],
        }
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _claim(output: Path, key: str) -> None:
    """Note whose folder this is. Raises ValueError when it is another job's."""
    output.mkdir(parents=True, exist_ok=True)
    claim = output / "job"
    if claim.exists() and claim.read_text(encoding="utf-8") != key:
        raise ValueError(
            f"{output} holds the training of another job (other tasks, base, seed or settings); "
            "give another output folder, or delete this one"
        )
    write_durably(claim, key)


def _check_prompts(tokenizer: PreTrainedTokenizerBase, tasks: Sequence[Task], max_context: int) -> None:
    for task in tasks:
        episode = Episode(task, toolset="actions")
        prompt = tokenizer.apply_chat_template(
            episode.messages(), tools=list(episode.specs), add_generation_prompt=True, return_dict=False
        )
        if len(prompt) >= max_context:
            raise ValueError(
                f"the prompt of {task.id} has {len(prompt)} tokens and training.max_context is {max_context}; "
                "raise it or select shorter tasks"
            )


def _load_model(job: TrainingJob, processes: int) -> PreTrainedModel:
    settings = job.settings
    config = AutoConfig.from_pretrained(job.model)
    # TRL ends an attempt that would outgrow this; the other policies end it at the engagement's limit.
    config.max_position_embeddings = min(config.max_position_embeddings, settings.max_context)
    if settings.generation != "in_process":
        return AutoModelForCausalLM.from_pretrained(job.model, config=config, dtype=getattr(torch, settings.precision))
    if config.model_type != "qwen3" or processes > 1:
        raise ValueError(
            f"training.generation in_process is for one process and a qwen3 model, given {processes} and "
            f"{config.model_type}; use vllm_colocate or vllm_server"
        )
    return AutoModelForCausalLM.from_pretrained(
        job.model, config=config, dtype=torch.float32, attn_implementation=SHARED_PROMPT
    )


def _dataset(tasks: Sequence[Task], plan: UpdatePlan) -> Dataset:
    """One row for every task of every update, in the plan's order."""
    table = {task.id: task for task in tasks}
    return Dataset.from_list(
        [
            {
                "prompt": Episode(table[task_id], toolset="actions").messages(),
                "environment": environment_name(table[task_id]),
                "task_id": task_id,
            }
            for update in plan.updates
            for task_id in update
        ]
    )


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Our own log says everything, once; what the libraries deprecate among themselves is not ours to mend."""
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    disable_dataset_progress_bars()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def _save_adapter(trainer: AgentTrainer, output: Path) -> None:
    """Write the adapter under another name and put it in its place in one step."""
    temporary = output / f"{ADAPTER}.tmp"
    trainer.save_model(str(temporary))
    if not trainer.is_world_process_zero():
        return
    for path in temporary.iterdir():
        if path.name in ("adapter_model.safetensors", "adapter_config.json"):
            sync(path)
        else:
            path.unlink()
    shutil.rmtree(output / ADAPTER, ignore_errors=True)
    temporary.rename(output / ADAPTER)
    sync(output)
