"""The trainer is TRL's GRPOTrainer with the task's order of tools and, in process, prompts that a group shares.

What is replaced in process gives the same numbers as TRL's own: `tests/training/test_trainer.py` compares them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from peft import PeftModel
from trl import GRPOTrainer

from training.environments import tool_methods
from training.sampler import Sampler
from training.shared_prompt import NO_MASK, Packed


class AgentTrainer(GRPOTrainer):
    """TRL's trainer, which shows tools in the task's order and keeps what the log needs."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        pools: Any = self._environment_pool
        self._env_tools = {name: tool_methods(pool[0]) for name, pool in pools.items()}
        self.prompt_tokens = 0
        """Of the newest generation of attempts."""
        self.generation_s = 0.0
        """That it took."""

    def prediction_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> tuple[torch.Tensor, None, None]:
        """Attempts of the monitor are judged, not learned from: no loss is computed."""
        self._prepare_inputs(inputs)
        return torch.zeros((), device=self.accelerator.device), None, None

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        started = time.perf_counter()
        output = super()._generate_and_score_completions(inputs)
        self.generation_s = time.perf_counter() - started
        self.prompt_tokens = int(self.accelerator.gather(output["prompt_mask"].sum()).sum())
        return output


class InProcessTrainer(AgentTrainer):
    """A trainer for one process without a GPU; the model's attention must be `SHARED_PROMPT`."""

    def __init__(self, make_sampler: Callable[[PeftModel], Sampler], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._sampler = make_sampler(self.accelerator.unwrap_model(self.model))
        self._written: torch.Tensor | None = None
        self._beginning = True
        """The next responses are the first of their attempts."""
        self._monitor_batches = 0

    def evaluate(self, *arguments: Any, **named: Any) -> dict[str, float]:
        self._monitor_batches = 0
        return super().evaluate(*arguments, **named)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        self._beginning = True
        return super()._generate_and_score_completions(inputs)

    def _generate_single_turn(
        self,
        prompt_ids: list[list[int]],
        images: Any,
        multimodal_fields: Any,
        num_generations: int,
        has_tool_images: bool = False,
    ) -> tuple[list[list[int]], None]:
        if not self._beginning:
            return self._sampler.resume(prompt_ids), None
        self._beginning = False
        model: Any = self.model
        if model.training:
            return self._sampler.begin(prompt_ids, f"update {self.state.global_step + 1}"), None
        self._monitor_batches += 1
        purpose = f"monitor {self.state.global_step}, batch {self._monitor_batches}"
        return self._sampler.begin(prompt_ids, purpose), None

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        self._written = (inputs["completion_mask"] * inputs["tool_mask"]).bool()
        try:
            return super()._compute_loss(model, inputs)
        finally:
            self._written = None

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        **_: Any,
    ) -> tuple[torch.Tensor, torch.Tensor, None]:
        """Log-probabilities and entropies (B, C) of the tokens that the model wrote, 0 elsewhere.

        Each prompt is read once for all its completions, and padding and tool results don't pass through the head.
        """
        base = self.accelerator.unwrap_model(model).get_base_model()
        in_prompt, in_completion = attention_mask.bool().split([input_ids.shape[1] - logits_to_keep, logits_to_keep], 1)
        written = in_completion if self._written is None else self._written
        prompts, completions = input_ids[:, :-logits_to_keep], input_ids[:, -logits_to_keep:]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in range(len(input_ids)):
            groups.setdefault(tuple(prompts[row, in_prompt[row]].tolist()), []).append(row)
        places, logps, entropies = [], [], []
        for prompt, rows in groups.items():
            width = int(in_completion[rows].sum(1).max())
            with self.accelerator.autocast():
                hidden = _hidden_states(base, prompt, completions[rows, :width])  # (rows, width, hidden)
                which = written[rows, :width]
                logits = base.lm_head(hidden[which]).float() / self.temperature  # (tokens, V)
            distribution = logits.log_softmax(-1)
            logps.append(distribution.gather(1, completions[rows, :width][which][:, None])[:, 0])
            entropies.append(-(distribution.detach().exp() * distribution.detach()).sum(1))
            within, column = which.nonzero(as_tuple=True)
            places.append(torch.stack([torch.tensor(rows)[within], column]))
        index = tuple(torch.cat(places, 1))
        empty = torch.zeros(completions.shape)
        return empty.index_put(index, torch.cat(logps)), empty.index_put(index, torch.cat(entropies)), None


def _hidden_states(base: Any, prompt: tuple[int, ...], completions: torch.Tensor) -> torch.Tensor:
    """Of the position before each completion token, from which it is predicted: (rows, C, hidden)."""
    rows, width = completions.shape
    ids = torch.cat([torch.tensor(prompt), completions.flatten()])[None]
    positions = torch.cat([torch.arange(len(prompt)), torch.arange(len(prompt), len(prompt) + width).repeat(rows)])
    hidden = base.model(
        input_ids=ids,
        position_ids=positions[None],
        attention_mask=NO_MASK,
        use_cache=False,
        layout=Packed(len(prompt), rows),
    ).last_hidden_state[0]
    last = hidden[len(prompt) - 1].expand(rows, 1, -1)
    return torch.cat([last, hidden[len(prompt) :].unflatten(0, (rows, width))[:, :-1]], 1)
