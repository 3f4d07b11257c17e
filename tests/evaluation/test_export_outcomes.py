"""Outcomes and exhibits from exports of AutomationBench of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.export_outcomes import export_exhibits, export_outcomes
from evaluation.failures import analyse
from evaluation.outcomes import Check
from evaluation.result_file import ResultFile, read_result_file

SYSTEM = {"role": "system", "content": "You work in an office."}


def entry(name: str, score: float, *assertions: tuple[str, Any], **more: Any) -> dict[str, Any]:
    listed = [{"type": kind, "passed": passed, "excluded": False} for kind, passed in assertions]
    return {"name": name, "score": score, "passed": score == 1, "num_model_calls": 3, "assertions": listed, **more}


def export(path: Path, *entries: Any) -> ResultFile:
    path.write_text(json.dumps({"meta": {"model": path.stem}, "tasks": entries}))
    return read_result_file(path)


def test_attempts_in_several_files_are_numbered_among_the_scored_ones(tmp_path: Path) -> None:
    first = export(tmp_path / "1.json", entry("hr.a", 0.0, error="reset"), entry("sales.b", 0.25))
    second = export(tmp_path / "2.json", entry("sales.b", 1.0), entry("hr.a", 0.5), entry("simple.c", 1.0))
    found = export_outcomes([first, second])
    assert [(one.task_id, one.domain, one.number, one.strict, one.credit) for one in found] == [
        ("sales.b", "sales", 0, False, 0.25),
        ("sales.b", "sales", 1, True, 1.0),
        ("hr.a", "hr", 0, False, 0.5),
    ]
    assert {(one.family, one.end, one.strays) for one in found} == {("", "", ())}


def test_assertions_that_count_are_the_checks(tmp_path: Path) -> None:
    row = entry("hr.a", 0.5, ("gmail_email_sent_to", True), ("google_sheets_row_exists", False), ("gmail_x", "false"))
    row["assertions"] += [
        {"type": "slack_message_exists", "passed": False, "excluded": True},
        {"passed": False},
        {"type": "slack_message_exists"},
        "slack",
    ]
    (found,) = export_outcomes([export(tmp_path / "1.json", row)])
    assert found.checks == (
        Check("gmail", "gmail_email_sent_to", True),
        Check("google_sheets", "google_sheets_row_exists", False),
        Check("unknown", "unknown", False),
    )


@pytest.mark.parametrize(
    ("kind", "application"),
    [
        ("salesforce_contact_phone_equals", "salesforce"),
        ("google_calendar_event_exists", "google_calendar"),
        ("google_ads_campaign_paused", "google_ads"),
        ("help_scout_note_exists", "help_scout"),
        ("googleplex_thing", "googleplex"),
        ("slack", "slack"),
    ],
)
def test_the_application_is_the_head_of_an_assertions_type(tmp_path: Path, kind: str, application: str) -> None:
    (found,) = export_outcomes([export(tmp_path / "1.json", entry("hr.a", 0.0, (kind, False)))])
    assert [check.app for check in found.checks] == [application]


def test_raw_rows_carry_their_assertions_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "raw.jsonl"
    results = [{"type": "gmail_email_sent_to", "passed": True}, {"type": "xero_bill_paid", "passed": False}]
    path.write_text(json.dumps({"task": "hr.a", "reward": 0.5, "_assertion_results": results}))
    (found,) = export_outcomes([read_result_file(path)])
    assert [(check.app, check.passed) for check in found.checks] == [("gmail", True), ("xero", False)]


@pytest.mark.parametrize("assertions", [None, "all", {"type": "x"}, 3])
def test_assertions_in_another_form_are_unknown(tmp_path: Path, assertions: Any) -> None:
    (found,) = export_outcomes([export(tmp_path / "1.json", entry("hr.a", 0.0) | {"assertions": assertions})])
    assert found.checks == ()


def test_full_exports_become_transcripts_side_by_side(tmp_path: Path) -> None:
    asked = {"role": "user", "content": "Update the phone."}
    call = {"role": "assistant", "tool_calls": [{"function": {"name": "api_fetch", "arguments": '{"url": "u"}'}}]}
    done = {"role": "assistant", "content": "Done."}
    base = [
        export(tmp_path / "b1.json", entry("hr.a", 0.5, ("gmail_x", False), messages=[SYSTEM, asked, done])),
        export(tmp_path / "b2.json", entry("hr.a", 0.0, ("gmail_x", False), messages=[SYSTEM, asked])),
    ]
    adapter = [
        export(tmp_path / "a1.json", entry("hr.a", 0.5, messages=[SYSTEM, asked])),
        export(tmp_path / "a2.json", entry("hr.a", 1.0, ("gmail_x", True), messages=[SYSTEM, asked, call, done])),
    ]
    analysis = analyse(export_outcomes(base), export_outcomes(adapter))
    (shown,) = export_exhibits(analysis.gains, base, adapter)
    assert shown.prompt == "Update the phone."
    assert (shown.base.number, shown.base.credit, shown.base.missed, shown.base.lines) == (1, 0.0, ("gmail_x",), ())
    assert (shown.adapter.number, shown.adapter.strict, shown.adapter.missed) == (1, True, ())
    assert [(line.role, line.text) for line in shown.adapter.lines] == [
        ("call", 'api_fetch {"url": "u"}'),
        ("assistant", "Done."),
    ]


def test_raw_rows_have_the_question_and_the_answer_apart(tmp_path: Path) -> None:
    sides = []
    for name, reward in (("base", 0.0), ("adapter", 1.0)):
        path = tmp_path / f"{name}.jsonl"
        told = {
            "prompt": [SYSTEM, {"role": "user", "content": "Ask."}],
            "completion": [{"role": "assistant", "content": name}],
        }
        path.write_text(json.dumps({"task": "hr.a", "reward": reward, **told}))
        sides.append([read_result_file(path)])
    moves = analyse(*map(export_outcomes, sides)).gains
    (shown,) = export_exhibits(moves, *sides)
    assert shown.prompt == "Ask."
    assert [line.text for line in (*shown.base.lines, *shown.adapter.lines)] == ["base", "adapter"]


def test_slim_exports_have_exhibits_without_transcripts(tmp_path: Path) -> None:
    base = [export(tmp_path / "b.json", entry("hr.a", 1.0), entry("hr.b", 0.0))]
    adapter = [export(tmp_path / "a.json", entry("hr.b", 0.0), entry("hr.a", 0.0, ("gmail_x", False)))]
    analysis = analyse(export_outcomes(base), export_outcomes(adapter))
    (shown,) = export_exhibits((*analysis.gains, *analysis.losses), base, adapter)
    assert (shown.move.task_id, shown.prompt, shown.base.lines, shown.adapter.lines) == ("hr.a", "", (), ())
    assert shown.adapter.missed == ("gmail_x",)
