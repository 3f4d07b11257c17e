"""The capability page of made-up results: complete, self-contained, the same every time."""

from __future__ import annotations

import re

import pytest

from evaluation.capability.comparison import CapabilityComparison, compare_capability
from evaluation.capability.report import render_capability
from evaluation.capability.results import read_results
from tests.evaluation.capability import runs


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> CapabilityComparison:
    folder = tmp_path_factory.mktemp("results")
    for side, model in (("base", "small <1>"), ("adapter", "tuned")):
        lost = range(0 if side == "base" else 25)
        runs.byob(folder / side / "own", "own", runs.right(300, wrong=lost), model=model)
        runs.simple_evals(folder / side / "m", "m", {f"q{one}": [1.0, one % 2] for one in range(50)}, model=model)
        runs.counted(folder / side / "plain", "plain", 0.5, 200, model=model)
    return compare_capability(*(read_results(folder / side) for side in ("base", "adapter")), seed="page")


def test_the_page_has_the_verdict_every_benchmark_and_its_test(found: CapabilityComparison) -> None:
    page = render_capability("Capability: small.g1", found, {"Engagement": "small.g1"}, {"evaluation": "e.html"})
    text = re.sub(r"<[^>]+>", " ", page)
    assert "Dropped on one of three: own (−8.3 points)." in text
    for row in found.rows:
        assert row.test in text and f"{row.task}" in text
    assert re.search(r"own\s+100.0%\s+91.7%\s+−8.3\s", text)
    assert "25 / 0" in text and "&lt;\N{NO-BREAK SPACE}0.001" in text
    assert '<tr class="dropped">' in page and 'class="lines alarm"' in page
    assert "small &lt;1&gt; against tuned" in text
    assert '<a href="e.html">evaluation</a>' in page


def test_the_page_loads_nothing_and_is_the_same_every_time(found: CapabilityComparison) -> None:
    page = render_capability("Capability", found, {})
    assert page == render_capability("Capability", found, {})
    assert not re.search(r"https?://|<script|<link|src=", page)
    assert page.count("<svg") == 2


def test_the_comparison_survives_json(found: CapabilityComparison) -> None:
    assert CapabilityComparison.model_validate_json(found.model_dump_json()) == found
