"""Recall sequences: random tokens that only copying from the context predicts.

Three kinds. An *echo* repeats spans of random text. A *pair* is `SEP key value`, asked as
`QUERY key value`. A *table row* is `SEP` and then `marker value` for each field, asked as
`QUERY marker_a value_a marker_b value_b`, where field b may stand before or after field a: what a model
does when it looks up a name in JSON rows and needs the id. Tokens are random, so what is learned does
not depend on a tokenizer. Random filler stretches the way between a record and its query.
"""

from dataclasses import dataclass

import numpy as np

from training.reference_policy.architecture import FIRST_ORDINARY_ID, VOCABULARY

SEP, QUERY = 1, 2


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the curriculum; ranges are inclusive."""

    records: tuple[int, int]
    key_tokens: tuple[int, int] = (2, 2)
    value_tokens: tuple[int, int] = (2, 2)
    lengths: tuple[int, int] | None = None
    """Range of sequence lengths, drawn log-uniformly a batch; None packs records and queries without filler."""
    table_share: float = 0.0
    """Chance that a sequence holds table rows instead of pairs; needs `lengths`."""
    echo_share: float = 0.0
    """Chance that a sequence repeats spans instead; needs `lengths`. The rest holds pairs."""
    queries: int = 8
    passes_at: float = 0.85
    """Running accuracy at which training goes on to the next level."""


@dataclass(frozen=True, slots=True)
class RecallBatch:
    """Sequences of one length; all arrays have shape (B, T)."""

    ids: np.ndarray
    targets: np.ndarray
    """True where the token can be copied from a record and carries loss."""
    distances: np.ndarray
    """Tokens back to the copied token where `targets` is true, else 0."""


@dataclass(slots=True)
class _Sequence:
    """A sequence in the making: segments of tokens, each with the segment-relative copy sources."""

    segments: list[list[int]]
    first_query: int
    answers: list[tuple[int, int, int, int, int]]
    """(query segment, offset in it, record segment, offset in it, token count)"""


def draw_batch(level: Level, token_count: int, rng: np.random.Generator) -> RecallBatch:
    """About `token_count` tokens of sequences at one level."""
    if level.lengths is None:
        length = None
        rows = max(8, token_count // ((level.records[1] + min(level.records[1], level.queries)) * 5))
    else:
        low, high = np.log(level.lengths)
        length = int(np.exp(rng.uniform(low, high)))
        rows = max(1, token_count // length)
    laid = [_lay_out(_draw_sequence(level, length, rng), length, rng) for _ in range(rows)]
    ids, distances = (np.stack(parts) for parts in zip(*laid, strict=True))
    return RecallBatch(ids, distances > 0, distances)


def _draw_sequence(level: Level, length: int | None, rng: np.random.Generator) -> _Sequence:
    # A permutation split in two keeps what identifies (keys, markers) out of values and filler.
    names = iter(rng.permutation(VOCABULARY - FIRST_ORDINARY_ID)[:800] + FIRST_ORDINARY_ID)
    kind = rng.random()
    if length is not None and kind < level.echo_share:
        return _draw_echo(length, rng)
    if length is not None and kind < level.echo_share + level.table_share:
        return _draw_table(level, length, names, rng)
    return _draw_pairs(level, length, names, rng)


def _draw_echo(length: int, rng: np.random.Generator) -> _Sequence:
    text = _random_tokens(int(length * rng.uniform(0.2, 0.6)), rng)
    sequence = _Sequence([text], 1, [])
    total = len(text)
    while True:
        count = int(rng.integers(3, 13))
        total += count
        if total > length:
            return sequence
        start = int(rng.integers(len(text) - count))
        # What follows a span's first token can be copied; that token itself is anyone's guess.
        sequence.answers.append((len(sequence.segments), 1, 0, start + 1, count - 1))
        sequence.segments.append(text[start : start + count])


def _draw_pairs(level: Level, length: int | None, names, rng: np.random.Generator) -> _Sequence:
    count = _between(level.records, rng)
    room = None if length is None else length * 2 // 3
    keys: list[list[int]] = []
    values: list[list[int]] = []
    used = 0
    for _ in range(count):
        key = [int(next(names)) for _ in range(_between(level.key_tokens, rng))]
        if length is not None and keys and len(key) > 1 and rng.random() < 0.3:
            key[0] = keys[int(rng.integers(len(keys)))][0]
        value = _random_tokens(_between(level.value_tokens, rng), rng)
        used += 1 + len(key) + len(value)
        if room is not None and used > room and keys:
            break
        keys.append(key)
        values.append(value)
    if length is not None:
        _lengthen_prefix_keys(keys, names)
    segments = [[SEP, *key, *value] for key, value in zip(keys, values, strict=True)]
    sequence = _Sequence(segments, len(segments), [])
    asked = rng.permutation(len(keys)) if length is None else rng.integers(len(keys), size=level.queries)
    total = sum(map(len, segments))
    for i in asked[: level.queries]:
        query = [QUERY, *keys[i], *values[i]]
        total += len(query)
        if length is not None and total > length:
            break
        offset = 1 + len(keys[i])
        sequence.answers.append((len(sequence.segments), offset, int(i), offset, len(values[i])))
        sequence.segments.append(query)
    return sequence


def _lengthen_prefix_keys(keys: list[list[int]], names) -> None:
    """Extend a one-token key that is also another key's first token, so that every query has one answer."""
    for i, key in enumerate(keys):
        if len(key) == 1 and any(other[0] == key[0] for j, other in enumerate(keys) if j != i):
            key.append(int(next(names)))


