"""Similarity: the sketch, the banding and the true index."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from datasketch import MinHash

from decontam.minhash import PERMUTATIONS, SimilarityIndex, bands_for, jaccard, sketch
from decontam.passages import Passage
from decontam.reading import Codes, read, shingles_of


def codes(*numbers: int) -> Codes:
    return np.array(sorted(numbers), dtype=np.uint64)


def test_jaccard_is_intersection_over_union() -> None:
    assert jaccard(codes(1, 2, 3, 4), codes(3, 4, 5, 6)) == 2 / 6
    assert jaccard(codes(1, 2), codes(1, 2)) == 1
    assert jaccard(codes(1), codes(2)) == 0


def test_signature_is_that_of_datasketch() -> None:
    shingles = shingles_of(read([Passage("p", "the quick brown fox jumps over the lazy dog again and again", "p")]), 5)
    reference = MinHash(PERMUTATIONS, seed=13, hashfunc=int)
    reference.update_batch(shingles & np.uint64(0xFFFFFFFF))
    text = sketch(shingles)
    assert text is not None
    assert text.signature.tolist() == reference.hashvalues.tolist()
    assert sketch(shingles[:0]) is None


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.95])
def test_banding_misses_one_pair_in_ten_thousand_at_most(threshold: float) -> None:
    bands, rows = bands_for(threshold)
    assert bands * rows <= PERMUTATIONS
    assert (1 - threshold**rows) ** bands <= 1e-4
    assert (1 - threshold ** (rows + 1)) ** (PERMUTATIONS // (rows + 1)) > 1e-4


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_pairs_found_are_exactly_those_that_reach_the_threshold(threshold: float) -> None:
    rng = Random(3)
    base = rng.sample(range(1 << 60), 400)
    sets = []
    for kept in range(0, 400, 5):
        sets.append(codes(*rng.sample(base, kept), *rng.sample(range(1 << 60), 400 - kept)))
    index = SimilarityIndex(threshold, lambda key: sets[key])
    for key, members in enumerate(sets):
        text = sketch(members)
        assert text is not None
        index.add(key, text)
    probe = sketch(codes(*base))
    assert probe is not None
    expected = {key: jaccard(codes(*base), members) for key, members in enumerate(sets)}
    expected = {key: value for key, value in expected.items() if value >= threshold}
    assert 3 < len(expected) < len(sets)
    found = index.similar(probe)
    assert dict(found) == expected
    assert [value for _, value in found] == sorted(expected.values(), reverse=True)
