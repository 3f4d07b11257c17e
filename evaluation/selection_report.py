"""A selection report is one self-contained HTML page about how a training set was found, or why it was not."""

from __future__ import annotations

from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation import plots, selection_plots
from evaluation.number_text import count, percent
from evaluation.selection_inputs import SelectionInputs


def render_selection(inputs: SelectionInputs) -> str:
    """The page as HTML text: equal inputs give equal text, and nothing in it is loaded from elsewhere."""
    pages = Environment(
        loader=PackageLoader("evaluation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(percent=percent, count=count)
    return pages.get_template("selection.html.j2").render(report=inputs, figures=_figures(inputs))


def _figures(inputs: SelectionInputs) -> dict[str, dict[str, Markup]]:
    """Each figure drawn twice: `wide` for a page, `narrow` for a telephone."""
    drawings: dict[str, Callable[[bool], str]] = {
        "pass_rates": lambda narrow: plots.pass_rates(inputs.pass_rates, narrow=narrow)
    }
    if inputs.knobs:
        drawings["knobs"] = lambda narrow: selection_plots.knob_effects(inputs.knobs, narrow=narrow)
    if inputs.audit_groups:
        drawings["audit"] = lambda narrow: selection_plots.audit_agreement(inputs.audit_groups, narrow=narrow)
    # The SVG is our own and matplotlib escapes the labels in it, so it goes in as it is.
    return {name: {"wide": Markup(draw(False)), "narrow": Markup(draw(True))} for name, draw in drawings.items()}
