"""The selection report: every number on the page is that of the records it was made from."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import comb, sqrt
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assets.stages.selection_findings import audit_groups, wilson
from calibration.rating import Calibration
from calibration.selection import Selection
from environment.ledger import AttemptLine
from evaluation.report_inputs import BINS, PassRates
from evaluation.selection_inputs import AuditFindings, AuditGroup, DomainStanding, KnobEffect, Lack, SelectionInputs
from evaluation.selection_report import render_selection
from tests.pipeline.conftest import FinishedRun, finished  # noqa: F401


def line(task: str, strict: bool | None) -> AttemptLine:
    return AttemptLine(task, 0, "p", 1, "audit", strict, None if strict is None else float(strict), 1, 1)


def inputs(**changes: object) -> SelectionInputs:
    counts = tuple(3 if place in (5, 9) else 0 for place in range(BINS))
    given: dict[str, object] = {
        "title": "acme.g1",
        "policy_label": "a model",
        "policy": "0123456789abcdef",
        "attempts": 4713,
        "unscored": 12,
        "tokens_in": 1_200_000,
        "tokens_out": 34_000,
        "cost": 12.375,
        "currency": "EUR",
        "stopped": "complete",
        "pass_rates": PassRates(
            before=counts, selected=counts, band_low=0.2, band_high=0.8, estimate="posterior mean", attempts=4701
        ),
        "selected": 587,
        "accepted": 612,
        "claimed": 0.8912,
        "mean_pass_rate": 0.4567,
        "signal": 555.25,
        "status": "optimal",
        "gap": 0.0001,
        "domains": (
            DomainStanding(
                name="sales", candidates=99, tried=55, attempts=210, accepted=40, wanted=37, selected=37, mean=0.437
            ),
        ),
        "knobs": (KnobEffect(knob="hops", effect=-0.8, low=-1.0, high=-0.6),),
        "residual_sd": 1.23,
        "audit": AuditFindings(scored=580, unscored=7, mean=0.45, standard_error=0.0207, believed=0.4563, z=-0.4),
        "audit_groups": (AuditGroup(tasks=100, believed=0.3, passes=28, low=0.2, high=0.38),),
        **changes,
    }
    return SelectionInputs.model_validate(given)


def words(page: str) -> str:
    """The page's text."""
    text = re.sub(r"<style>.*?</style>|<svg.*?</svg>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(text.split())


def test_the_page_says_what_was_selected_what_it_cost_and_what_the_audit_found() -> None:
    text = words(render_selection(inputs()))
    for said in (
        "587 tasks selected of 612 accepted",
        "89.1% are believed to lie in the band of 20.0% to 80.0%",
        "mean pass rate is 45.7% by the posterior, 45.0% ± 4.1% by the audit",
        "555.2 groups of eight attempts in 587",
        "(solver: optimal, gap 0.0001)",
        "4,713 12 of them unscored",
        "1,234,000 1,200,000 read, 34,000 written",
        "12.38 EUR at the endpoint's prices",
        "sales 99 55 210 40 37 37 43.7%",
        "standard deviation of 1.23 logits",
        "45.0% of 580 passed (standard error 2.1%), 45.6% were expected: 0.4 standard errors below",
        "7 attempts were unscored",
    ):
        assert said in text, said


def test_the_page_is_whole_in_itself_and_the_same_every_time() -> None:
    page = render_selection(inputs())
    assert page == render_selection(inputs())
    assert not re.search(r"(src|href)=\"(?!#)|@import|url\((?!#)", page)
    assert page.count("<svg") == 6
    assert "band 20–80%" in page and "hops" in page


def test_a_shortage_is_told_in_place_of_a_selection() -> None:
    lack = Lack(name="domain sales", sentence="domain sales lacks 3 of 20: raise hops by 1.0", counts={"needed": 20})
    nothing = dict.fromkeys(("claimed", "mean_pass_rate", "signal", "gap", "audit", "cost", "residual_sd"))
    page = render_selection(inputs(lacks=(lack,), selected=0, audit_groups=(), knobs=(), **nothing))
    text = words(page)
    assert "No training set could be selected." in text
    assert "domain sales domain sales lacks 3 of 20: raise hops by 1.0. needed 20" in text
    assert "by the audit" not in text and page.count("<svg") == 2


def test_a_name_from_an_engagement_cannot_break_the_page() -> None:
    page = render_selection(inputs(policy_label="<script>alert(1)</script>"))
    assert "<script>" not in page


def test_audit_attempts_are_grouped_by_what_was_believed_and_unscored_ones_are_left_out() -> None:
    believed = {f"t{place:02d}": place / 40 for place in range(40)}
    lines = [line(task, place % 3 == 0) for place, task in enumerate(believed)] + [line("t00", None)]
    groups = audit_groups(believed, lines)
    assert [group.tasks for group in groups] == [8] * 5
    assert sum(group.passes for group in groups) == 14
    for place, group in enumerate(groups):
        members = range(8 * place, 8 * place + 8)
        assert group.believed == pytest.approx(sum(index / 40 for index in members) / 8)
        assert group.passes == sum(index % 3 == 0 for index in members)
        assert group.mean == group.passes / 8
    assert audit_groups(believed, lines[:3]) == ()


@pytest.mark.parametrize(("passes", "tried"), [(0, 10), (3, 10), (10, 10), (60, 200)])
def test_wilsons_interval_is_where_the_score_test_turns(passes: int, tried: int) -> None:
    for end in wilson(passes, tried):
        if 0 < end < 1:
            assert abs(passes / tried - end) == pytest.approx(1.96 * sqrt(end * (1 - end) / tried), abs=1e-6)
    assert comb(tried, passes) > 0


def test_the_report_of_a_finished_run_has_the_numbers_of_its_ledgers(finished: FinishedRun) -> None:  # noqa: F811
    stage = finished.root / "training_set"
    text = words((stage / "selection_report.html").read_text())
    calibration = Calibration.model_validate_json((finished.root / "calibrated_tasks/calibration.json").read_text())
    selection = Selection.model_validate_json((stage / "selection.json").read_text())
    assert f"{len(selection.task_ids)} tasks selected of {calibration.count('accepted')} accepted" in text
    rows = attempts(finished.root / "calibrated_tasks")
    assert f"Attempts {len(rows)} {sum(row['verdict'] is None for row in rows)} of them unscored" in text
    tried = Counter(str(row["task_id"]).partition(".")[0] for row in rows)
    for domain, count in tried.items():
        candidates = sum(rating.domain == domain for rating in calibration.ratings)
        touched = len({row["task_id"] for row in rows if str(row["task_id"]).startswith(domain)})
        assert f"{domain} {candidates} {touched} {count} " in text
    audited = [row for row in attempts(stage) if row["verdict"] is not None]
    passed = sum(row["verdict"]["strict"] for row in audited)
    assert f"{100 * passed / len(audited):.1f}% of {len(audited)} passed" in text
    manifest = json.loads((stage / "manifest.json").read_text())
    assert manifest["files"]["selection_report.html"]["is_content"] is False


def attempts(stage: Path) -> list[dict[str, object]]:
    """The attempts in a stage's ledger."""
    rows = []
    for path in sorted(stage.glob("ledger/parts/*.parquet")):
        rows += [json.loads(row["attempt"]) for row in pq.read_table(path).to_pylist()]
    return rows
