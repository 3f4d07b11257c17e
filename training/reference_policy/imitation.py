"""Imitation: teaches a model that can copy to act as the demonstrators in a file of transcripts did.

    python -m training.reference_policy.imitation --transcripts FILE.jsonl --recall DIR --out DIR --seed 1 --steps 2000

Episodes with the same tools share a long prefix (system prompt and tool schemas). A batch holds
episodes with one prefix, which is run once and attended to by all of them: half or less of the work.
"""

import argparse
import json
import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from transformers import AutoTokenizer, DynamicCache, PreTrainedTokenizerBase, PreTrainedTokenizerFast, Qwen3ForCausalLM

from training.reference_policy.attention import BLOCKED, NO_MASK
from training.reference_policy.rendering import Episode, Part, render_episode, render_text
from training.reference_policy.tokenizer import train_tokenizer

logger = logging.getLogger(__name__)

TOKENIZER_TEXTS = 3000
CONTEXT_LOSS = 0.15
"""Expected loss weight of a token the policy does not write: that share of them is drawn, each with weight 1."""


@dataclass(frozen=True, slots=True)
class ImitationSettings:
    """What decides the trained weights, besides the transcripts and the starting weights."""

    lr: float = 1e-3
    weight_decay: float = 0.05
    batch_tokens: int = 3072
    """Tokens after the shared prefix, padding included, in one forward pass."""
    batches_a_step: int = 2
    """Forward passes, usually of different tool sets, in one optimiser step."""
    decay_share: float = 0.25
    """Share of training, at its end, over which the learning rate falls linearly to 0."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Episodes that share a prefix. `prefix` has shape (P,); `ids` and `parts` (B, S), padded at the right."""

    prefix: torch.Tensor
    ids: torch.Tensor
    parts: torch.Tensor


@dataclass(frozen=True, slots=True)
class ImitationProgress:
    """Where imitation stands, as written beside its checkpoint."""

    seed: int
    steps: int
    episodes: int
    tokens: int
    """Tokens of the episodes seen, prefixes included."""
    seconds: float
    finished: bool


@dataclass(frozen=True, slots=True)
class ImitationScore:
    """Teacher-forced greedy agreement with held-out demonstrations.

    An episode counts as right when every token the policy writes is its first choice: greedy decoding
    against the same tool results would then write exactly this episode.
    """

    episodes: int
    right_episodes: int
    argument_tokens: int
    right_argument_tokens: int
    written_tokens: int
    loss: float
    """Nats, summed over the tokens that the policy writes."""


def imitate(
    model: Qwen3ForCausalLM,
    tokenizer: PreTrainedTokenizerBase,
    episodes: Sequence[Episode],
    seed: int,
    out: Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    settings: ImitationSettings = ImitationSettings(),
    held_out: Sequence[Episode] = (),
) -> ImitationProgress:
    """Train `model` in place for `steps` optimiser steps (or `minutes`, not reproducible); checkpoints go to `out`.

    AdamW with betas 0.9/0.95, gradient clip 1, 50 warm-up steps. Same episodes, seed, settings, steps and
    starting weights give the same weights on one machine with one thread.
    """
    if (steps is None) == (minutes is None):
        raise ValueError("give either steps (reproducible) or minutes (by the clock)")
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=settings.lr, betas=(0.9, 0.95), weight_decay=settings.weight_decay
    )
    batches = _endless_batches(episodes, settings.batch_tokens, tokenizer.pad_token_id, seed)
    step = seen = tokens = 0
    began = saved = logged = time.monotonic()
    while True:
        elapsed = time.monotonic() - began
        done = step / steps if steps is not None else elapsed / (60 * (minutes or 0))
        if done >= 1 or time.monotonic() - saved > 60:
            progress = ImitationProgress(seed, step, seen, tokens, elapsed, done >= 1)
            _save(model, tokenizer, progress, out)
            saved = time.monotonic()
        if done >= 1:
            return progress
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * min(1.0, (step + 1) / 50, (1 - done) / settings.decay_share)
        drawn = [next(batches) for _ in range(settings.batches_a_step)]
        rng = np.random.default_rng((seed, step))
        chosen = [_choose_losses(batch, rng) for batch in drawn]
        total = sum(int(mask.sum()) for mask in chosen)
        results = [_backward(model, batch, mask, total) for batch, mask in zip(drawn, chosen, strict=True)]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        seen += sum(len(batch.ids) for batch in drawn)
        tokens += sum(
            len(batch.ids) * len(batch.prefix) + int((batch.ids != tokenizer.pad_token_id).sum()) for batch in drawn
        )
        if step % 25 == 0:
            written, loss, arguments, right = np.sum(results, axis=0)
            logger.info(
                "step %d episodes %d tokens %.2fM loss %.3f on assistant tokens, arguments %.3f, %.0f tokens/s",
                step, seen, tokens / 1e6, loss / written, right / max(1, arguments), tokens / elapsed,
            )  # fmt: skip
        if held_out and time.monotonic() - logged > 150:
            log_score(model, held_out, tokenizer.pad_token_id)
            logged = time.monotonic()