def _draw_table(level: Level, length: int, names, rng: np.random.Generator) -> _Sequence:
    field_count = int(rng.integers(2, 6))
    markers = [[int(next(names)) for _ in range(int(rng.integers(1, 3)))] for _ in range(field_count)]
    draws = [_FieldValues(rng) for _ in range(field_count)]
    rows: list[list[list[int]]] = []
    used, room = 0, length * 2 // 3
    for _ in range(_between(level.records, rng)):
        row = [draw(rng) for draw in draws]
        used += 1 + sum(map(len, row)) + sum(map(len, markers))
        if used > room and rows:
            break
        rows.append(row)
    segments, starts = [], []
    for row in rows:
        segment, offsets = [SEP], []
        for marker, value in zip(markers, row, strict=True):
            segment += marker
            offsets.append(len(segment))
            segment += value
        segments.append(segment)
        starts.append(offsets)
    sequence = _Sequence(segments, len(segments), [])
    identifying = [f for f in range(field_count) if len({tuple(row[f]) for row in rows}) == len(rows)]
    total = sum(map(len, segments))
    for _ in range(level.queries if identifying else 0):
        i = int(rng.integers(len(rows)))
        a = identifying[int(rng.integers(len(identifying)))]
        b = (a + int(rng.integers(1, field_count))) % field_count
        query = [QUERY, *markers[a], *rows[i][a], *markers[b]]
        fixed = draws[b].fixed_count
        answer = (len(sequence.segments), len(query) + fixed, i, starts[i][b] + fixed, len(rows[i][b]) - fixed)
        query += rows[i][b]
        total += len(query)
        if total > length:
            break
        sequence.answers.append(answer)
        sequence.segments.append(query)
    return sequence


class _FieldValues:
    """Draws one field's values: perhaps with a fixed start (as ids have), perhaps from few tokens (as digits are)."""

    def __init__(self, rng: np.random.Generator):
        self._fixed = _random_tokens(int(rng.integers(0, 3)), rng)
        self._pool = _random_tokens(int(rng.integers(10, 100)), rng) if rng.random() < 0.5 else None
        self._lengths = (1, 3) if rng.random() < 0.5 else (2, 5)
        self.fixed_count = len(self._fixed)

    def __call__(self, rng: np.random.Generator) -> list[int]:
        count = _between(self._lengths, rng)
        if self._pool is None:
            return self._fixed + _random_tokens(count, rng)
        return self._fixed + [self._pool[i] for i in rng.integers(len(self._pool), size=count)]


def _lay_out(sequence: _Sequence, length: int | None, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Token ids and copy distances, with filler before segments so that the whole has `length` tokens."""
    sizes = np.array([len(segment) for segment in sequence.segments])
    gaps = np.zeros(len(sizes), dtype=int)
    if length is not None:
        # Few slots take most of the filler: the start, the way to the first query, or some gap.
        weights = rng.dirichlet(np.full(len(sizes) + 2, 0.2))
        weights[0] += weights[-2]
        weights[sequence.first_query if sequence.first_query < len(sizes) else 0] += weights[-1]
        gaps = rng.multinomial(length - sizes.sum(), weights[:-2] / weights[:-2].sum())
    starts = np.cumsum(gaps + sizes) - sizes
    total = int(starts[-1] + sizes[-1])
    ids = np.array(_random_tokens(total, rng), dtype=np.int64)
    distances = np.zeros(total, dtype=np.int64)
    for start, segment in zip(starts, sequence.segments, strict=True):
        ids[start : start + len(segment)] = segment
    for query, offset, record, source, count in sequence.answers:
        at = starts[query] + offset
        distances[at : at + count] = at - starts[record] - source
    return ids, distances


def _between(bounds: tuple[int, int], rng: np.random.Generator) -> int:
    return int(rng.integers(bounds[0], bounds[1] + 1))


def _random_tokens(count: int, rng: np.random.Generator) -> list[int]:
    return rng.integers(FIRST_ORDINARY_ID, VOCABULARY, size=count).tolist()
