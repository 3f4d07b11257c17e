"""A marking is a text cut where the words that it shares with another text begin and end."""

from __future__ import annotations

from typing import NamedTuple

from decontam.verdicts import Overlap
from decontam.words import Span, run_position, spans_of

_CONTEXT = 40
"""Words shown on either side of shared ones."""
_UNSHARED = 200
"""Words shown of a text that shares none, as of two requests that only mean the same."""
_LONGEST_STRETCH = 200
"""Words of one shared stretch that are shown at its beginning, and as many at its end."""
_MOST = 1000
"""Words of one text that are shown in all."""
_FALLBACK = 5
"""Words that agree in a row where the run itself stands nowhere in one piece."""
_LONGEST_CHUNK = 400
"""Characters without a blank between them that are shown."""
_GAP = " … "


class Piece(NamedTuple):
    """A stretch of a text, shared with the other one or not."""

    text: str
    is_shared: bool


def marked(overlap: Overlap, ours: bool, size: int) -> tuple[Piece, ...]:
    """One side of an overlap around its shared words; an ellipsis stands for what is left out.

    `size` is the number of words of a shingle, by which texts that are alike as wholes are marked.
    """
    text, other = (overlap.text, overlap.other_text) if ours else (overlap.other_text, overlap.text)
    if overlap.rule == "look_alike":
        return _equal_parts(text, other)
    spans = spans_of(text)
    words = [span.word for span in spans]
    if overlap.similarity is None:
        shared = _places_of_run(words, overlap.shared if ours else overlap.other_shared)
    else:
        shared = _common_places(words, [span.word for span in spans_of(other)], size)
    return _pieces(text, _chunks(spans, shared), _shown(len(spans), shared))


def _equal_parts(text: str, other: str) -> tuple[Piece, ...]:
    """A fingerprint in words has an aspect a line and its parts between commas: those that both have are marked."""
    theirs = {(line.partition(": ")[0], part) for line in other.split("\n") for part in _parts(line)}
    pieces: list[Piece] = []
    for line in text.split("\n"):
        aspect, colon, _ = line.partition(": ")
        pieces.append(Piece(f"\n{aspect}{colon}" if pieces else f"{aspect}{colon}", False))
        for number, part in enumerate(_parts(line)):
            pieces += [Piece(", " if number else "", False), Piece(part, (aspect, part) in theirs)]
    return _joined(pieces)


def _parts(line: str) -> list[str]:
    return line.partition(": ")[2].split(", ")


def _places_of_run(words: list[str], run: tuple[str, ...]) -> set[int]:
    start = run_position(words, run)
    if start is not None:
        return set(range(start, start + len(run)))
    return _common_places(words, list(run), min(_FALLBACK, len(run))) if run else set()


def _common_places(words: list[str], others: list[str], size: int) -> set[int]:
    windows = {tuple(others[start : start + size]) for start in range(len(others) - size + 1)}
    starts = (start for start in range(len(words) - size + 1) if tuple(words[start : start + size]) in windows)
    return {start + offset for start in starts for offset in range(size)}


def _shown(count: int, shared: set[int]) -> set[int]:
    """The words to show: shared ones, the middle of a long stretch left out, with what stands around them."""
    if not shared:
        return set(range(min(count, _UNSHARED)))
    shown: set[int] = set()
    for first, last in _stretches(sorted(shared)):
        ends = [(first, last)]
        if last - first >= 2 * _LONGEST_STRETCH:
            ends = [(first, first + _LONGEST_STRETCH - 1), (last - _LONGEST_STRETCH + 1, last)]
        shown.update(*(range(low, high + 1) for low, high in ends))
        shown.update(range(max(0, first - _CONTEXT), first), range(last + 1, min(count, last + _CONTEXT + 1)))
        if len(shown) >= _MOST:
            break
    return shown


def _stretches(places: list[int]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours."""
    found: list[tuple[int, int]] = []
    for place in places:
        if found and found[-1][1] == place - 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found


class _Chunk(NamedTuple):
    """Characters between two blanks, with the numbers of the words in them."""

    start: int
    end: int
    places: range
    is_shared: bool


def _chunks(spans: list[Span], shared: set[int]) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    first = 0
    for place, span in enumerate(spans):
        if place + 1 < len(spans) and spans[place + 1].start == span.start:
            continue
        places = range(first, place + 1)
        chunks.append(_Chunk(span.start, span.end, places, not shared.isdisjoint(places)))
        first = place + 1
    return chunks


def _pieces(text: str, chunks: list[_Chunk], shown: set[int]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    before: _Chunk | None = None
    skipped = False
    for chunk in chunks:
        if shown.isdisjoint(chunk.places):
            skipped = True
            continue
        if skipped:
            pieces.append(Piece(_GAP if before else _GAP.lstrip(), False))
        else:
            # The blank between two shared words is marked with them; before the first and after the last it is not.
            inside = before is not None and before.is_shared and chunk.is_shared
            pieces.append(Piece(text[before.end if before else 0 : chunk.start], inside))
        pieces.append(Piece(_cut(text[chunk.start : chunk.end], _LONGEST_CHUNK), chunk.is_shared))
        before, skipped = chunk, False
    if skipped:
        pieces.append(Piece(_GAP.rstrip(), False))
    elif chunks and not shown.isdisjoint(chunks[-1].places):
        pieces.append(Piece(text[chunks[-1].end :], False))
    return _joined(pieces) if chunks else (Piece(_cut(text, _LONGEST_CHUNK), False),)


def _cut(text: str, limit: int) -> str:
    """The text, or its first `limit` characters with the count of those left out."""
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit:,} more characters)"


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    joined: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if joined and joined[-1].is_shared == piece.is_shared:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.is_shared)
        else:
            joined.append(piece)
    return tuple(joined)
