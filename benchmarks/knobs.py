"""What each knob of each family does to the number of reference calls and to the text of the world.

    python -m benchmarks.knobs                      # prints the table
    python -m benchmarks.knobs --out docs/knobs.md  # and writes it

Every knob is set from its lowest to its highest while the others stand half way; means over seeds. Exits with 1 when a
knob makes tasks smaller, or when a family's highest settings stay under 20 calls or 30,000 tokens.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from generators.depth import Depth, KnobDepth, highest, knob_depth, lowest, mean_depth
from generators.families import FAMILIES
from generators.family import Family

CALLS, TOKENS = 20, 30_000


def half_way(family: Family) -> dict[str, int]:
    """Every knob in the middle of its range."""
    return {name: (knob.low + knob.high + 1) // 2 for name, knob in family.knobs.items()}


def row(family: Family, measured: KnobDepth) -> str:
    """A line of the table."""
    calls = " → ".join(f"{depth.calls:.1f}" for depth in measured.depths)
    tokens = " → ".join(f"{depth.tokens / 1000:.1f}" for depth in measured.depths)
    settings = " → ".join(map(str, measured.settings))
    return f"| {measured.knob} | {family.knobs[measured.knob].unit} | {settings} | {calls} | {tokens} |"


def ends(what: str, depth: Depth) -> str:
    """A sentence on the depth at one end of all knobs."""
    return f"{what}: {depth.calls:.1f} calls, {depth.tokens:,.0f} tokens of world text."


def main() -> int:
    """Measure, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    seeds = [f"knobs-{number}" for number in range(arguments.seeds)]
    lines = [
        "# What the knobs do",
        "",
        f"Written by `python -m benchmarks.knobs --out docs/knobs.md`. Means over {arguments.seeds} seeds; each knob "
        "is raised while the others stand half way. Tokens are characters of the world's texts divided by four.",
    ]
    short = []
    for family in FAMILIES:
        low, top = mean_depth(family, lowest(family), seeds), mean_depth(family, highest(family), seeds)
        lines += ["", f"## {family.name} ({family.domain})", "", f"{ends('Lowest', low)} {ends('Highest', top)}", ""]
        lines += ["| knob | counts | settings | calls | thousand tokens |", "| --- | --- | --- | --- | --- |"]
        if low.calls > 2 or top.calls < CALLS or top.tokens < TOKENS:
            short.append(f"{family.name}: {ends('lowest', low)} {ends('highest', top)}")
        for name in family.knobs:
            measured = knob_depth(family, name, half_way(family), seeds, arguments.steps)
            lines.append(row(family, measured))
            if measured.falls or not measured.rises:
                short.append(f"{family.name}: {row(family, measured)}")
    print("\n".join(lines))
    if arguments.out:
        arguments.out.write_text("\n".join(lines) + "\n", "utf-8")
    for line in short:
        print(f"SHORT {line}")
    return 1 if short else 0


if __name__ == "__main__":
    raise SystemExit(main())
