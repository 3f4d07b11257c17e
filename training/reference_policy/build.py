"""Builds the shipped reference policy: transcripts in; weights, tokenizer and recipe out.

    python -m training.reference_policy.build --transcripts FILE.jsonl --made-by "COMMAND" \\
        --work DIR --out training/reference_policy/weights --seed 1 --recall-steps 6000 --imitation-steps 2000

Stages: a tokenizer from the transcripts, recall pretraining, imitation, weights in bfloat16. On one
thread this takes about an hour; the same machine, seed and steps give the same weights. A finished
recall stage in `--work` is used again, since it does not depend on the transcripts.
"""

import argparse
import hashlib
import importlib.metadata
import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerBase, Qwen3ForCausalLM

from training.reference_policy.architecture import make_config
from training.reference_policy.imitation import (
    ImitationProgress,
    ImitationSettings,
    fit_tokenizer,
    imitate,
    read_transcripts,
    render_rows,
    score,
)
from training.reference_policy.recall import LEVELS, RecallProgress, measure_recall, train_recall
from training.reference_policy.recipe import DataRecipe, HeldOutScore, Recipe, StageRecipe, make_fingerprint
from training.reference_policy.rendering import Episode

logger = logging.getLogger(__name__)

LARGEST_WEIGHTS = 12_000_000
"""Bytes; the weights are committed."""


def build(
    transcripts: Path, made_by: str, work: Path, out: Path, *, seed: int, recall_steps: int, imitation_steps: int,
    held_out_count: int, settings: ImitationSettings,
) -> Recipe:  # fmt: skip
    """Run every stage and write `out`; intermediate checkpoints go to `work`."""
    rows = read_transcripts(transcripts)
    train_rows, held_out_rows = rows[:-held_out_count], rows[-held_out_count:]
    tokenizer = fit_tokenizer(train_rows)
    model, recalled = _recall(work / "recall", seed, recall_steps)
    recall_accuracy = measure_recall(model, LEVELS[-1], seed)
    held_out = render_rows(tokenizer, held_out_rows)
    imitated = imitate(
        model, tokenizer, render_rows(tokenizer, train_rows), seed, work / "imitation",
        steps=imitation_steps, settings=settings, held_out=held_out,
    )  # fmt: skip
    return ship(
        model, tokenizer, out, transcripts=transcripts, made_by=made_by, rows=rows, held_out=held_out,
        recalled=recalled, recall_accuracy=recall_accuracy, imitated=imitated, settings=settings,
    )  # fmt: skip


def ship(
    model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase, out: Path, *, transcripts: Path, made_by: str,
    rows: Sequence[Mapping], held_out: Sequence[Episode], recalled: RecallProgress,
    recall_accuracy: Mapping[str, tuple[int, int]], imitated: ImitationProgress, settings: ImitationSettings,
) -> Recipe:  # fmt: skip
    """Write weights in bfloat16, tokenizer and `recipe.json` to `out`."""
    model.bfloat16().save_pretrained(out)
    tokenizer.save_pretrained(out)
    weights = (out / "model.safetensors").read_bytes()
    if len(weights) > LARGEST_WEIGHTS:
        raise ValueError(f"weights of {len(weights)} bytes exceed {LARGEST_WEIGHTS}; make the architecture smaller")
    recipe = Recipe(
        recall=StageRecipe(seed=recalled.seed, steps=recalled.steps, tokens=recalled.tokens, seconds=recalled.seconds),
        recall_accuracy=dict(recall_accuracy),
        imitation=StageRecipe(
            seed=imitated.seed, steps=imitated.steps, tokens=imitated.tokens, seconds=imitated.seconds
        ),
        lr=settings.lr,
        batch_tokens=settings.batch_tokens,
        batches_a_step=settings.batches_a_step,
        data=DataRecipe(
            made_by=made_by,
            sha256=hashlib.sha256(transcripts.read_bytes()).hexdigest(),
            transcripts=len(rows),
            held_out=len(held_out),
            by_family=dict(sorted(Counter(row["family"] for row in rows).items())),
            by_care=dict(sorted(Counter(row["care"] for row in rows).items())),
        ),
        held_out=_score_by_care(model, held_out, tokenizer.pad_token_id),
        fingerprint=make_fingerprint(
            (message["content"] for row in rows for message in row["messages"] if message["role"] == "system"),
            (tool for row in rows for tool in row["tools"]),
        ),
        weights_sha256=hashlib.sha256(weights).hexdigest(),
        libraries={name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers", "trl")},
    )
    (out / "recipe.json").write_text(recipe.model_dump_json(indent=1) + "\n", encoding="utf-8")
    logger.info("%d bytes of weights in %s", len(weights), out)
    return recipe


def _recall(folder: Path, seed: int, steps: int) -> tuple[Qwen3ForCausalLM, RecallProgress]:
    progress_file = folder / "progress.json"
    if progress_file.exists():
        progress = RecallProgress(**json.loads(progress_file.read_text()))
        if (progress.seed, progress.steps, progress.finished) == (seed, steps, True):
            logger.info("using the finished recall stage in %s", folder)
            return Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32), progress
    model = train_recall(make_config(), seed, folder, steps=steps)
    return model, RecallProgress(**json.loads(progress_file.read_text()))


def _score_by_care(model: Qwen3ForCausalLM, held_out: Sequence[Episode], pad_id: int) -> dict[str, HeldOutScore]:
    model = model.float()
    scores = {}
    for care in sorted({episode.care for episode in held_out}):
        result = score(model, [episode for episode in held_out if episode.care == care], pad_id)
        scores[care] = HeldOutScore(episodes=result.episodes, right_episodes=result.right_episodes)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transcripts", type=Path, required=True)
    parser.add_argument("--made-by", required=True, help="command that writes the same transcripts")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--recall-steps", type=int, required=True)
    parser.add_argument("--imitation-steps", type=int, required=True)
    parser.add_argument("--held-out", type=int, default=200, help="last rows of the file, kept for measuring")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    build(
        args.transcripts, args.made_by, args.work, args.out, seed=args.seed, recall_steps=args.recall_steps,
        imitation_steps=args.imitation_steps, held_out_count=args.held_out, settings=ImitationSettings(),
    )  # fmt: skip


if __name__ == "__main__":
    main()
