"""A report is one self-contained HTML page (or its numbers as JSON) about one generation's training and its gain."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation import plots
from evaluation.comparison import Comparison, Row
from evaluation.number_text import count, interval, percent, points
from evaluation.report_inputs import ReportInputs, TrainingUpdate


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One line of the training table, as text."""

    name: str
    first: str
    last: str
    mean: str
    least: str
    greatest: str


def render_report(inputs: ReportInputs) -> str:
    """The page as HTML text: equal inputs give equal text, and nothing in it is loaded from elsewhere."""
    pages = Environment(
        loader=PackageLoader("evaluation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(percent=percent, points=points, count=count)
    whole = _whole(inputs.comparison)
    return pages.get_template("report.html.j2").render(
        report=inputs,
        interval=interval,
        whole=whole,
        result=inputs.comparison,
        finding=finding(inputs.comparison),
        diagnostics=_diagnostics(inputs.updates),
        figures=_figures(inputs, whole),
    )


def report_json(inputs: ReportInputs) -> dict[str, Any]:
    """The headline under `evaluation` and every number of the page beside it, as plain JSON data."""
    return {"evaluation": inputs.comparison.summary(), **inputs.to_json()}


def finding(result: Comparison) -> str:
    """What the interval allows to be said, in one sentence."""
    level = f"{100 * result.confidence:g}%"
    if result.low is None or result.high is None:
        return "Too few tasks to say whether the adapter helps."
    if result.low > 0:
        return f"The adapter solves more than the base: the {level} interval of the gain lies above zero."
    if result.high < 0:
        return f"The adapter solves less than the base: the {level} interval of the gain lies below zero."
    return f"No difference is shown: the {level} interval of the gain contains zero."


def _whole(result: Comparison) -> Row:
    return Row(
        name="all",
        base=result.base,
        adapter=result.adapter,
        gain=result.gain,
        low=result.low,
        high=result.high,
        tasks=result.tasks,
        attempts=result.attempts,
    )


def _figures(inputs: ReportInputs, whole: Row) -> dict[str, dict[str, Markup]]:
    """Each figure drawn twice: `wide` for a page, `narrow` for a telephone."""
    drawings: dict[str, Callable[[bool], str]] = {
        "gains": lambda narrow: plots.gains((whole, *inputs.comparison.domains), narrow=narrow)
    }
    moved = inputs.comparison.moved
    if moved:
        drawings["changes"] = lambda narrow: plots.changes(moved, narrow=narrow)
    if inputs.sharpening:
        sharpening = inputs.sharpening
        drawings["temperatures"] = lambda narrow: plots.temperatures(sharpening, narrow=narrow)
    if inputs.pass_rates:
        rates = inputs.pass_rates
        drawings["pass_rates"] = lambda narrow: plots.pass_rates(rates, narrow=narrow)
    if inputs.updates:
        drawings["training"] = lambda narrow: plots.training_curves(inputs.updates, inputs.monitor, narrow=narrow)
    # The SVG is our own and matplotlib escapes the labels in it, so it goes in as it is.
    return {name: {"wide": Markup(draw(False)), "narrow": Markup(draw(True))} for name, draw in drawings.items()}


def _diagnostics(updates: tuple[TrainingUpdate, ...]) -> tuple[Diagnostic, ...]:
    def plain(value: float) -> str:
        return f"{value:.3f}"

    columns: tuple[tuple[str, Callable[[TrainingUpdate], float | None], Callable[[float], str]], ...] = (
        ("Mean reward before penalties", lambda update: update.reward, plain),
        ("Mean reward after penalties", lambda update: update.penalised_reward, plain),
        ("Entropy, nats a token", lambda update: update.entropy, plain),
        ("Groups of equal rewards", lambda update: update.zero_variance_share, percent),
        ("Attempts cut at a limit", lambda update: update.truncated_share, percent),
        ("Tokens clipped in the ratio", lambda update: update.clipped_share, percent),
        ("Tokens sampled", lambda update: update.tokens, lambda value: count(round(value))),
        ("Gradient norm", lambda update: update.gradient_norm, plain),
        ("Seconds", lambda update: update.seconds, lambda value: f"{value:.1f}"),
    )
    lines = []
    for name, read, shown in columns:
        values = [value for value in map(read, updates) if value is not None]
        if values:
            numbers = (values[0], values[-1], statistics.fmean(values), min(values), max(values))
            lines.append(Diagnostic(name, *map(shown, numbers)))
    return tuple(lines)
