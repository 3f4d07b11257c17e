"""Recall pretraining: teaches an untrained model to copy from its context, before it sees any text.

Imitation alone does not find copying at this size: call templates are learned and every id is wrong.
After a few million tokens of random associative recall the same model copies, and imitation starts there.

    python -m training.reference_policy.recall --out DIR --seed 1 --steps 6000
"""

import argparse
import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from transformers import Qwen3Config, Qwen3ForCausalLM

from training.reference_policy.architecture import make_config, make_model
from training.reference_policy.attention import BLOCKED, NO_MASK
from training.reference_policy.recall_sequences import Level, draw_batch

logger = logging.getLogger(__name__)

_MIXED = Level(records=(2, 6), key_tokens=(1, 3), value_tokens=(2, 6), lengths=(64, 128), echo_share=0.35)
LEVELS = (
    *(Level(records=(n, n)) for n in (2, 4, 6)),
    # Fixed shapes teach attention to look back; kept longer, they are solved by counting instead of matching.
    _MIXED,
    replace(_MIXED, records=(3, 12), lengths=(96, 256), echo_share=0.3, table_share=0.2, passes_at=0.8),
    replace(_MIXED, records=(3, 20), lengths=(128, 512), echo_share=0.2, table_share=0.4, queries=16, passes_at=0.8),
    # The last level is never passed: training ends in it.
    replace(_MIXED, records=(3, 20), lengths=(160, 1200), echo_share=0.1, table_share=0.6, queries=24, passes_at=1.0),
)
TOKENS_A_STEP = 4096
DISTANCES = (0, 50, 100, 200, 400, 600, 1200)


@dataclass(frozen=True, slots=True)
class RecallProgress:
    """Where recall pretraining stands, as written beside its checkpoint."""

    seed: int
    steps: int
    tokens: int
    level: int
    accuracy: float
    """Running share of copied tokens predicted, at `level`."""
    seconds: float
    finished: bool


def train_recall(
    config: Qwen3Config,
    seed: int,
    out: Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    levels: Sequence[Level] = LEVELS,
    lr: float = 1e-3,
    start: Path | None = None,
    start_level: int = 0,
) -> Qwen3ForCausalLM:
    """The model after `steps` optimiser steps (or `minutes`, which is not reproducible); checkpoints go to `out`.

    AdamW as in reference training of small models (betas 0.9/0.95, decay 0.05, clip 1), `lr` constant after
    100 warm-up steps and linear to a tenth over the last 15%. Batch `i` depends only on seed, level and `i`.
    """
    if (steps is None) == (minutes is None):
        raise ValueError("give either steps (reproducible) or minutes (by the clock)")
    torch.manual_seed(seed)
    model = make_model(config, seed) if start is None else Qwen3ForCausalLM.from_pretrained(start, dtype=torch.float32)
    model.set_attn_implementation(BLOCKED)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, betas=(0.9, 0.95), weight_decay=0.05)
    level, accuracy, tokens, step = start_level, 0.0, 0, 0
    began = saved = time.monotonic()
    while True:
        elapsed = time.monotonic() - began
        done = step / steps if steps is not None else elapsed / (60 * (minutes or 0))
        if done >= 1 or time.monotonic() - saved > 60:
            progress = RecallProgress(seed, step, tokens, level, accuracy, elapsed, done >= 1)
            _save(model, progress, out)
            saved = time.monotonic()
        if done >= 1:
            return model
        for group in optimizer.param_groups:
            group["lr"] = lr * min(1.0, (step + 1) / 100, 0.1 + 0.9 * (1 - done) / 0.15)
        batch = draw_batch(levels[level], TOKENS_A_STEP, np.random.default_rng((seed, level, step)))
        loss, correct = _copy_loss(model, torch.from_numpy(batch.ids), torch.from_numpy(batch.targets))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        tokens += batch.ids.size
        accuracy = 0.98 * accuracy + 0.02 * correct
        if step % 100 == 0:
            logger.info(
                "step %d level %d tokens %.2fM loss %.3f accuracy %.3f, %.0f tokens/s",
                step, level, tokens / 1e6, loss.item(), accuracy, tokens / (time.monotonic() - began),
            )  # fmt: skip
        if accuracy > levels[level].passes_at:
            level, accuracy = level + 1, 0.5


def _copy_loss(model: Qwen3ForCausalLM, ids: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, float]:
    """Mean cross-entropy in nats over target tokens and the share of them predicted; logits only where needed."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = model.model(input_ids=ids, attention_mask=NO_MASK, use_cache=False).last_hidden_state  # (B, T, H)
        logits = model.lm_head(hidden[:, :-1][targets[:, 1:]]).float()  # (targets, V)
    wanted = ids[:, 1:][targets[:, 1:]]
    return F.cross_entropy(logits, wanted), (logits.argmax(-1) == wanted).float().mean().item()


@torch.no_grad()
def measure_recall(model: Qwen3ForCausalLM, level: Level, seed: int, batches: int = 20) -> dict[str, tuple[int, int]]:
    """Copied tokens predicted and asked, by distance to the copied token: `{"100-200": (correct, count)}`."""
    model.set_attn_implementation(BLOCKED)
    correct, count = np.zeros(len(DISTANCES), int), np.zeros(len(DISTANCES), int)
    for index in range(batches):
        # The constant keeps measured sequences apart from those of training under the same seed.
        batch = draw_batch(level, TOKENS_A_STEP, np.random.default_rng((seed, 999, index)))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = model.model(
                input_ids=torch.from_numpy(batch.ids), attention_mask=NO_MASK, use_cache=False
            ).last_hidden_state[:, :-1]
            predicted = model.lm_head(hidden[torch.from_numpy(batch.targets[:, 1:])]).argmax(-1).numpy()
        right = predicted == batch.ids[:, 1:][batch.targets[:, 1:]]
        buckets = np.searchsorted(DISTANCES, batch.distances[batch.targets], side="right") - 1
        correct += np.bincount(buckets, weights=right, minlength=len(DISTANCES)).astype(int)
        count += np.bincount(buckets, minlength=len(DISTANCES))
    names = [f"{low}-{high}" for low, high in zip(DISTANCES, [*DISTANCES[1:], "more"], strict=True)]
    return {name: (int(c), int(n)) for name, c, n in zip(names, correct, count, strict=True) if n}


def _save(model: Qwen3ForCausalLM, progress: RecallProgress, out: Path) -> None:
    model.save_pretrained(out)
    (out / "progress.json").write_text(json.dumps(asdict(progress), indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int)
    length.add_argument("--minutes", type=float)
    parser.add_argument("--start", type=Path, help="go on from this checkpoint instead of untrained weights")
    parser.add_argument("--start-level", type=int, default=0)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    model = train_recall(
        make_config(), args.seed, args.out, steps=args.steps, minutes=args.minutes,
        start=args.start, start_level=args.start_level,
    )  # fmt: skip
    for name, (correct, count) in measure_recall(model, LEVELS[-1], args.seed).items():
        logger.info("distance %s: %d of %d copied tokens (%.3f)", name, correct, count, correct / count)


if __name__ == "__main__":
    main()
