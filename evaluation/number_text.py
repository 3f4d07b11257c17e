"""A number as text is how the report writes a rate, a gain, an interval or a count."""

from __future__ import annotations

MINUS = "\N{MINUS SIGN}"


def percent(rate: float) -> str:
    """A rate such as 0.4545 as `45.5%`."""
    return f"{100 * rate:.1f}%"


def points(gain: float) -> str:
    """A difference of rates such as 0.1411 as `+14.1`, in percentage points."""
    rounded = f"{100 * gain:+.1f}"
    return "0.0" if float(rounded) == 0 else rounded.replace("-", MINUS)


def interval(low: float | None, high: float | None) -> str:
    """The ends of a gain's interval, such as `+11.0 to +17.2`, in percentage points."""
    if low is None or high is None:
        return "no interval"
    return f"{points(low)} to {points(high)}"


def count(number: int) -> str:
    """A count with a comma between thousands."""
    return f"{number:,}"
