"""Shipping: finished checkpoints in; weights in bfloat16, tokenizer and recipe out.

    python -m training.reference_policy.ship --transcripts FILE.jsonl --made-by "COMMAND" \\
        --recall DIR --imitation DIR --out training/reference_policy/weights --history "..."
"""

import argparse
import hashlib
import importlib.metadata
import json
import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoTokenizer, Qwen3ForCausalLM

from training.reference_policy.imitation import (
    ImitationProgress,
    ImitationSettings,
    read_transcripts,
    render_rows,
    score,
)
from training.reference_policy.recall import LEVELS, RecallProgress, measure_recall
from training.reference_policy.recipe import DataRecipe, HeldOutScore, Recipe, StageRecipe, make_fingerprint
from training.reference_policy.rendering import Episode

logger = logging.getLogger(__name__)

LARGEST_WEIGHTS = 12_000_000
"""Bytes; the weights are committed."""


def ship(
    transcripts: Path,
    made_by: str,
    recall: Path,
    imitation: Path,
    out: Path,
    *,
    held_out_count: int,
    settings: ImitationSettings,
    history: str = "",
) -> Recipe:
    """Write weights, tokenizer and `recipe.json` to `out`.

    `recall` and `imitation` are the folders those stages wrote; `held_out_count` rows at the end of
    `transcripts` were kept out of training. `history` is for weights that no single build command made.
    """
    rows = read_transcripts(transcripts)
    recalled = RecallProgress(**json.loads((recall / "progress.json").read_text()))
    imitated = ImitationProgress(**json.loads((imitation / "progress.json").read_text()))
    tokenizer = AutoTokenizer.from_pretrained(imitation)
    model = Qwen3ForCausalLM.from_pretrained(imitation, dtype=torch.bfloat16)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    weights = (out / "model.safetensors").read_bytes()
    if len(weights) > LARGEST_WEIGHTS:
        raise ValueError(f"weights of {len(weights)} bytes exceed {LARGEST_WEIGHTS}; make the architecture smaller")
    held_out = render_rows(tokenizer, rows[-held_out_count:])
    recipe = Recipe(
        recall=StageRecipe(seed=recalled.seed, steps=recalled.steps, tokens=recalled.tokens, seconds=recalled.seconds),
        recall_accuracy=measure_recall(
            Qwen3ForCausalLM.from_pretrained(recall, dtype=torch.float32), LEVELS[-1], recalled.seed
        ),
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
        held_out=_score_by_care(model.float(), held_out, tokenizer.pad_token_id),
        fingerprint=make_fingerprint(
            (message["content"] for row in rows for message in row["messages"] if message["role"] == "system"),
            (tool for row in rows for tool in row["tools"]),
        ),
        weights_sha256=hashlib.sha256(weights).hexdigest(),
        libraries={name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers", "trl")},
        history=history,
    )
    (out / "recipe.json").write_text(recipe.model_dump_json(indent=1) + "\n", encoding="utf-8")
    logger.info("%d bytes of weights in %s", len(weights), out)
    return recipe


def _score_by_care(model: Qwen3ForCausalLM, held_out: Sequence[Episode], pad_id: int) -> dict[str, HeldOutScore]:
    scores = {}
    for care in sorted({episode.care for episode in held_out}):
        result = score(model, [episode for episode in held_out if episode.care == care], pad_id)
        scores[care] = HeldOutScore(episodes=result.episodes, right_episodes=result.right_episodes)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transcripts", type=Path, required=True)
    parser.add_argument("--made-by", required=True, help="command that writes the same transcripts")
    parser.add_argument("--recall", type=Path, required=True, help="folder the recall stage wrote")
    parser.add_argument("--imitation", type=Path, required=True, help="folder the imitation stage wrote")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=int, default=200, help="last rows of the file that imitation kept out")
    parser.add_argument("--lr", type=float, default=ImitationSettings().lr, help="of the imitation stage")
    parser.add_argument("--history", default="", help="how these weights differ from those of one build command")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    ship(
        args.transcripts, args.made_by, args.recall, args.imitation, args.out,
        held_out_count=args.held_out, settings=ImitationSettings(lr=args.lr), history=args.history,
    )  # fmt: skip


if __name__ == "__main__":
    main()
