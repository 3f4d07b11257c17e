"""The decontamination report shows every dropped task beside what it overlaps with, and what was compared with what."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from decontam.domains import APPLICATION_NAMES, APPLICATIONS, MAIL_PROVIDERS, RESERVED
from decontam.lexicon import GENERIC_NAMES, LEGAL_SUFFIXES
from decontam.verdicts import RULES, Decontamination, Overlap
from decontam.words import run_position, spans_of

RULE_TITLES = {
    "shared_passage": "Shares a run of words with a benchmark task",
    "company_name": "Names a company of the benchmark",
    "like_benchmark": "Like a benchmark task as a whole",
    "like_meaning": "Means what a benchmark task means",
    "like_earlier": "Like a task of an earlier generation",
    "copy_in_set": "Copy of a task of this set",
}
_CONTEXT_WORDS = 40
_SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("domain", pa.string()),
        ("family", pa.string()),
        ("kept", pa.bool_()),
        ("cluster", pa.string()),
        ("rule", pa.string()),
        ("rules", pa.list_(pa.string())),
        ("path", pa.string()),
        ("text", pa.string()),
        ("other", pa.string()),
        ("other_path", pa.string()),
        ("other_text", pa.string()),
        ("shared", pa.string()),
        ("other_shared", pa.string()),
        ("similarity", pa.float64()),
    ]
)


def report_rows(result: Decontamination) -> pa.Table:
    """One row a task in the order of the input; of a dropped one, the overlap that it is counted under."""
    rows = []
    for ruling in result.rulings:
        row = ruling.to_json()
        overlaps = row.pop("overlaps")
        first = overlaps[0] if overlaps else {}
        row["rules"] = [overlap["rule"] for overlap in overlaps]
        for name in ("rule", "path", "text", "other", "other_path", "other_text", "similarity"):
            row[name] = first.get(name)
        for name in ("shared", "other_shared"):
            row[name] = " ".join(first[name]) if first else None
        rows.append(row)
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def report_html(result: Decontamination) -> str:
    """One self-contained page: totals, what was compared, limits and lists in force, and every drop side by side."""
    dropped = [
        {
            "ruling": ruling,
            "title": RULE_TITLES[ruling.overlaps[0].rule],
            "overlap": ruling.overlaps[0],
            "also": [RULE_TITLES[overlap.rule] for overlap in ruling.overlaps[1:]],
            "ours": marked(ruling.overlaps[0], ours=True, size=result.settings.shingle_words),
            "theirs": marked(ruling.overlaps[0], ours=False, size=result.settings.shingle_words),
        }
        for ruling in result.rulings
        if not ruling.kept
    ]
    clusters: dict[str, int] = {}
    for cluster in result.clusters().values():
        clusters[cluster] = clusters.get(cluster, 0) + 1
    return _template().render(
        result=result,
        counts=result.counts(),
        rules=[(rule, RULE_TITLES[rule], result.counts()[rule]) for rule in RULES],
        dropped=dropped,
        clusters=sorted(
            ((size, name) for name, size in clusters.items() if size > 1), key=lambda row: (-row[0], row[1])
        ),
        lists={
            "Reserved domains, with all below them": RESERVED,
            "Mail providers' domains": MAIL_PROVIDERS,
            "Applications' domains": APPLICATIONS,
            "Applications' names": APPLICATION_NAMES,
            "Words that name no company, alone or in a row": sorted(GENERIC_NAMES),
            "Legal suffixes dropped before names are compared": sorted(LEGAL_SUFFIXES),
        },
    )


class Piece(NamedTuple):
    """A stretch of a text, shared with the other one or not."""

    text: str
    is_shared: bool


def marked(overlap: Overlap, ours: bool, size: int) -> tuple[Piece, ...]:
    """One side of an overlap around its shared words, cut where marks begin and end; "… " stands for what is left out.

    `size` is the number of words of a shingle, by which texts that are alike as wholes are marked.
    """
    text, other = (overlap.text, overlap.other_text) if ours else (overlap.other_text, overlap.text)
    spans = spans_of(text)
    words = [span.word for span in spans]
    if overlap.similarity is None:
        run = overlap.shared if ours else overlap.other_shared
        start = run_position(words, run)
        shared = set() if start is None else set(range(start, start + len(run)))
    else:
        shared = _common_places(words, [span.word for span in spans_of(other)], size)
    first = max(0, min(shared, default=0) - _CONTEXT_WORDS)
    last = min(len(spans), max(shared, default=_CONTEXT_WORDS) + _CONTEXT_WORDS + 1)
    pieces: list[Piece] = [Piece("… ", False)] if first else []
    at = spans[first].start if spans else 0
    for place in range(first, last):
        end = spans[place + 1].start if place + 1 < last else spans[place].end
        if end > at:
            is_shared = place in shared
            # The gap after the last shared word of a run stays unmarked.
            cut = spans[place].end if is_shared and place + 1 not in shared else end
            pieces += [Piece(text[at:cut], is_shared), Piece(text[cut:end], False)]
            at = end
    if last < len(spans):
        pieces.append(Piece(" …", False))
    return _joined([piece for piece in pieces if piece.text])


def _common_places(words: list[str], others: list[str], size: int) -> set[int]:
    windows = {tuple(others[start : start + size]) for start in range(len(others) - size + 1)}
    starts = (start for start in range(len(words) - size + 1) if tuple(words[start : start + size]) in windows)
    return {start + offset for start in starts for offset in range(size)}


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    joined: list[Piece] = []
    for piece in pieces:
        if joined and joined[-1].is_shared == piece.is_shared:
            joined[-1] = Piece(joined[-1].text + piece.text, piece.is_shared)
        else:
            joined.append(piece)
    return tuple(joined)


@lru_cache(maxsize=1)
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("report.html.j2")
