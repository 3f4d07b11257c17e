"""Similarity is the Jaccard index of two texts' sets of shingles; MinHash with banding finds the pairs worth computing.

Candidates come from datasketch's LSH, are thinned by the estimate of their 128 MinHash values, and are decided by the
true Jaccard index of the two sets.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

from decontam.codes import Codes

PERMUTATIONS = 128
_SEED = 13
_MISS_RATE = 1e-4
_HELD_BYTES = 16 << 20
_AT_A_TIME = 8


@dataclass(slots=True)
class Sketch:
    """What similarity needs of one text."""

    shingles: Codes
    """Codes of its shingles, not empty; not sorted and may repeat until they were asked for as a set."""
    signature: NDArray[np.uint32]
    _is_set: bool = False

    def unique(self) -> Codes:
        """The set of shingles, sorted; made when first needed."""
        if not self._is_set:
            self.shingles, self._is_set = np.unique(self.shingles), True
        return self.shingles


_permutations = MinHash(PERMUTATIONS, seed=_SEED).permutations


def sketch(shingles: Codes) -> Sketch | None:
    """The sketch of a text with these shingles, None when it has none.

    The signature is that of datasketch's MinHash over the shingles' lower 32 bits, computed a few permutations at a
    time so that the values stay in the processor's cache.
    """
    if not len(shingles):
        return None
    mixed = _murmur_finalizer((shingles & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    signature = np.empty(PERMUTATIONS, dtype=np.uint32)
    for start in range(0, PERMUTATIONS, _AT_A_TIME):
        factors, terms = _permutations[:, start : start + _AT_A_TIME, np.newaxis]
        signature[start : start + _AT_A_TIME] = (factors * mixed + terms).min(axis=1)
    return Sketch(shingles, signature)


def _murmur_finalizer(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    values = (values ^ (values >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    values = (values ^ (values >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return values ^ (values >> np.uint32(16))


def jaccard(one: Codes, other: Codes) -> float:
    """Size of the intersection over size of the union of two sorted sets without repeats, in [0, 1]; not both empty."""
    if len(one) > len(other):
        one, other = other, one
    places = np.searchsorted(other, one)
    shared = int(np.count_nonzero(other[np.minimum(places, len(other) - 1)] == one))
    return shared / (len(one) + len(other) - shared)


def slack(similarity: float) -> float:
    """How far the estimate of this similarity may fall short of it by chance: four standard deviations."""
    return 4 * sqrt(similarity * (1 - similarity) / PERMUTATIONS)


def bands_for(threshold: float) -> tuple[int, int]:
    """Bands and rows a band: the strictest banding that misses a pair at `threshold` once in 10,000 times or less.

    A pair of similarity s is missed with chance (1 - s^rows)^bands: 0.5 gives (64, 2), 0.8 gives (25, 5).
    """
    for rows in range(PERMUTATIONS // 2, 0, -1):
        bands = PERMUTATIONS // rows
        if (1 - threshold**rows) ** bands <= _MISS_RATE:
            return bands, rows
    return PERMUTATIONS, 1


class SimilarityIndex:
    """Texts by key, asked for those similar to another one."""

    def __init__(self, threshold: float, shingles_again: Callable[[int], Codes]) -> None:
        """`shingles_again` makes the shingles of a key anew: only those used last are held, up to 16 MB."""
        self.threshold = threshold
        self._again = shingles_again
        self._signatures: dict[int, NDArray[np.uint32]] = {}
        self._held: OrderedDict[int, Sketch] = OrderedDict()
        self._held_bytes = 0
        # A name of our own: datasketch would draw one from the shared random generator.
        storage = {"type": "dict", "basename": b"decontam"}
        self._lsh = MinHashLSH(num_perm=PERMUTATIONS, params=bands_for(threshold), storage_config=storage)

    def __len__(self) -> int:
        return len(self._signatures)

    def add(self, key: int, text: Sketch) -> None:
        """Index the text `key`; keys must differ."""
        self._signatures[key] = text.signature
        self._lsh.insert(key, _minhash(text.signature))

    def similar(self, text: Sketch) -> list[tuple[int, float]]:
        """Keys of the texts whose Jaccard index with `text` reaches the threshold, most similar first."""
        found = [(key, self.jaccard(text, key)) for key, _ in self.likely(text)]
        return sorted((pair for pair in found if pair[1] >= self.threshold), key=lambda pair: (-pair[1], pair[0]))

    def likely(self, text: Sketch) -> list[tuple[int, float]]:
        """Keys of the texts that may reach the threshold, with the estimate of their similarity, highest first."""
        candidates = sorted(self._lsh.query(_minhash(text.signature)))
        if not candidates:
            return []
        signatures = np.stack([self._signatures[key] for key in candidates])
        estimates = (signatures == text.signature).mean(axis=1)
        order = np.argsort(-estimates, kind="stable")
        enough = self.threshold - slack(self.threshold)
        return [(candidates[place], float(estimates[place])) for place in order if estimates[place] >= enough]

    def jaccard(self, text: Sketch, key: int) -> float:
        """The true Jaccard index of `text` and the text of this key."""
        held = self._held.pop(key, None)
        if held is None:
            held = Sketch(self._again(key), self._signatures[key])
        else:
            self._held_bytes -= held.shingles.nbytes
        theirs = held.unique()
        self.hold(key, held)
        return jaccard(text.unique(), theirs)

    def hold(self, key: int, text: Sketch) -> None:
        """Keeps the shingles of a key that may soon be asked for, so that they need not be made anew."""
        self._held[key] = text
        self._held_bytes += text.shingles.nbytes
        while self._held_bytes > _HELD_BYTES and len(self._held) > 1:
            self._held_bytes -= self._held.popitem(last=False)[1].shingles.nbytes


def _minhash(signature: NDArray[np.uint32]) -> MinHash:
    return MinHash(seed=_SEED, hashvalues=signature, permutations=_permutations, scheme="affine32")
