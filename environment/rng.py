"""Random generators derived by hash from what they are for."""

from __future__ import annotations

import hashlib
from random import Random


def derive_seed(*parts: str | int) -> int:
    """A 64-bit seed from SHA-256 of the parts; neighbouring parts give unrelated seeds."""
    text = "\x1f".join(f"{type(part).__name__}:{part}" for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def derive_rng(*parts: str | int) -> Random:
    """A generator of its own for these parts, such as `derive_rng(family, seed, index)`."""
    return Random(derive_seed(*parts))
