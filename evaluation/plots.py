"""A plot is an inline SVG figure: the same inputs give the same bytes, and it refers to nothing outside itself.

Each function draws for a wide page or, with `narrow`, for a telephone, at sizes where text stays readable.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evaluation.comparison import Moved, Row, Sharpening
from evaluation.number_text import points
from evaluation.report_inputs import BINS, MonitorPoint, PassRates, TrainingUpdate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, LINE = "#1f2933", "#52606d", "#d3dae1"
BASE, PALE, ADAPTER, ACCENT, BAND = "#7b8794", "#b3bcc5", "#0b5cad", "#b4480f", "#e8f1fa"
"""Told apart by lightness as well as hue, so they survive grey printing and colour blindness."""
WIDE_IN, NARROW_IN = 7.5, 3.75
LABEL_LETTERS = 18
SMOOTHED = 5
"""Updates in the moving mean drawn over a noisy curve."""

STYLE = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "text.parse_math": False,
    "font.size": 9,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.titlesize": 9,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "grid.color": "#e9edf1",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "text.color": INK,
}


def gains(rows: Sequence[Row], *, narrow: bool) -> str:
    """Gain of each row with its interval, in points, from top to bottom."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=MUTED, linewidth=1)
        for place, row in enumerate(rows):
            first = place == 0
            if row.low is not None and row.high is not None:
                axes.plot([100 * row.low, 100 * row.high], [place, place], color=ADAPTER, linewidth=3 if first else 1.8)
            axes.plot(100 * row.gain, place, "o", color=ADAPTER, markersize=8 if first else 6)
            axes.annotate(
                points(row.gain),
                (100 * row.gain, place),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=8.5,
                fontweight="bold" if first else "normal",
                bbox={"boxstyle": "square,pad=0.05", "facecolor": "white", "edgecolor": "none"},
            )
        left, right = axes.get_xlim()
        axes.set_xlim(min(left, -1.0), max(right, 1.0))
        axes.set_yticks(range(len(rows)), [_label(row.name) for row in rows], color=INK)
        axes.set_ylim(len(rows) - 0.5, -0.8)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel("gain in pass@1, percentage points")

    return drawn("gains", draw, narrow=narrow, height_in=0.75 + 0.36 * len(rows))


def changes(moved: Sequence[Moved], *, narrow: bool) -> str:
    """Tasks by the change of their pass rate, losses to the left and gains to the right."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        places = [100 * one.change for one in moved]
        width = 0.8 * min([20.0, *(right - left for left, right in pairwise(places))])
        colours = [PALE if place == 0 else ADAPTER if place > 0 else ACCENT for place in places]
        axes.bar(places, [one.tasks for one in moved], width=width, color=colours)
        for place, one in zip(places, moved, strict=True):
            axes.annotate(
                f"{one.tasks:,}", (place, one.tasks), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=8
            )
        axes.set_xlim(-112, 112)
        axes.set_ylim(0, max(one.tasks for one in moved) * 1.18)
        axes.set_xlabel("change of a task's pass rate, percentage points")
        axes.set_ylabel("tasks")
        axes.locator_params(axis="y", integer=True)
        axes.grid(axis="y")

    return drawn("changes", draw, narrow=narrow, height_in=2.5)


def _label(name: str) -> str:
    """Short enough to leave room for the figure beside it."""
    return name if len(name) <= LABEL_LETTERS else f"{name[: LABEL_LETTERS - 1]}…"


def temperatures(result: Sharpening, *, narrow: bool) -> str:
    """The base's pass@1 by sampling temperature beside the adapter's at the evaluation temperature."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        places = list(range(len(result.rows)))
        rates = [100 * row.base for row in result.rows]
        best = [row.temperature == result.best_temperature for row in result.rows]
        axes.bar(places, rates, width=0.6, color=[MUTED if top else PALE for top in best])
        adapter = 100 * result.adapter
        axes.axhline(adapter, color=ADAPTER, linewidth=2)
        axes.set_title(f"line: adapter at {result.evaluation_temperature:g}, {adapter:.1f}%", color=ADAPTER)
        top = max(*rates, adapter, 1) * 1.1
        for place, rate, is_best in zip(places, rates, best, strict=True):
            # Inside a bar that has room for it, since the line may run just above.
            inside = rate > top / 5
            axes.annotate(
                f"{rate:.1f}%",
                (place, rate),
                xytext=(0, -4 if inside else 3),
                textcoords="offset points",
                ha="center",
                va="top" if inside else "bottom",
                fontsize=8.5,
                color="white" if inside and is_best else INK,
            )
        labels = [f"{row.temperature:g}" + (" (greedy)" if row.temperature == 0 else "") for row in result.rows]
        axes.set_xticks(places, labels)
        axes.set_ylim(0, top)
        axes.set_xlabel("sampling temperature of the base")
        axes.set_ylabel("pass@1, %")
        axes.grid(axis="y")

    return drawn("temperatures", draw, narrow=narrow, height_in=2.7)


