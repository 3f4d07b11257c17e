"""A miniature Qwen3 model that has memorised a few answers, so that it calls tools, miswrites a call and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.environment.policies.memorised import ANSWERS, FOUND, SYSTEM, TOOLS, chat


@pytest.fixture(scope="session")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the model (grouped-query attention, 0.4 million parameters) and its tokenizer."""
    torch = pytest.importorskip("torch", reason="the extra `train` is not installed")
    from transformers import Qwen3Config, Qwen3ForCausalLM

    from training.reference_policy.tokenizer import chat_template, train_tokenizer

    torch.set_num_threads(1)
    texts = [chat_template(), SYSTEM, json.dumps(TOOLS), FOUND, *ANSWERS, *ANSWERS.values()]
    tokenizer = train_tokenizer(texts * 2)
    rows = []
    for prompt, answer in ANSWERS.items():
        specs: Any = TOOLS
        asked = tokenizer.apply_chat_template(chat(prompt), tools=specs, add_generation_prompt=True, return_dict=False)
        rows.append((asked, tokenizer(answer + "<|im_end|>", add_special_tokens=False)["input_ids"]))
    width = max(len(asked) + len(answer) for asked, answer in rows)
    ids = torch.tensor([asked + answer + [0] * (width - len(asked) - len(answer)) for asked, answer in rows])
    taught = torch.zeros_like(ids, dtype=torch.bool)
    for row, (asked, answer) in enumerate(rows):
        taught[row, len(asked) : len(asked) + len(answer)] = True
    targets = ids[taught]
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        intermediate_size=128,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen3ForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(300):
        hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state[:, :-1]
        losses = torch.nn.functional.cross_entropy(model.lm_head(hidden[taught[:, 1:]]), targets, reduction="none")
        losses.mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        if losses.max() < 0.1:
            break
    assert losses.max() < 0.1  # every token is the first choice by far
    folder = tmp_path_factory.mktemp("miniature")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