def forward_hidden(model: Qwen3ForCausalLM, batch: Batch) -> torch.Tensor:
    """Last hidden states at the prefix's last token and every suffix token but the last, shape (B, S, H).

    State `t` predicts `batch.ids[:, t]`. The prefix runs once; its keys and values are shared by all rows.
    """
    rows, length = batch.ids.shape
    count = len(batch.prefix)
    model.set_attn_implementation(BLOCKED)
    cache = DynamicCache(config=model.config)
    head = model.model(input_ids=batch.prefix[None], attention_mask=NO_MASK, cache=cache, use_cache=True)
    first = head.last_hidden_state[:, -1:]  # (1, 1, H)
    cache.batch_repeat_interleave(rows)
    rest = model.model(
        input_ids=batch.ids,
        attention_mask=NO_MASK,
        position_ids=torch.arange(count, count + length)[None],
        cache=cache,
        use_cache=True,
    ).last_hidden_state  # (B, S, H)
    return torch.cat([first.expand(rows, -1, -1), rest[:, :-1]], dim=1)


def score(model: Qwen3ForCausalLM, episodes: Sequence[Episode], pad_id: int) -> ImitationScore:
    """Agreement with `episodes`, which training must not have seen."""
    return _add_up(_score_each(model, episodes, pad_id))


def log_score(model: Qwen3ForCausalLM, held_out: Sequence[Episode], pad_id: int) -> None:
    """Log held-out agreement, overall and by family and care."""
    each = _score_each(model, held_out, pad_id)
    groups = {"all": each}
    for episode, one in sorted(zip(held_out, each, strict=True), key=lambda pair: (pair[0].family, pair[0].care)):
        groups.setdefault(f"{episode.family} ({episode.care})", []).append(one)
    for name, members in groups.items():
        total = _add_up(members)
        logger.info(
            "held out %s: %d of %d episodes right, arguments %.3f, loss %.3f",
            name, total.right_episodes, total.episodes,
            total.right_argument_tokens / max(1, total.argument_tokens), total.loss / total.written_tokens,
        )  # fmt: skip


def _score_each(model: Qwen3ForCausalLM, episodes: Sequence[Episode], pad_id: int) -> list[ImitationScore]:
    scores: dict[int, ImitationScore] = {}
    order = sorted(range(len(episodes)), key=lambda i: (episodes[i].ids[: episodes[i].prefix_count].tobytes(), i))
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for _, same_prefix in groupby(order, key=lambda i: episodes[i].ids[: episodes[i].prefix_count].tobytes()):
            for chosen in _chunks(list(same_prefix), 12):
                batch = _collate([episodes[i] for i in chosen], pad_id)
                wrote = batch.parts >= Part.ASSISTANT
                logits = model.lm_head(forward_hidden(model, batch)[wrote]).float()
                losses, right = torch.zeros(wrote.shape), torch.ones_like(wrote)
                losses[wrote] = F.cross_entropy(logits, batch.ids[wrote], reduction="none")
                right[wrote] = logits.argmax(-1) == batch.ids[wrote]
                arguments = batch.parts == Part.ARGUMENTS
                for row, i in enumerate(chosen):
                    scores[i] = ImitationScore(
                        episodes=1,
                        right_episodes=int(right[row].all()),
                        argument_tokens=int(arguments[row].sum()),
                        right_argument_tokens=int((right[row] & arguments[row]).sum()),
                        written_tokens=int(wrote[row].sum()),
                        loss=float(losses[row].sum()),
                    )
    return [scores[i] for i in range(len(episodes))]


def _add_up(scores: Sequence[ImitationScore]) -> ImitationScore:
    return ImitationScore(*(sum(values) for values in zip(*map(astuple, scores), strict=True)))


