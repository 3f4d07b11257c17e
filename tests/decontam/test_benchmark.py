"""Benchmarks: what the reader accepts and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decontam.benchmark import fallback_benchmark, load_benchmark, read_automationbench_jsonl

PUBLIC_SAMPLE = Path(__file__).parents[3] / "shared" / "data" / "automationbench_public_sample.jsonl"


def row(name: str = "sales.a", **changes: Any) -> dict[str, Any]:
    info = {"task_name": name, "zapier_tools": ["t"], "initial_state": {"gmail": {}}, "assertions": [{"type": "x"}]}
    usual = {
        "example_id": None,
        "prompt": [{"role": "system", "content": "be good"}, {"role": "user", "content": "Do the thing"}],
        "answer": "",
        "info": info,
    }
    return usual | changes


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_gives_its_parts_and_keeps_unknown_keys(tmp_path: Path) -> None:
    path = written(tmp_path / "b.jsonl", row(difficulty=3))
    (task,) = read_automationbench_jsonl(path).tasks
    assert (task.name, task.domain, task.prompt, task.system) == ("sales.a", "sales", "Do the thing", "be good")
    assert (task.tools, task.assertions, task.initial_state) == (("t",), ({"type": "x"},), {"gmail": {}})
    assert task.row == 1
    assert task.other == {"difficulty": 3, "answer": ""}


def test_info_as_text_older_names_and_missing_names_are_read(tmp_path: Path) -> None:
    as_text = row("hr.b") | {"info": json.dumps(row("hr.b")["info"])}
    older = row() | {"task": "support.c", "info": {"initial_state": "{}"}, "prompt": "Just text"}
    unnamed = row() | {"info": {}, "example_id": 7, "domain": "finance"}
    benchmark = read_automationbench_jsonl(written(tmp_path / "b.jsonl", as_text, older, unnamed))
    assert [task.name for task in benchmark.tasks] == ["hr.b", "support.c", "finance.example_7"]
    assert benchmark.counts() == {"finance": 1, "hr": 1, "support": 1}
    assert benchmark.tasks[1].prompt == "Just text"


def test_hash_ignores_order_and_spelling_of_the_file_and_sees_content(tmp_path: Path) -> None:
    one, two = row("sales.a"), row("sales.b")
    first = read_automationbench_jsonl(written(tmp_path / "1.jsonl", one, two)).content_hash
    spaced = tmp_path / "2.jsonl"
    spaced.write_text("\ufeff" + json.dumps(two, indent=None, separators=(" , ", " : ")) + "\n\n" + json.dumps(one))
    assert read_automationbench_jsonl(spaced).content_hash == first
    changed = written(tmp_path / "3.jsonl", one, row("sales.b", prompt="Do another thing"))
    assert read_automationbench_jsonl(changed).content_hash != first


@pytest.mark.parametrize(
    ("content", "line", "sentence"),
    [
        (json.dumps(row()) + "\n" + json.dumps(row("sales.b"))[:-20], 2, "cut off"),
        (json.dumps(row()) + "\nnot json\n" + json.dumps(row("sales.b")) + "\n", 2, "is not JSON"),
        ("[" * 100_000 + "\n{}\n", 1, "is not JSON"),
        ('{"prompt": "p", "task": "a.b", "x": NaN}\n\n', 1, "is not JSON"),
        ("[1, 2]\n", 1, "is no task but a JSON list"),
        ('{"prompt": "p"}\n', 1, "no info.task_name"),
        ('{"task": "a.b", "prompt": []}\n', 1, "has no prompt"),
        ('{"task": "a.b", "prompt": "p", "info": "{oops"}\n', 1, "its info is text but not JSON"),
        ('{"task": "a.b", "prompt": "p", "info": [1]}\n', 1, "its info is a list"),
        ('{"task": "a.b", "prompt": "\\ud800"}\n', 1, "surrogate"),
        (json.dumps(row()) + "\n" + json.dumps(row()) + "\n", 2, "name 'sales.a' that line 1 has"),
        (json.dumps(row(example_id=1)) + "\n" + json.dumps(row("sales.b", example_id=1)) + "\n", 2, "that line 1 has"),
    ],
)
def test_broken_files_are_refused_with_path_and_line(tmp_path: Path, content: str, line: int, sentence: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence) as refusal:
        read_automationbench_jsonl(path)
    assert str(refusal.value).startswith(f"{path} line {line} ")
    assert "\n" not in str(refusal.value)


def test_missing_empty_binary_and_folder_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        read_automationbench_jsonl(tmp_path / "absent.jsonl")
    with pytest.raises(ValueError, match="is a folder"):
        read_automationbench_jsonl(tmp_path)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(ValueError, match="holds no task"):
        read_automationbench_jsonl(tmp_path / "empty.jsonl")
    (tmp_path / "zipped.jsonl").write_bytes(b"\x1f\x8b\x08\x00\xff\xfe")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_automationbench_jsonl(tmp_path / "zipped.jsonl")


def test_without_a_path_the_stand_in_is_read_and_says_so() -> None:
    benchmark = load_benchmark(None)
    assert benchmark == fallback_benchmark()
    assert benchmark.is_stand_in
    assert set(benchmark.counts()) == {"sales", "support", "operations", "marketing", "finance", "hr"}
    assert all(150 <= len(task.prompt) <= 600 and task.initial_state for task in benchmark.tasks)


def test_with_a_path_that_file_is_read(tmp_path: Path) -> None:
    benchmark = load_benchmark(written(tmp_path / "b.jsonl", row()))
    assert not benchmark.is_stand_in
    assert benchmark.source == str(tmp_path / "b.jsonl")


@pytest.mark.skipif(not PUBLIC_SAMPLE.exists(), reason="the sample of public tasks is not beside this checkout")
def test_the_public_sample_is_read() -> None:
    benchmark = read_automationbench_jsonl(PUBLIC_SAMPLE)
    names = [json.loads(line)["info"]["task_name"] for line in PUBLIC_SAMPLE.read_text().splitlines()]
    assert [task.name for task in benchmark.tasks] == names
    assert len(names) == 20
    assert not benchmark.is_stand_in
