"""Batched sampling with a key-value cache: how fast the reference policy writes.

A measuring tool; the policy that evaluation and calibration use is in `environment/policies`.

    python -m training.reference_policy.sampling --weights DIR --transcripts FILE.jsonl --rows 64
"""

import argparse
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoTokenizer, DynamicCache, Qwen3ForCausalLM

from training.reference_policy.imitation import read_transcripts
from training.reference_policy.rendering import render_prompt

logger = logging.getLogger(__name__)


@torch.no_grad()
def complete(
    model: Qwen3ForCausalLM,
    prompts: Sequence[Sequence[int]],
    max_tokens: int,
    temperature: float,
    generator: torch.Generator,
) -> list[list[int]]:
    """One completion a prompt, `<|im_end|>` included; `temperature` 0 is greedy."""
    eos, pad = model.config.eos_token_id, model.config.pad_token_id
    longest = max(map(len, prompts))
    ids = torch.tensor([[pad] * (longest - len(prompt)) + list(prompt) for prompt in prompts])  # (B, T)
    lengths = torch.tensor([[len(prompt)] for prompt in prompts])
    mask = torch.arange(longest)[None] >= longest - lengths
    positions = (torch.arange(longest)[None] - (longest - lengths)).clamp(min=0)
    cache = DynamicCache(config=model.config)
    written: list[list[int]] = [[] for _ in prompts]
    alive = list(range(len(prompts)))
    for _ in range(max_tokens):
        hidden = model.model(
            input_ids=ids, attention_mask=mask.long(), position_ids=positions, cache=cache, use_cache=True
        ).last_hidden_state[:, -1]
        logits = model.lm_head(hidden).float()  # (alive, V)
        if temperature == 0:
            drawn = logits.argmax(-1)
        else:
            drawn = torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)[:, 0]
        for row, token in zip(alive, drawn.tolist(), strict=True):
            written[row].append(token)
        going = drawn != eos
        if not going.any():
            break
        if not going.all():
            keep = going.nonzero()[:, 0]
            alive = [alive[i] for i in keep.tolist()]
            cache.batch_select_indices(keep)
            drawn, mask, positions = drawn[keep], mask[keep], positions[keep]
        ids = drawn[:, None]
        mask = torch.cat([mask, torch.ones(len(alive), 1, dtype=torch.bool)], dim=1)
        positions = positions[:, -1:] + 1
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--transcripts", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--temperature", type=float, default=1.0)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(args.weights)
    model = Qwen3ForCausalLM.from_pretrained(args.weights, dtype=torch.float32)
    rows = read_transcripts(args.transcripts)[-args.rows :]
    last = [max(i for i, message in enumerate(row["messages"]) if message.get("tool_calls")) for row in rows]
    prompts = [render_prompt(tokenizer, row["messages"][:i], row["tools"]) for row, i in zip(rows, last, strict=True)]
    began = time.monotonic()
    completions = complete(model, prompts, 128, args.temperature, torch.Generator().manual_seed(0))
    seconds = time.monotonic() - began
    count = sum(map(len, completions))
    logger.info(
        "%d prompts of about %d tokens: %d tokens written in %.1f s, %.0f tokens/s",
        len(prompts), sum(map(len, prompts)) // len(prompts), count, seconds, count / seconds,
    )  # fmt: skip
    logger.info("the first: %r", tokenizer.decode(completions[0]))


if __name__ == "__main__":
    main()
