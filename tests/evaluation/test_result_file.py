"""Result files of odd forms: each is read for what it says, or refused in a sentence that names it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.automationbench import compare_files, scores_of
from evaluation.export_outcomes import export_exhibits, export_outcomes
from evaluation.failures import analyse
from evaluation.result_file import ResultFile, read_result_file

ROW = {"name": "hr.a", "score": 1, "passed": True}
OTHER = {"name": "hr.b", "score": 0.5, "passed": False}
LINES = "".join(json.dumps(row) + "\n" for row in (ROW, OTHER))


def read(tmp_path: Path, content: str | bytes | list[Any], name: str = "file.json") -> ResultFile:
    path = tmp_path / name
    data = json.dumps({"tasks": content}) if isinstance(content, list) else content
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_result_file(path)


def credits(file: ResultFile) -> dict[str, float | None]:
    return {entry.name: entry.score.partial_credit if entry.score else None for entry in file.entries}


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\n\n") + "  \n",
        LINES.strip(),
        b"\xef\xbb\xbf" + LINES.encode(),
        LINES.encode("utf-16"),
        json.dumps([ROW, OTHER]),
        b"\xef\xbb\xbf" + json.dumps({"tasks": [ROW, OTHER]}).encode(),
        json.dumps({"tasks": [ROW, OTHER]}, indent=1).replace("\n", "\r\n"),
        json.dumps({"tasks": [ROW, OTHER], "meta": 3, "summary": [1]}),
        json.dumps({"tasks": [ROW, OTHER], "summary": {"passed_count": 1}}),
        json.dumps({"tasks": [ROW, OTHER], "extra": "\u2028"}, ensure_ascii=False),
        LINES.replace('"hr.a"', '"hr.a", "note": "\u2028\x85"'),
    ],
)
def test_every_spelling_of_the_same_rows_is_read(tmp_path: Path, content: str | bytes) -> None:
    assert credits(read(tmp_path, content)) == {"hr.a": 1.0, "hr.b": 0.5}


def test_one_row_on_one_line_is_a_file_of_one_row(tmp_path: Path) -> None:
    assert credits(read(tmp_path, json.dumps(ROW))) == {"hr.a": 1.0}


@pytest.mark.parametrize(
    ("row", "credit"),
    [
        ({"score": True}, r"share in \[0, 1\], given True"),
        ({"score": "0.5"}, r"share in \[0, 1\], given '0.5'"),
        ({"score": [0.5]}, "given"),
        ({"score": -0.1}, "given -0.1"),
        ({"score": 1.0000001}, "given 1.0000001"),
        ({"score": 10**400}, r"given 1000+\.\.\."),
        ({"score": float("nan")}, "given nan"),
        ({"score": float("inf")}, "given inf"),
        ({"score": 1, "passed": "true"}, "`passed` is true or false, given 'true'"),
        ({"score": 1, "passed": [True]}, r"`passed` is true or false, given \[True\]"),
        ({"score": 1, "passed": 2}, "given 2"),
        ({"score": 1, "passed": 0}, "passed is False at a score of 1"),
        ({"score": 0.99999999, "passed": True}, "passes at 1 exactly"),
        ({"score": 1, "passed": 1}, 1.0),
        ({"score": 0, "passed": 0.0}, 0.0),
        ({"score": 1}, 1.0),
        ({"score": None}, None),
        ({}, None),
        ({"score": 0.5, "error": "reset"}, None),
        ({"score": 0.5, "error": ""}, 0.5),
        ({"score": 0.5, "error": {}}, 0.5),
        ({"score": 0.5, "num_model_calls": 0}, None),
        ({"score": 0.5, "metrics": "none"}, 0.5),
        ({"metrics": {"partial_credit": 0.25}, "reward": 0.75}, 0.25),
    ],
)
def test_a_score_is_read_or_refused(tmp_path: Path, row: dict[str, Any], credit: str | float | None) -> None:
    content = [{"name": "hr.a", **row}]
    if isinstance(credit, str):
        with pytest.raises(ValueError, match=f"hr.a: .*{credit}") as refusal:
            read(tmp_path, content)
        assert len(str(refusal.value)) < 400
    else:
        assert credits(read(tmp_path, content)) == {"hr.a": credit}


def test_a_negative_zero_is_a_plain_zero(tmp_path: Path) -> None:
    file = read(tmp_path, '{"tasks": [{"name": "hr.a", "score": -0.0}]}')
    assert str(credits(file)["hr.a"]) == "0.0"


@pytest.mark.parametrize(
    ("error", "is_the_models"),
    [
        ("This model's maximum context length is 32768 tokens", True),
        ({"code": "context_length_exceeded"}, True),
        ("prompt exceeds the model's context", True),
        ("OverlongPromptError: prompt of 40000 tokens", True),
        ("context window full", True),
        ("RuntimeError: async context manager was closed", False),
        ("SSL context: certificate verify failed", False),
        ("rate limit exceeded", False),
        ("rate limit reached: too many tokens per minute", False),
        ("context deadline exceeded", False),
        ("exceeded the time limit in a context manager", False),
        (["TimeoutError"], False),
    ],
)
def test_a_full_context_is_the_models_doing_and_any_other_error_the_machines(
    tmp_path: Path, error: Any, is_the_models: bool
) -> None:
    file = read(tmp_path, [{"name": "hr.a", "score": 0.0, "error": error}])
    assert (file.entries[0].score is not None) is is_the_models


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([[1, 2]], "entry 1 has no task name"),
        ([ROW, None], "entry 2 has no task name"),
        ([{"name": ""}], "entry 1 has no task name"),
        ([{"name": 3, "info": "{broken"}], "entry 1 has no task name"),
        (
            [{"name": "hr." + "x" * 10_000, "score": 1}],
            "the task name of entry 1 has 10003 letters, expected at most 200",
        ),
        ([{"name": "hr.a\n\x1b[31mb", "score": 1}], r"entry 1, 'hr\.a\\n\\x1b\[31mb', holds a character"),
        ([{"name": "hr.\ud800", "score": 1}], r"'hr\.\\ud800', holds a character that cannot be printed"),
        ([{"name": "airline.1", "score": 1}], r"1 task \(airline\.1\) is of none of the domains"),
        ('{"tasks": {"hr.a": 1}}', "has no list `tasks`"),
        ("3", "has no list `tasks`"),
        ("null", "has no list `tasks`"),
        ('"text"', "has no list `tasks`"),
        ("", "is no JSON"),
        (" \n", "is no JSON"),
        ('{"tasks": [{"name": "hr.a", "score": 1}', "is no JSON"),
        (LINES + '{"name": "hr.c", "sco', "line 3 is no JSON"),
        (LINES + "[" * 100_000, "line 3 is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"tasks": [{"name": "hr.a", "score": 0, "score": 1}]}', "'score' comes twice in one object"),
        ('{"tasks": [{"name": "hr.a", "score": ' + "1" * 5000 + "}]}", "is no JSON"),
        (b"\x80\x81\x82", "is no UTF-8 text"),
        (gzip.compress(LINES.encode()), "is compressed; unpack it"),
        (b"PK\x03\x04rest", "is compressed; unpack it"),
        ('{"meta": {"temperature": NaN}, "tasks": [{"name": "hr.a"}]}', "states temperature as nan; expected a finite"),
        ('{"meta": {"model": "a\\nb"}, "tasks": [{"name": "hr.a"}]}', "its model, .*holds a character"),
        (
            '{"summary": {"passed_count": 2}, "tasks": [{"name": "hr.a", "score": 1}]}',
            "2 tasks passed, its entries say 1",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, content: str | bytes | list[Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refusal:
        read(tmp_path, content)
    assert str(tmp_path / "file.json") in str(refusal.value)
    assert len(str(refusal.value)) < 600


def test_names_in_any_script_are_names(tmp_path: Path) -> None:
    assert credits(read(tmp_path, [{"name": "hr.größe-報告", "score": 0.5}])) == {"hr.größe-報告": 0.5}


def test_what_a_summary_counts_is_not_held_against_a_file_with_unscored_or_simple_tasks(tmp_path: Path) -> None:
    for extra in ({"name": "hr.z", "error": "reset"}, {"name": "simple.z", "score": 1}):
        content = {"summary": {"passed_count": 7}, "tasks": [ROW, extra]}
        assert len(read(tmp_path, json.dumps(content)).entries) == 2


def test_settings_that_stand_apart_or_above_are_found(tmp_path: Path) -> None:
    meta = {"model": "m", "temperature": None, "sampling_args": {"temperature": 0.7, "top_p": 1, "seed": 3}}
    file = read(tmp_path, json.dumps({"meta": meta, "tasks": [ROW]}))
    assert file.settings == {"model": "m", "temperature": 0.7, "top_p": 1}
    assert file.meta == meta
    assert read(tmp_path, json.dumps({"meta": {"sampling_args": [1]}, "tasks": [ROW]})).settings == {}


def test_a_suite_of_simple_tasks_only_has_nothing_to_compare(tmp_path: Path) -> None:
    files = [read(tmp_path, [{"name": "simple.a", "score": score}], f"{score}.json") for score in (0, 1)]
    assert scores_of(files[:1]).tasks == ()
    with pytest.raises(ValueError, match="have no scored task in common"):
        compare_files(files[:1], files[1:], seed=1)


def prompted(tmp_path: Path, name: str, *prompts: str) -> ResultFile:
    rows = [
        {"name": f"hr.t{place}", "score": 0, "messages": [{"role": "system", "content": prompt}]}
        for place, prompt in enumerate(prompts)
    ]
    return read(tmp_path, rows, name)


def test_a_side_with_another_prompt_on_some_tasks_is_refused(tmp_path: Path) -> None:
    plain, mixed = prompted(tmp_path, "1.json", "A", "A"), prompted(tmp_path, "2.json", "A", "B")
    with pytest.raises(ValueError, match=r"differ in system_prompt .*2 prompts"):
        compare_files([plain], [mixed], seed=1)
    again = compare_files([mixed], [prompted(tmp_path, "3.json", "B", "A")], seed=1)
    assert {check.name: check.state for check in again.settings}["system_prompt"] == "equal"


def test_the_same_run_on_both_sides_is_noted(tmp_path: Path) -> None:
    file = read(tmp_path, [ROW, OTHER])
    result = compare_files([file], [file], seed=1)
    assert (result.gain, result.low, result.high, result.p_value) == (0, 0, 0, 1)
    assert "The same run stands on both sides: file.json." in result.notes


@pytest.mark.parametrize(("tasks", "suspicious"), [(20, True), (19, False)])
def test_an_attempt_exported_twice_is_suspected(tmp_path: Path, tasks: int, suspicious: bool) -> None:
    rows = [{"name": f"hr.t{number}", "score": number % 3 / 2} for number in range(tasks)]
    full = read(tmp_path, [{**row, "messages": []} for row in rows], "full.json")
    slim, other = (
        read(tmp_path, rows[::-1], "slim.json"),
        read(tmp_path, [{**row, "score": 0} for row in rows], "o.json"),
    )
    note = (
        f"full.json and slim.json agree on the score of each of {tasks} tasks; if they are one attempt exported twice"
    )
    assert any(one.startswith(note) for one in scores_of([full, other, slim]).notes) is suspicious
    again = read(tmp_path, [{**row, "score": 0, "id": 1} for row in rows], "again.json")
    assert scores_of([full, other, again]).notes == ()


def test_names_that_a_list_has_and_the_suite_has_not_are_noted(tmp_path: Path) -> None:
    rows = [ROW, OTHER, {"name": "hr.c", "score": 0}]
    base, adapter = read(tmp_path, rows, "b.json"), read(tmp_path, rows[::-1], "a.json")
    lists = {"monitored": ["hr.a", "hr.A"], "flags": {"x": ["hr.b"], "y": ["hr.a", "sales.b", "sales.c"]}}
    result = compare_files([base], [adapter], seed=1, **lists)
    unknown = [note for note in result.notes if "that the base has not" in note]
    assert unknown == [
        "The list of monitored tasks names 1 task (hr.A) that the base has not.",
        "The flag set y names 2 tasks (sales.b, sales.c) that the base has not.",
    ]


ODD = (None, True, 0, -1, 0.5, 1.0, 2, "", "x", "\ud800", [], {}, [None], "1e5", 10**30, float("nan"), [{"role": 3}])


def damaged(value: Any, rng: Random) -> Any:
    """The value with some of its parts lost and others replaced."""
    if rng.random() < 0.02:
        return rng.choice(ODD)
    if isinstance(value, dict):
        return {key: damaged(one, rng) for key, one in value.items() if rng.random() > 0.01}
    return [damaged(one, rng) for one in value] if isinstance(value, list) else value


def test_a_file_damaged_anywhere_is_refused_in_a_sentence_or_read_to_the_end(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}
    whole = {
        "meta": {"model": "m", "toolset": "api", "sampling_args": {"top_p": 1}},
        "summary": {"passed_count": 2},
        "tasks": [
            {
                "name": f"hr.t{number}",
                "score": score,
                "passed": score == 1,
                "num_model_calls": 3,
                "error": None,
                "metrics": {"partial_credit": score},
                "assertions": [{"type": "gmail_x", "passed": score == 1, "excluded": False}],
                "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}, said],
            }
            for number, score in enumerate((1.0, 0.5, 1.0, 0.25))
        ],
    }
    base = read(tmp_path, json.dumps(whole), "base.json")
    rng, ends = Random(7), {"refused": 0, "read": 0}
    for _ in range(300):
        try:
            file = read(tmp_path, json.dumps(damaged(whole, rng)))
            scores_of([file])
            moves = analyse(export_outcomes([base]), export_outcomes([file]))
            shown = export_exhibits((*moves.gains, *moves.losses), [base], [file])
            assert all(one.model_dump_json().encode() for one in shown)
            ends["read"] += 1
        except ValueError as refusal:
            assert not isinstance(refusal, UnicodeError)
            ends["refused"] += 1
    assert min(ends.values()) > 50
