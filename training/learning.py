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
from training.diagnostics import UPDATES, truncate_updates
from training.durable import sync, write_durably
from training.environments import environment_name, make_environments
from training.journal import Journal, LogLine
from training.monitor import MONITOR, read_monitor, truncate_monitor
from training.plan import PLAN, UpdatePlan, make_plan
from training.responses import ResponseReader, end_tokens
from training.result import ADAPTER, TrainingResult, read_result, write_result
from training.sampler import Sampler
from training.scoring import Scoring
from training.settings import TrainingJob, TrainingSettings
from training.shared_prompt import SHARED_PROMPT
from training.trainer import AgentTrainer, InProcessTrainer

_HOW_NOT_WHAT = {"save_every", "micro_batch", "gradient_checkpointing", "vllm"}
"""Settings that may change between an interruption and what follows it."""


def learn(job: TrainingJob, report: Callable[[LogLine], None]) -> TrainingResult:
    """Do the job, or what is left of it, and say what came out; `report` is shown each line of the logs.

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
        # Without a checkpoint the base is measured again too.
        truncate_monitor(job.output / MONITOR, update_of(checkpoint) if checkpoint else -1)
    if not _is_over(job, update_of(checkpoint)):
        with _quiet_libraries():
            trainer = make_trainer(job, tasks, plan, report, after=update_of(checkpoint))
            try:
                trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
            except ValueError as error:  # the job was accepted: whatever comes now is not the caller's mistake
                raise RuntimeError(f"training failed: {error}") from error
    return _finish(job, key, leader)


def make_trainer(
    job: TrainingJob, tasks: Sequence[Task], plan: UpdatePlan, report: Callable[[LogLine], None], *, after: int
) -> AgentTrainer:
    """The trainer that follows this plan from the update `after` on and keeps a journal in the job's output folder."""
    settings = job.settings
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    tokenizer = AutoTokenizer.from_pretrained(job.model)
    model = _load_model(job, processes)
    ends = end_tokens(tokenizer, model.generation_config)
    reader = ResponseReader(tokenizer, ends, settings.max_turns, settings.chat_template_arguments)
    tokenizer.parse_response = reader.parse_response  # type: ignore[method-assign, assignment]
    scoring = Scoring(reader, settings)
    monitored = _read_tasks(job.monitor_tasks) if job.monitor_tasks else []
    _check_prompts(tokenizer, [*tasks, *monitored], settings)
    arguments: dict[str, Any] = {
        "model": model,
        "args": GRPOConfig(**grpo_arguments(job, processes), eval_on_start=bool(monitored) and not after),
        "peft_config": LoraConfig(**lora_arguments(settings)),
        "processing_class": tokenizer,
        "train_dataset": _dataset(tasks, [task_id for update in plan.updates for task_id in update]),
        "eval_dataset": _dataset(monitored, [task.id for task in monitored]) if monitored else None,
        "reward_funcs": scoring,
        "environment_factory": make_environments([*tasks, *monitored]),
    }
    if settings.generation == "in_process":
        trainer: AgentTrainer = InProcessTrainer(
            lambda adapted: Sampler(
                adapted,
                ends,
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
    patience = settings.monitor.patience if settings.monitor else None
    Journal(job.output, plan, scoring, patience, report).follow(trainer, resumed=after > 0)
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
            "tasks": [_sha256(path) for path in (job.tasks, job.monitor_tasks) if path],
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


def _check_prompts(tokenizer: PreTrainedTokenizerBase, tasks: Sequence[Task], settings: TrainingSettings) -> None:
    arguments: dict[str, Any] = dict(settings.chat_template_arguments)
    for task in tasks:
        episode = Episode(task)
        prompt = tokenizer.apply_chat_template(
            episode.messages(),
            tools=list(episode.specs),
            add_generation_prompt=True,
            return_dict=False,
            **arguments,
        )
        if len(prompt) >= settings.max_context:
            raise ValueError(
                f"the prompt of {task.id} has {len(prompt)} tokens and training.max_context is {settings.max_context}; "
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


def _dataset(tasks: Sequence[Task], task_ids: Sequence[str]) -> Dataset:
    """One row for each of these, in their order; the columns are what TRL and the environments need."""
    table = {task.id: task for task in tasks}
    return Dataset.from_list(
        [
            {
                "prompt": Episode(table[task_id]).messages(),
                "environment": environment_name(table[task_id]),
                "task_id": task_id,
            }
            for task_id in task_ids
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


def _is_over(job: TrainingJob, update: int) -> bool:
    """Whether no update follows this one: it is the last of the plan, or the monitor stopped the training after it."""
    stopped = any(log.update == update and log.decision == "stop" for log in read_monitor(job.output / MONITOR))
    return stopped or update == job.settings.updates


def _finish(job: TrainingJob, key: str, leader: bool) -> TrainingResult:
    """The result, with the adapter of the last checkpoint in its place."""
    checkpoint = newest_checkpoint(job.output / CHECKPOINTS)
    update = update_of(checkpoint)
    if checkpoint is None or not _is_over(job, update):
        raise RuntimeError(f"training ended and the checkpoint of its last update is missing; {update} is the newest")
    if leader:
        _place_adapter(checkpoint, job.output)
    stopped = f"update {update} is the last of the plan"
    if update < job.settings.updates:
        stopped = f"the monitor stopped the training: {read_monitor(job.output / MONITOR)[-1].reason}"
    weights_hash = _sha256(checkpoint / "adapter_model.safetensors")
    result = TrainingResult(job=key, updates=update, stopped=stopped, adapter_sha256=weights_hash)
    if leader:
        write_result(job.output, result)
    return result


def _place_adapter(checkpoint: Path, output: Path) -> None:
    """Copy the adapter under another name and put it in its place in one step."""
    temporary = output / f"{ADAPTER}.tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    for name in ("adapter_model.safetensors", "adapter_config.json"):
        shutil.copyfile(checkpoint / name, temporary / name)
        sync(temporary / name)
    shutil.rmtree(output / ADAPTER, ignore_errors=True)
    temporary.rename(output / ADAPTER)
    sync(output)
