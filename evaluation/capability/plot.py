"""The plot of a capability comparison: each benchmark's difference with its interval, and what would have been seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.capability.comparison import Difference, short_names
from evaluation.number_text import points
from evaluation.plots import ACCENT, ADAPTER, INK, MUTED, drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"dropped": ACCENT, "untested": MUTED}


def differences(rows: Sequence[Difference], *, narrow: bool) -> str:
    """Difference of each benchmark in points, from top to bottom; a tick marks the smallest drop that would show."""

    names = short_names(rows)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=MUTED, linewidth=1)
        for place, row in enumerate(rows):
            colour = _COLOURS.get(row.outcome, ADAPTER)
            if row.low is not None and row.high is not None:
                axes.plot([100 * row.low, 100 * row.high], [place, place], color=colour, linewidth=1.8)
            if row.detectable is not None:
                axes.plot(-100 * row.detectable, place, "|", color=MUTED, markersize=11, markeredgewidth=1.6)
            axes.plot(100 * row.difference, place, "o", color=colour, markersize=6)
            axes.annotate(
                points(row.difference),
                (100 * row.difference, place),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
            )
        axes.set_yticks(range(len(rows)), [names[row.task] for row in rows], color=INK)
        axes.set_ylim(len(rows) - 0.5, -0.8)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel("adapter minus base, points")

    return drawn("differences", draw, narrow=narrow, height_in=0.75 + 0.36 * len(rows))
