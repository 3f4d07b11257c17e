"""A materialization is what Dagster shows of an artifact: its manifest's counts, a preview, a plot."""

import base64
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from assets.manifest import Manifest

_PREVIEW_ROWS = 8
_PREVIEW_LETTERS = 120
_SVG_NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def result_of(manifest: Manifest, **more: Any) -> dg.MaterializeResult:
    """The manifest as a result: kept and dropped by reason add up to what came in."""
    dropped = {f"dropped: {reason}": count for reason, count in manifest.dropped.items()}
    return dg.MaterializeResult(
        data_version=dg.DataVersion(manifest.content_hash),
        metadata={
            "rows in": manifest.rows_in,
            "rows out": manifest.rows_out,
            "dagster/row_count": manifest.rows_out,
            **dropped,
            **more,
            "engagement hash": manifest.engagement_hash,
            "seed": manifest.seed,
            "seconds": manifest.seconds,
            "commit": manifest.code.commit or "not in a git checkout",
        },
    )


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> dg.MarkdownMetadataValue:
    """The first rows as a table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in itertools.islice(rows, _PREVIEW_ROWS):
        lines.append("| " + " | ".join(_cell(row.get(column)) for column in columns) + " |")
    return dg.MetadataValue.md("\n".join(lines))


def picture(svg: str) -> dg.MarkdownMetadataValue:
    """A drawing, which must name its name space when it stands outside a page."""
    svg = svg.replace("<svg", f"<svg {_SVG_NAMES}", 1)
    data = base64.b64encode(svg.encode()).decode()
    return dg.MetadataValue.md(f"![plot](data:image/svg+xml;base64,{data})")


def _cell(value: Any) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= _PREVIEW_LETTERS else text[: _PREVIEW_LETTERS - 1] + "…"
