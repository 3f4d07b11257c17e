"""Exports of AutomationBench: of our own making, and two published runs where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.automationbench import compare_files, scores_of
from evaluation.comparison import Comparison
from evaluation.result_file import read_result_file, read_result_files
from evaluation.scores import Scores

PUBLISHED = Path(__file__).parents[2] / ".." / "shared" / "data" / "automationbench_runs"


def _entry(name: str, credit: float, **more: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "name": name,
        "score": credit,
        "passed": credit == 1,
        "assertions_total": 4,
        "assertions_passed": int(credit * 4),
        "num_model_calls": 9,
        "finish_reasons": ["tool_calls"],
        "assertions": [{"type": "gmail_email_sent_to", "passed": credit == 1, "excluded": False}],
        **more,
    }


def _export(path: Path, entries: list[dict[str, Any]], **meta: Any) -> Path:
    stated = {"model": "small-1", "toolset": "api", "benchmark_version": "1.0.5", "reasoning_effort": None, **meta}
    path.write_text(json.dumps({"meta": stated, "summary": {"pass_rate": 0.5}, "tasks": entries, "extra": [1]}))
    return path


def _scores(paths: list[Path]) -> Scores:
    return scores_of(read_result_files(paths))


def _compare(base: list[Path], adapter: list[Path], **more: Any) -> Comparison:
    return compare_files(read_result_files(base), read_result_files(adapter), **more)


@pytest.fixture
def export(tmp_path: Path) -> Path:
    entries = [
        _entry("sales.update_phone", 1.0),
        _entry("sales.log_call", 0.25),
        _entry("hr.onboard", 0.0, error="APIConnectionError: connection reset"),
        _entry("hr.offboard", 0.0, num_model_calls=0),
        _entry("hr.review", 0.0, error={"message": "maximum context length is 32768 tokens"}),
        _entry("simple.send_mail", 1.0),
    ]
    return _export(tmp_path / "run-1.json", entries)


def test_export_becomes_scores_by_task_name(export: Path) -> None:
    scores = _scores([export])
    rates = {row.task_id: (row.domain, row.partial_credit, row.pass_rate) for row in scores.tasks if row.scored}
    assert rates == {
        "sales.update_phone": ("sales", 1.0, 1.0),
        "sales.log_call": ("sales", 0.25, 0.0),
        "hr.review": ("hr", 0.0, 0.0),
    }
    assert scores.missing == ("hr.offboard", "hr.onboard")
    assert scores.unscored == 2
    assert scores.label == "small-1"
    assert scores.notes == ("Left out as no part of the benchmark's score: tasks of the domain 'simple' (1).",)


def test_several_files_are_further_attempts_and_parts_of_the_suite(export: Path, tmp_path: Path) -> None:
    again = _export(tmp_path / "run-2.json", [_entry("sales.update_phone", 0.5), _entry("hr.onboard", 1.0)])
    scores = _scores([export, again])
    rows = {row.task_id: [score.partial_credit for score in row.scored] for row in scores.tasks}
    assert rows["sales.update_phone"] == [1.0, 0.5]
    assert rows["hr.onboard"] == [1.0]
    assert rows["sales.log_call"] == [0.25]


def test_raw_rows_of_the_harness_library_are_read(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    rows = [
        {"task": "hr.onboard", "reward": 1.0, "metrics": {"partial_credit": 1.0, "task_completed_correctly": 1.0}},
        {"task": "hr.onboard", "reward": 0.5, "metrics": {"partial_credit": 0.5, "task_completed_correctly": 0.0}},
        {"task": "default", "info": json.dumps({"task_name": "hr.offboard"}), "reward": 0.75},
        {"task": "default", "info": json.dumps({"task_name": "hr.offboard"}), "error": "ReadTimeout"},
    ]
    raw.write_text("\n".join(json.dumps(row) for row in rows))
    scores = _scores([raw])
    assert [(row.task_id, row.pass_rate, row.partial_credit) for row in scores.tasks] == [
        ("hr.offboard", 0.0, 0.75),
        ("hr.onboard", 0.5, 0.75),
    ]
    assert scores.label == "raw"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("not json", "is no JSON"),
        ('{"meta": {}}', "has no list `tasks`"),
        ('{"tasks": []}', "holds no tasks"),
        ('{"tasks": [{"score": 1}]}', "entry 1 has no task name"),
        ('{"tasks": [{"name": "hr.a", "score": 1.5}]}', r"hr\.a: .*\[0, 1\], given 1\.5"),
        ('{"tasks": [{"name": "hr.a", "score": "1"}]}', r"hr\.a: .*given '1'"),
        ('{"tasks": [{"name": "hr.a", "score": NaN}]}', r"hr\.a: .*given nan"),
        ('{"tasks": [{"name": "hr.a", "score": 0.5, "passed": true}]}', r"hr\.a: `?passed`? is True at"),
        (
            '{"tasks": [{"name": "hr.a", "score": 1}, {"name": "hr.b", "score": 1}, {"name": "hr.a", "score": 0}]}',
            r"1 task \(hr\.a\) more often than the other tasks, which come 1 time;",
        ),
        ('{"tasks": [{"name": "retail-3", "score": 1}]}', r"1 task \(retail-3\) is of none of the domains finance, hr"),
        ('{"tasks": [{"name": "hr.a", "score": 1}', "is no JSON"),
        ("[]", "holds no tasks"),
    ],
)
def test_broken_file_is_refused_with_its_name(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence) as refusal:
        _scores([path])
    assert "broken.json" in str(refusal.value)


def test_missing_file_file_given_twice_and_no_file_are_refused(export: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no result file at"):
        read_result_file(tmp_path / "absent.json")
    with pytest.raises(ValueError, match="the same run"):
        _scores([export, export])
    with pytest.raises(ValueError, match="no result file given"):
        _scores([])


def test_files_of_two_models_on_one_side_are_refused(export: Path, tmp_path: Path) -> None:
    other = _export(tmp_path / "other.json", [_entry("sales.log_call", 1.0)], model="large-9")
    with pytest.raises(ValueError, match=r'differ in model: "small-1" in .*run-1\.json, "large-9"'):
        _scores([export, other])


def test_one_file_may_hold_several_attempts_and_a_lost_one(tmp_path: Path) -> None:
    entries = [_entry(f"hr.{name}", credit) for name in "abc" for credit in (0.0, 1.0, 1.0)][:-1]
    scores = _scores([_export(tmp_path / "three.json", entries)])
    assert [len(row.scored) for row in scores.tasks] == [3, 3, 2]
    assert [row.pass_rate for row in scores.tasks] == [pytest.approx(2 / 3), pytest.approx(2 / 3), 0.5]


def test_compare_files_pairs_by_name_whatever_the_order(tmp_path: Path) -> None:
    base = _export(tmp_path / "b.json", [_entry("hr.a", 0.0), _entry("sales.b", 1.0), _entry("sales.c", 0.5)])
    adapter_rows = [_entry("sales.b", 1.0), _entry("hr.a", 1.0), _entry("sales.d", 0.0)]
    adapter = _export(tmp_path / "a.json", adapter_rows, model="small-1+lora")
    with pytest.raises(ValueError, match=r"2 tasks \(sales\.c, sales\.d\) have a scored attempt on one side only"):
        _compare([base], [adapter], seed=1)
    result = _compare([base], [adapter], seed=1, common=True)
    assert (result.base, result.adapter, result.gain, result.tasks) == (0.5, 1.0, 0.5, 2)
    assert result.collateral is None
    assert "2 tasks (sales.c, sales.d) left out" in result.notes[0]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("toolset", "zapier"),
        ("benchmark_version", "1.0.3"),
        ("reasoning_effort", "high"),
        ("max_steps", 20),
        ("sampling_args", {"temperature": 0.2}),
    ],
)
def test_sides_made_with_other_settings_are_refused_unless_allowed(tmp_path: Path, setting: str, value: Any) -> None:
    stated = {"reasoning_effort": "medium", "max_steps": 50, "sampling_args": {"temperature": 1.0}}
    base = _export(tmp_path / "b.json", [_entry("hr.a", 0.0)], **stated)
    adapter = _export(tmp_path / "a.json", [_entry("hr.a", 1.0)], model="other", **{**stated, setting: value})
    name = "temperature" if setting == "sampling_args" else setting
    with pytest.raises(ValueError, match=f"the two sides differ in {name} \\("):
        _compare([base], [adapter], seed=1)
    result = _compare([base], [adapter], seed=1, allow=[name])
    assert f"differ in {name}, as was allowed" in result.notes[0]
    states = {check.name: check.state for check in result.settings}
    assert states.pop(name) == "different"
    assert states.pop("top_p") == states.pop("max_tokens") == states.pop("system_prompt") == "unverified"
    assert set(states.values()) == {"equal"}
    with pytest.raises(ValueError, match="'tolset' is no setting"):
        _compare([base], [adapter], seed=1, allow=["tolset"])


def test_sides_asked_with_other_system_prompts_are_refused(tmp_path: Path) -> None:
    def full(name: str, prompt: str) -> Path:
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": "Do it."}]
        rows = [_entry("hr.a", 0.0, messages=messages), _entry("hr.b", 1.0, messages=messages)]
        return _export(tmp_path / name, rows, model=name)

    with pytest.raises(ValueError, match=r"differ in system_prompt \("):
        _compare([full("b.json", "Be brief.")], [full("a.json", "Be thorough.")], seed=1)
    same = _compare([full("b.json", "Be brief.")], [full("c.json", "Be brief.")], seed=1)
    assert {check.name: check.state for check in same.settings}["system_prompt"] == "equal"


def test_identical_files_differ_by_exactly_nothing(tmp_path: Path) -> None:
    rows = [_entry(f"{domain}.t{number}", number % 3 / 2) for number in range(12) for domain in ("hr", "sales")]
    result = _compare([_export(tmp_path / "b.json", rows)], [_export(tmp_path / "a.json", rows, model="b")], seed=1)
    assert (result.gain, result.low, result.high, result.bca_low, result.bca_high, result.p_value) == (0, 0, 0, 0, 0, 1)
    assert all((row.gain, row.low, row.high) == (0, 0, 0) for row in (*result.domains, *result.partial_credit_rows))


def test_monitored_and_flagged_tasks_get_rows_and_a_note(tmp_path: Path) -> None:
    rows = [_entry(f"hr.t{number}", 0.0) for number in range(8)]
    better = [_entry(f"hr.t{number}", float(number < 4)) for number in range(8)]
    base, adapter = _export(tmp_path / "b.json", rows), _export(tmp_path / "a.json", better, model="b")
    result = _compare([base], [adapter], seed=1, monitored=["hr.t0", "hr.t1"], flags={"x": ["hr.t7"]})
    assert {row.name: row.gain for row in result.subsets} == {
        "without monitored tasks": pytest.approx(2 / 6),
        "without tasks flagged x": pytest.approx(4 / 7),
    }
    assert "includes 2 tasks (hr.t0, hr.t1) that decisions were taken on" in result.notes[0]
    assert "8 of 8 tasks have fewer than 3 scored attempts" in result.notes[1]
    assert (result.mcnemar.only_base, result.mcnemar.only_adapter) == (0, 4)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the two published runs are not beside this checkout")
def test_published_runs_give_the_published_comparison() -> None:
    base, adapter = PUBLISHED / "qwen3.6-27b.json", PUBLISHED / "ops-i.json"
    result = _compare([base], [adapter], seed=1)
    assert (result.base_policy, result.adapter_policy) == ("Qwen3.6-27B", "Ops-I")
    assert (result.tasks, result.base_solved, result.adapter_solved) == (600, 58, 61)
    assert result.gain == pytest.approx(0.005)
    assert result.low == pytest.approx(-0.015, abs=0.004)
    assert result.high == pytest.approx(0.027, abs=0.004)
    assert result.partial_credit.gain == pytest.approx(-0.0046, abs=0.0001)
    assert result.partial_credit.low == pytest.approx(-0.027, abs=0.002)
    assert result.partial_credit.high == pytest.approx(0.018, abs=0.002)
    assert [(row.name, row.tasks) for row in result.domains] == [
        (name, 100) for name in ("finance", "hr", "marketing", "operations", "sales", "support")
    ]
    low, high = _plain_bootstrap(base, adapter)
    assert result.low == pytest.approx(low, abs=0.003)
    assert result.high == pytest.approx(high, abs=0.003)


def _plain_bootstrap(base: Path, adapter: Path) -> tuple[float, float]:
    """The same interval with a plain loop over the files' own `passed`."""
    passed = [{row["name"]: row["passed"] for row in json.loads(path.read_text())["tasks"]} for path in (base, adapter)]
    differences = [int(passed[1][name]) - int(passed[0][name]) for name in passed[0]]
    rng = Random(3)
    means = sorted(sum(rng.choices(differences, k=600)) / 600 for _ in range(2000))
    return means[50], means[1949]
