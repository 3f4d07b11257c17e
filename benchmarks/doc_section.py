"""A section of a page is what stands between its two markers, written by the benchmark that the first of them names.

<!-- begin recall: python -m benchmarks.decontamination_recall --write -->
<!-- end recall -->
"""

from __future__ import annotations

import re
from pathlib import Path


def write_section(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of section `name` in the page at `path`.

    Raises ValueError when the page doesn't have both markers exactly once, in order.
    """
    page = path.read_text("utf-8")
    markers = re.compile(
        rf"(<!-- begin {re.escape(name)}(?::[^>]*)? -->\n).*?(<!-- end {re.escape(name)} -->)", re.DOTALL
    )
    found = markers.findall(page)
    if len(found) != 1:
        raise ValueError(
            f"{path} has {len(found)} sections {name!r}, expected one; put the lines "
            f"'<!-- begin {name}: COMMAND -->' and '<!-- end {name} -->' where it belongs"
        )
    path.write_text(markers.sub(lambda match: f"{match[1]}\n{text.strip()}\n\n{match[2]}", page), "utf-8")
