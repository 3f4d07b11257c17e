"""The reference policy's architecture: a Qwen3 causal language model of 2.6 million parameters.

Small enough to commit (5 MB in bfloat16) and to sample on one core; an ordinary Qwen3 checkpoint to
transformers, PEFT, TRL and vLLM.
"""

import math

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

VOCABULARY = 4096
FIRST_ORDINARY_ID = 16
"""Ids below this one are kept for special tokens; recall pretraining never draws them at random."""
CONTEXT = 4096


def make_config() -> Qwen3Config:
    """The configuration that every stage trains and that is shipped."""
    return Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=192,
        num_hidden_layers=4,
        num_attention_heads=6,
        num_key_value_heads=6,
        head_dim=32,
        intermediate_size=512,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )


def make_model(config: Qwen3Config, seed: int) -> Qwen3ForCausalLM:
    """An untrained model whose weights depend only on `config` and `seed`.

    Matrices have deviation 0.5/sqrt(fan_in), larger than Qwen3's constant 0.02: with that, attention
    at width 192 starts too flat to find copying in a few million tokens.
    """
    generator = torch.Generator().manual_seed(seed)
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2:
                std = 0.02 if "embed_tokens" in name else 0.5 / math.sqrt(parameter.shape[1])
                parameter.normal_(0.0, std, generator=generator)
    return model
