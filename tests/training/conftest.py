"""A language model of 0.3 million parameters that has memorised how two tasks are done, so that it calls tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generators.demonstrations import demonstrate
from tests.training.jobs import EASY_TASKS, easy_task


@pytest.fixture(scope="session")
def tiny_tasks(tmp_path_factory) -> Path:
    """The two tasks, with two more of the same families, as a job reads them."""
    path = tmp_path_factory.mktemp("tasks") / "tasks.jsonl"
    tasks = [easy_task(family, index) for family in ("callback_number", "shipment_update") for index in (0, 1)]
    path.write_text("".join(task.model_dump_json() + "\n" for task in tasks))
    return path


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """Folder of the model and its tokenizer."""
    torch = pytest.importorskip("torch")
    from transformers import Qwen3Config, Qwen3ForCausalLM

    from training.reference_policy.rendering import Part, render_episode
    from training.reference_policy.tokenizer import train_tokenizer

    torch.set_num_threads(1)
    rows = [demonstration.to_json() for demonstration in demonstrate(EASY_TASKS, 0.0, 0.0)]
    tokenizer = train_tokenizer(json.dumps(row, ensure_ascii=False) for row in rows)
    known = [row for row in rows if row["family"] in ("callback_number", "shipment_update")]
    episodes = [render_episode(tokenizer, row["messages"], row["tools"]) for row in known]
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen3ForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(110):
        for episode in episodes:
            ids = torch.tensor(episode.ids)
            written = torch.tensor(episode.parts[1:] >= Part.ASSISTANT)
            hidden = model.model(input_ids=ids[None]).last_hidden_state[0, :-1][written]
            torch.nn.functional.cross_entropy(model.lm_head(hidden), ids[1:][written]).backward()
        optimizer.step()
        optimizer.zero_grad()
    folder = tmp_path_factory.mktemp("model")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
