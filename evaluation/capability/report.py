"""A capability report is one self-contained HTML page about what else the adapter still can do, or no longer can."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation.capability.comparison import CapabilityComparison, short_names
from evaluation.capability.plot import differences
from evaluation.number_text import count, interval, percent, points


def render_capability(
    title: str, found: CapabilityComparison, provenance: Mapping[str, str], links: Mapping[str, str] | None = None
) -> str:
    """The page as HTML text: equal inputs give equal text, and nothing in it is loaded from elsewhere.

    `provenance` says what the numbers come from; `links` are pages beside it, by their names.
    """
    pages = Environment(
        loader=PackageLoader("evaluation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(percent=percent, points=points, count=count, p=_p)
    # The SVG is our own and matplotlib escapes the labels in it, so it goes in as it is.
    figures = {size: Markup(differences(found.rows, narrow=size == "narrow")) for size in ("wide", "narrow")}
    return pages.get_template("capability.html.j2").render(
        title=title,
        found=found,
        names=short_names(found.rows),
        provenance=provenance,
        links=links or {},
        figures=figures,
        interval=interval,
    )


def _p(value: float | None) -> str:
    if value is None:
        return "none"
    return "<\N{NO-BREAK SPACE}0.001" if value < 0.001 else f"{value:.3f}"
