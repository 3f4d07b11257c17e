"""A selection plot is an inline SVG figure of a selection report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluation.plots import ACCENT, ADAPTER, LINE, MUTED, PALE, drawn
from evaluation.selection_inputs import AuditGroup, KnobEffect

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def knob_effects(knobs: Sequence[KnobEffect], *, narrow: bool) -> str:
    """Effect of each knob with its interval, from top to bottom; those clear of 0 stand out."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(0, color=MUTED, linewidth=1)
        for place, knob in enumerate(knobs):
            colour = ADAPTER if knob.low > 0 or knob.high < 0 else PALE
            axes.plot([knob.low, knob.high], [place, place], color=colour, linewidth=2)
            axes.plot(knob.effect, place, "o", color=colour, markersize=6)
        axes.set_yticks(range(len(knobs)), [knob.knob for knob in knobs])
        axes.set_ylim(len(knobs) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_xlabel(
            "logits for a standard deviation more"
            if narrow
            else "logits of the pass rate for one standard deviation more"
        )

    return drawn("knobs", draw, narrow=narrow, height_in=0.8 + 0.27 * len(knobs))


def audit_agreement(groups: Sequence[AuditGroup], *, narrow: bool) -> str:
    """The audit's pass rate of each group of tasks, with its interval, over what was believed of them."""

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0, 100], [0, 100], color=LINE, linewidth=1.5, label="as believed")
        for place, group in enumerate(groups):
            believed = 100 * group.believed
            axes.plot([believed, believed], [100 * group.low, 100 * group.high], color=ACCENT, linewidth=2)
            axes.plot(
                believed,
                100 * group.mean,
                "o",
                color=ACCENT,
                markersize=7,
                label=None if place else "audit, 95% interval",
            )
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        axes.grid()
        axes.set_xlabel("posterior mean pass rate, %")
        axes.set_ylabel("passed in the audit, %")
        axes.legend(loc="upper left")

    return drawn("audit", draw, narrow=narrow, height_in=3.3)