def _chunks(items: list[int], size: int) -> list[list[int]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _endless_batches(episodes: Sequence[Episode], batch_tokens: int, pad_id: int, seed: int) -> Iterator[Batch]:
    epoch = 0
    while True:
        yield from _batches(episodes, batch_tokens, pad_id, np.random.default_rng((seed, 7, epoch)))
        epoch += 1


def _batches(episodes: Sequence[Episode], batch_tokens: int, pad_id: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Every episode once, in batches of one prefix and like lengths, in random order."""
    groups: dict[bytes, list[Episode]] = defaultdict(list)
    for episode in episodes:
        groups[episode.ids[: episode.prefix_count].tobytes()].append(episode)
    cuts: list[list[Episode]] = []
    for members in groups.values():
        shuffled = [members[i] for i in rng.permutation(len(members))]
        for start in range(0, len(shuffled), 128):
            window = sorted(shuffled[start : start + 128], key=lambda episode: len(episode.ids))
            cut: list[Episode] = []
            for episode in window:
                if cut and (len(cut) + 1) * (len(episode.ids) - episode.prefix_count) > batch_tokens:
                    cuts.append(cut)
                    cut = []
                cut.append(episode)
            cuts.append(cut)
    for i in rng.permutation(len(cuts)):
        yield _collate(cuts[i], pad_id)


def _collate(episodes: Sequence[Episode], pad_id: int) -> Batch:
    count = episodes[0].prefix_count
    length = max(len(episode.ids) for episode in episodes) - count
    ids = np.full((len(episodes), length), pad_id, dtype=np.int64)
    parts = np.full((len(episodes), length), Part.PREFIX, dtype=np.uint8)
    for row, episode in enumerate(episodes):
        ids[row, : len(episode.ids) - count] = episode.ids[count:]
        parts[row, : len(episode.ids) - count] = episode.parts[count:]
    return Batch(*map(torch.from_numpy, (episodes[0].ids[:count], ids, parts)))


def _choose_losses(batch: Batch, rng: np.random.Generator) -> torch.Tensor:
    """True where a token carries loss: all the policy writes and a share of the context; never prefix or padding."""
    drawn = torch.from_numpy(rng.random(batch.ids.shape) < CONTEXT_LOSS)
    return (batch.parts >= Part.ASSISTANT) | ((batch.parts == Part.CONTEXT) & drawn)


def _backward(
    model: Qwen3ForCausalLM, batch: Batch, chosen: torch.Tensor, total: int
) -> tuple[float, float, float, float]:
    """Add this batch's share of the step's gradient.

    Returns counts for the log: tokens written by the policy, their summed loss, argument tokens, and those predicted.
    """
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model.lm_head(forward_hidden(model, batch)[chosen]).float()  # (chosen, V)
    wanted, parts = batch.ids[chosen], batch.parts[chosen]
    losses = F.cross_entropy(logits, wanted, reduction="none")
    (losses.sum() / total).backward()
    wrote, in_arguments = parts >= Part.ASSISTANT, parts == Part.ARGUMENTS
    right = logits[in_arguments].argmax(-1) == wanted[in_arguments]
    return int(wrote.sum()), float(losses[wrote].detach().sum()), int(in_arguments.sum()), int(right.sum())


def read_transcripts(path: Path) -> list[Mapping]:
    """Rows of a transcripts file: tools, messages, family, care."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for number, row in enumerate(rows, 1):
        if missing := {"tools", "messages", "family", "care"} - row.keys():
            raise ValueError(
                f"{path} line {number} lacks {sorted(missing)}; write rows with tools, messages, family, care"
            )
    return rows


def fit_tokenizer(rows: Sequence[Mapping]) -> PreTrainedTokenizerFast:
    """A tokenizer for these transcripts, learned from the first few thousand."""
    template_only = train_tokenizer([])
    return train_tokenizer(render_text(template_only, row["messages"], row["tools"]) for row in rows[:TOKENIZER_TEXTS])


def render_rows(tokenizer: PreTrainedTokenizerBase, rows: Iterable[Mapping]) -> list[Episode]:
    """The episodes of transcript rows."""
    return [render_episode(tokenizer, row["messages"], row["tools"], row["family"], row["care"]) for row in rows]


def _save(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase, progress: ImitationProgress, out: Path) -> None:
    for config in (model.config, model.generation_config):
        config.eos_token_id, config.pad_token_id = tokenizer.eos_token_id, tokenizer.pad_token_id
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    (out / "progress.json").write_text(json.dumps(asdict(progress), indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transcripts", type=Path, required=True)
    parser.add_argument("--recall", type=Path, required=True, help="checkpoint to start from")
    parser.add_argument("--tokenizer", type=Path, help="folder of a tokenizer to use instead of learning one")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--held-out", type=int, default=200, help="last rows of the file, kept for measuring")
    parser.add_argument("--lr", type=float, default=ImitationSettings().lr)
    parser.add_argument("--batch-tokens", type=int, default=ImitationSettings().batch_tokens)
    parser.add_argument("--batches-a-step", type=int, default=ImitationSettings().batches_a_step)
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--steps", type=int)
    length.add_argument("--minutes", type=float)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    args.out.mkdir(parents=True, exist_ok=True)
    rows = read_transcripts(args.transcripts)
    train_rows, held_out_rows = rows[: -args.held_out], rows[-args.held_out :]
    known = args.tokenizer and AutoTokenizer.from_pretrained(args.tokenizer)
    tokenizer = known or fit_tokenizer(train_rows)
    episodes, held_out = render_rows(tokenizer, train_rows), render_rows(tokenizer, held_out_rows)
    lengths = np.array([len(episode.ids) for episode in episodes])
    logger.info(
        "%d episodes, %.1fM tokens, median %d, longest %d; vocabulary used %d",
        len(episodes), lengths.sum() / 1e6, np.median(lengths), lengths.max(), tokenizer.vocab_size,
    )  # fmt: skip
    model = Qwen3ForCausalLM.from_pretrained(args.recall, dtype=torch.float32)
    settings = ImitationSettings(lr=args.lr, batch_tokens=args.batch_tokens, batches_a_step=args.batches_a_step)
    imitate(
        model, tokenizer, episodes, args.seed, args.out,
        steps=args.steps, minutes=args.minutes, settings=settings, held_out=held_out,
    )  # fmt: skip
    log_score(model, held_out, tokenizer.pad_token_id)


if __name__ == "__main__":
    main()
