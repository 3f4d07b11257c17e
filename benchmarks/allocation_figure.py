"""The figure of attempts against precision: what each way of finding tasks in band costs, and how many truly are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

_MARKERS = "osD^v"
_COLOURS = ("#0b5fa5", "#c2410c", "#15803d", "#7c3aed", "#57534e")


@dataclass(frozen=True, slots=True)
class Curve:
    """One way, at several settings."""

    label: str
    points: tuple[tuple[float, float], ...]
    """Attempts, and the true share in band."""


def draw(curves: Sequence[Curve], title: str, path: Path) -> None:
    """Writes the figure as SVG; the same curves give the same bytes."""
    with matplotlib.rc_context({"svg.hashsalt": "calibration", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(7.6, 4.4), layout="constrained")
        axes = figure.subplots()
        for place, curve in enumerate(curves):
            attempts, in_band = zip(*curve.points, strict=True)
            marker, colour = _MARKERS[place % len(_MARKERS)], _COLOURS[place % len(_COLOURS)]
            axes.plot(attempts, in_band, marker=marker, color=colour, label=curve.label, linewidth=1.6, markersize=5)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks([2000, 5000, 10_000, 20_000, 50_000])
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        axes.set_xlabel("attempts until the training set is full (logarithmic)")
        axes.set_ylabel("of the selected truly in band")
        axes.set_title(title, fontsize=10, loc="left")
        axes.grid(True, color="#e5e5e5")
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        axes.legend(frameon=False, loc="lower right", fontsize=8.5)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
