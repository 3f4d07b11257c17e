"""Comparing reads two policies' result files and writes the report on them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from assets.files import write_text
from evaluation.automationbench import compare_files
from evaluation.comparison import Comparison
from evaluation.export_outcomes import export_exhibits, export_outcomes
from evaluation.failures import analyse
from evaluation.flags import read_flags, read_monitored
from evaluation.harness import COMMANDS, MADE
from evaluation.published import beside_published
from evaluation.report import render_report, report_json
from evaluation.report_inputs import ReportInputs
from evaluation.result_file import DOMAINS, read_result_files
from pipeline.bad_input import BadInput

SEED = "compare"
"""Of the resamples: the same files give the same report."""


def compare_results(
    base: Path,
    adapter: Path,
    out: Path,
    *,
    common: bool = False,
    allow: Sequence[str] = (),
    monitored: Path | None = None,
    flags: Path | None = None,
    published: Path | None = None,
) -> ReportInputs:
    """What the report on two sides' result files shows; each side is a file or a folder of them, `out` its folder.

    Raises ValueError or BadInput with one sentence for files that are none or cannot be compared.
    """
    sides = read_result_files(result_files(base)), read_result_files(result_files(adapter))
    found = compare_files(
        *sides,
        seed=SEED,
        common=common,
        allow=allow,
        monitored=read_monitored(monitored) if monitored else (),
        flags=read_flags(flags) if flags else None,
    )
    named = {
        f"{name}: {file.name}": file for name, files in zip(("Base", "Adapter"), sides, strict=True) for file in files
    }
    analysis = analyse(*map(export_outcomes, sides))
    return ReportInputs(
        title=f"{found.adapter_policy} against {found.base_policy}",
        policy_label="Two policies from their result files",
        suite=f"{found.tasks} AutomationBench tasks of the domains {', '.join(_domains(found))}",
        sampling={},
        comparison=found,
        sharpening=None,
        published=beside_published(found, published),
        failures=analysis,
        exhibits=export_exhibits((*analysis.gains, *analysis.losses), *sides),
        failures_of="the result files",
        funnel=(),
        pass_rates=None,
        updates=(),
        monitor=(),
        stopping=None,
        decontamination=None,
        provenance={name: f"sha256 {file.digest}" for name, file in named.items()},
        links={"headline": "report.json", **{name: _seen(file.path, out) for name, file in named.items()}},
    )


def write_report(inputs: ReportInputs, folder: Path) -> Path:
    """Writes report.html and report.json into the folder and returns the page's path."""
    numbers, page = json.dumps(report_json(inputs), indent=1, allow_nan=False), render_report(inputs)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / "report.json", numbers)
        write_text(folder / "report.html", page)
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error}); give another folder with --out") from None
    return folder / "report.html"


def result_files(path: Path) -> list[Path]:
    """The file itself, or the JSON files of a folder by name, 10 after 9; not what our harness says of its own work."""
    if not path.is_dir():
        return [path]
    jsons = [*path.glob("*.json"), *path.glob("*.jsonl")]
    found = sorted((one for one in jsons if one.name not in (MADE, COMMANDS)), key=_in_order)
    if not found:
        raise BadInput(f"{path} holds no JSON file; give a folder of result files, or one file")
    return found


def _in_order(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def _seen(path: Path, folder: Path) -> str:
    """The file as a link on a page in the folder."""
    return quote(os.fsencode(os.path.relpath(path, folder)))


def _domains(found: Comparison) -> list[str]:
    names = [row.name for row in found.domains]
    return [name for name in DOMAINS if name in names]
