"""A likeness shows two texts that are alike as wholes by the pair of passages that shares most shingles."""

from __future__ import annotations

import numpy as np

from decontam.reading import Reading, window_codes
from decontam.verdicts import Overlap, Rule


def likeness(rule: Rule, ours: Reading, name: str, theirs: Reading, similarity: float, size: int) -> Overlap:
    """The overlap of two readings whose shingles of `size` words have this Jaccard index; `name` is the other's."""
    our_codes, our_positions = window_codes(ours, size)
    their_codes, their_positions = window_codes(theirs, size)
    shared = our_positions[np.isin(our_codes, their_codes)].tolist()
    number, our_shared = _fullest(ours, shared)
    wanted = our_codes[np.isin(our_positions, our_shared)]
    other_number, their_shared = _fullest(theirs, their_positions[np.isin(their_codes, wanted)].tolist())
    return Overlap(
        rule=rule,
        path=ours.passages[number].path,
        text=ours.passages[number].text,
        other=name,
        other_path=theirs.passages[other_number].path,
        other_text=theirs.passages[other_number].text,
        shared=_covered(ours, our_shared, size),
        other_shared=_covered(theirs, their_shared, size),
        similarity=similarity,
    )


def _fullest(reading: Reading, positions: list[int]) -> tuple[int, list[int]]:
    """The passage that holds most of the positions, with them; the first passage when there are none."""
    held: dict[int, list[int]] = {0: []}
    for position in positions:
        held.setdefault(reading.passage_at(position), []).append(position)
    return max(held.items(), key=lambda item: (len(item[1]), -item[0]))


def _covered(reading: Reading, positions: list[int], size: int) -> tuple[str, ...]:
    """The words under windows of `size` words at `positions`, each once, in order."""
    places = sorted({position + offset for position in positions for offset in range(size)})
    return tuple(reading.words[place] for place in places)
