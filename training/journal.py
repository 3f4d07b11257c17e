"""A journal follows a training: it writes each update's log line when it is made and marks each checkpoint."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from accelerate.utils import gather_object
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from training.arguments import CHECKPOINTS
from training.checkpoints import mark_complete
from training.diagnostics import UPDATES, UpdateLog, append_update
from training.monitor import MONITOR, MonitorLog, append_monitor, decide, read_monitor
from training.plan import UpdatePlan
from training.scoring import ScoredAttempt, Scoring
from training.trainer import AgentTrainer

LogLine = UpdateLog | MonitorLog


class Journal(TrainerCallback):
    """Of one run of the program."""

    def __init__(
        self, output: Path, plan: UpdatePlan, scoring: Scoring, patience: int | None, report: Callable[[LogLine], None]
    ) -> None:
        """`report` is shown each line as soon as it is durable; `patience` is the monitor's."""
        self._output, self._plan, self._scoring = output, plan, scoring
        self._patience, self._report = patience, report
        self._trainer: AgentTrainer | None = None
        self._resumed = False
        self._started = 0.0

    def follow(self, trainer: AgentTrainer, *, resumed: bool) -> None:
        """Take part in this trainer's updates, the first of which may come after an interruption."""
        self._trainer, self._resumed = trainer, resumed
        trainer.add_callback(self)

    def on_step_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        self._started = time.perf_counter()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        if logs is None or "loss" not in logs:  # the summary at the end
            return
        scored = gather_object(self._scoring.take())
        if state.is_world_process_zero:
            log = self._update_log(state.global_step, logs, scored)
            append_update(self._output / UPDATES, log)
            self._report(log)
        self._resumed = False

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.is_world_process_zero:
            mark_complete(self._output / CHECKPOINTS / f"checkpoint-{state.global_step}")

    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        attempts = gather_object(self._scoring.take())
        # Every process decides, so that all of them stop; they read what the first one wrote before.
        log = self._monitor_log(state.global_step, attempts)
        if state.is_world_process_zero:
            append_monitor(self._output / MONITOR, log)
            self._report(log)
        if log.decision == "stop":
            control.should_training_stop = control.should_save = True

    def _monitor_log(self, update: int, attempts: list[ScoredAttempt]) -> MonitorLog:
        verdicts = [one.verdict for one in attempts if one.verdict]
        strict = sum(verdict.strict for verdict in verdicts)
        earlier = [log for log in read_monitor(self._output / MONITOR) if log.update < update]
        decision, reason = decide(earlier, update, strict / len(verdicts) if verdicts else None, self._patience)
        return MonitorLog(
            update=update,
            tasks=len({one.task_id for one in attempts}),
            attempts=len(attempts),
            scored=len(verdicts),
            strict=strict,
            partial_credit=_mean([verdict.partial_credit for verdict in verdicts]),
            decision=decision,
            reason=reason,
        )

    def _update_log(self, update: int, logs: dict[str, Any], attempts: list[ScoredAttempt]) -> UpdateLog:
        task_ids = tuple(dict.fromkeys(one.task_id for one in attempts))
        if task_ids != self._plan.updates[update - 1]:
            raise RuntimeError(f"update {update} attempted {task_ids}, planned was {self._plan.updates[update - 1]}")
        verdicts = [one.verdict for one in attempts if one.verdict]
        rewards = [one.reward for one in attempts if one.reward]
        ends = Counter(one.ending.end for one in attempts if one.verdict)
        responses = sum(sum(one.ending.lengths) for one in attempts)
        trainer = self._trainer
        return UpdateLog(
            update=update,
            task_ids=task_ids,
            attempts=len(attempts),
            scored=len(verdicts),
            strict=sum(verdict.strict for verdict in verdicts),
            partial_credit=_mean([verdict.partial_credit for verdict in verdicts]),
            reward_raw=_mean([one.raw for one in rewards]),
            reward=_mean([one.penalised for one in rewards]),
            zero_variance_share=logs["frac_reward_zero_std"],
            ends=dict(sorted(ends.items())),
            truncated_share=sum(one.ending.end in ("token_limit", "context_overflow") for one in attempts)
            / len(attempts),
            clipped_share=logs["clip_ratio/region_mean"],
            entropy=logs["entropy"],
            loss=logs["loss"],
            grad_norm=logs["grad_norm"],
            learning_rate=logs["learning_rate"],
            kl=logs.get("kl"),
            prompt_tokens=trainer.prompt_tokens if trainer else 0,
            tool_tokens=sum(one.tokens for one in attempts) - responses,
            response_tokens=responses,
            turns=fmean(len(one.ending.lengths) for one in attempts),
            generation_s=round(trainer.generation_s if trainer else 0.0, 3),
            seconds=round(time.perf_counter() - self._started, 3),
            resumed=self._resumed,
            task_rewards={
                task_id: _mean([one.reward.penalised for one in attempts if one.reward and one.task_id == task_id])
                for task_id in task_ids
            },
            bugs=tuple(sorted({one.bug for one in attempts if one.bug})),
        )


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None
