"""Builds the shipped reference policy: transcripts in; weights, tokenizer and recipe out.

    python -m training.reference_policy.build --transcripts FILE.jsonl --made-by "COMMAND" \\
        --work DIR --out training/reference_policy/weights --seed 1 --recall-steps 5000 --imitation-steps 2000

Stages: recall pretraining, a tokenizer from the transcripts, imitation, weights in bfloat16. On one
thread this takes about an hour; the same machine, seed and steps give the same weights. A finished
recall stage in `--work` is used again, since it does not depend on the transcripts.
"""

import argparse
import json
import logging
from pathlib import Path

import torch
from transformers import Qwen3ForCausalLM

from training.reference_policy.architecture import make_config
from training.reference_policy.imitation import (
    ImitationSettings,
    fit_tokenizer,
    imitate,
    read_transcripts,
    render_rows,
)
from training.reference_policy.recall import RecallProgress, train_recall
from training.reference_policy.recipe import Recipe
from training.reference_policy.ship import ship

logger = logging.getLogger(__name__)


def build(
    transcripts: Path,
    made_by: str,
    work: Path,
    out: Path,
    *,
    seed: int,
    recall_steps: int,
    imitation_steps: int,
    held_out_count: int,
    settings: ImitationSettings,
) -> Recipe:
    """Run every stage and write `out`; the stages' checkpoints go to `work`."""
    model = _recall(work / "recall", seed, recall_steps)
    rows = read_transcripts(transcripts)
    tokenizer = fit_tokenizer(rows[:-held_out_count])
    imitate(
        model,
        tokenizer,
        render_rows(tokenizer, rows[:-held_out_count]),
        seed,
        work / "imitation",
        steps=imitation_steps,
        settings=settings,
        held_out=render_rows(tokenizer, rows[-held_out_count:]),
    )
    return ship(
        transcripts,
        made_by,
        work / "recall",
        work / "imitation",
        out,
        held_out_count=held_out_count,
        settings=settings,
    )


def _recall(folder: Path, seed: int, steps: int) -> Qwen3ForCausalLM:
    progress_file = folder / "progress.json"
    if progress_file.exists():
        progress = RecallProgress(**json.loads(progress_file.read_text()))
        if (progress.seed, progress.steps, progress.finished) == (seed, steps, True):
            logger.info("using the finished recall stage in %s", folder)
            return Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return train_recall(make_config(), seed, folder, steps=steps)


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