def pass_rates(rates: PassRates, *, narrow: bool) -> str:
    """Tasks by the base's pass rate before selection and in the selected set, with the band."""

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 1) if narrow else figure.subplots(1, 2)
        width = 100 / BINS
        starts = [width * step for step in range(BINS)]
        named = (("Before selection", rates.before, BASE), ("Selected for training", rates.selected, ADAPTER))
        for axes, (title, counts, colour) in zip(panels, named, strict=True):
            axes.axvspan(100 * rates.band_low, 100 * rates.band_high, color=BAND, zorder=0)
            axes.bar(starts, counts, width=width * 0.88, align="edge", color=colour)
            axes.set_title(f"{title}: {sum(counts):,} tasks")
            axes.set_xlim(0, 100)
            axes.set_ylim(0, max(*counts, 1) * 1.18)
            middle = 50 * (rates.band_low + rates.band_high)
            axes.annotate(
                f"band {100 * rates.band_low:.0f}–{100 * rates.band_high:.0f}%",
                (middle, 0.97),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                color=ADAPTER,
                fontsize=8,
            )
            axes.set_xlabel(f"pass rate of the base ({rates.estimate}), %")
            axes.set_ylabel("tasks")
            axes.yaxis.get_major_locator().set_params(integer=True)
            axes.grid(axis="y")

    return drawn("pass-rates", draw, narrow=narrow, height_in=4.2 if narrow else 2.7)


def training_curves(updates: Sequence[TrainingUpdate], monitor: Sequence[MonitorPoint], *, narrow: bool) -> str:
    """Mean reward and entropy per update, with the monitor's pass rate where it was measured."""

    def draw(figure: Figure) -> None:
        reward, entropy = figure.subplots(2, 1) if narrow else figure.subplots(1, 2)
        steps = [update.update for update in updates]
        _curve(reward, steps, [update.reward for update in updates], ADAPTER, "before penalties")
        _curve(reward, steps, [update.penalised_reward for update in updates], ACCENT, "after penalties")
        if monitor:
            reward.plot(
                [point.update for point in monitor],
                [point.pass_rate for point in monitor],
                "D",
                color=INK,
                markersize=4.5,
                label="monitor pass rate",
            )
        reward.set_title("Mean reward")
        reward.set_ylabel("reward, 0 to 1")
        figure.legend(*reward.get_legend_handles_labels(), loc="outside lower left", ncols=2 if narrow else 3)
        _curve(entropy, steps, [update.entropy for update in updates], ADAPTER, "entropy")
        entropy.set_title("Entropy of the policy")
        entropy.set_ylabel("nats a token")
        entropy.set_ylim(bottom=0)
        for axes in (reward, entropy):
            axes.set_xlabel("update")
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.grid()

    return drawn("training", draw, narrow=narrow, height_in=4.6 if narrow else 2.8)


def _curve(axes: Axes, steps: Sequence[int], values: Sequence[float], colour: str, label: str) -> None:
    """The values as they are, and over a long noisy series their moving mean."""
    if len(values) < 2 * SMOOTHED:
        axes.plot(steps, values, "o-", color=colour, linewidth=1.6, markersize=3, label=label)
        return
    axes.plot(steps, values, color=colour, linewidth=0.8, alpha=0.35)
    means = [
        sum(values[max(0, end - SMOOTHED) : end]) / (end - max(0, end - SMOOTHED)) for end in range(1, len(values) + 1)
    ]
    axes.plot(steps, means, color=colour, linewidth=2, label=label)


def drawn(name: str, draw: Callable[[Figure], None], *, narrow: bool, height_in: float) -> str:
    """The figure that `draw` fills, as an SVG element."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    style: Any = {**STYLE, "svg.hashsalt": f"{name}-{'narrow' if narrow else 'wide'}"}
    written = io.StringIO()
    with mpl.rc_context(style):
        layout = ConstrainedLayoutEngine(h_pad=0.05, hspace=0.06, wspace=0.04)
        figure = Figure(figsize=(NARROW_IN if narrow else WIDE_IN, height_in), layout=layout)
        draw(figure)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(written, format="svg", transparent=True, metadata=nothing)
    return _inline(written.getvalue())


def _inline(document: str) -> str:
    """An SVG document as an element of an HTML page: no prologue, no name spaces, no fixed size, no repeated ids."""
    element = document[document.index("<svg") :]
    element = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", element)
    element = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", element))
    element = re.sub(r'<g id="[^"]*"', "<g", element)
    return re.sub(r"<!--.*?-->|<defs>\s*<style.*?</style>\s*</defs>", "", element, flags=re.DOTALL).strip()
