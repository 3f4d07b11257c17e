"""Benchmarks: what AutomationBench's rows become, what a file may look like, and what several are together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from decontam.benchmark import Benchmark, BenchmarkSource
from decontam.readers.collected import FIELD_LETTERS
from decontam.readers.lines import ROW_BYTES
from decontam.readers.sources import load_benchmark, read_source, stand_in
from decontam.scored_set import shortfall, shortfalls

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
    (task,) = read_source(path).tasks
    assert (task.name, task.domain, task.prompt, task.system) == ("sales.a", "sales", "Do the thing", "be good")
    assert (task.tools, task.assertions, task.initial_state) == (("t",), ({"type": "x"},), {"gmail": {}})
    assert (task.row, task.benchmark) == (1, "b")
    assert task.other == {"difficulty": 3, "answer": ""}


def test_info_as_text_older_names_and_missing_names_are_read(tmp_path: Path) -> None:
    as_text = row("hr.b") | {"info": json.dumps(row("hr.b")["info"])}
    older = row() | {"task": "support.c", "info": {"initial_state": "{}"}, "prompt": "Just text"}
    unnamed = row() | {"info": {}, "example_id": 7, "domain": "finance"}
    benchmark = read_source(written(tmp_path / "b.jsonl", as_text, older, unnamed))
    assert [task.name for task in benchmark.tasks] == ["hr.b", "support.c", "finance.example_7"]
    assert benchmark.counts() == {"finance": 1, "hr": 1, "support": 1}
    assert benchmark.tasks[1].prompt == "Just text"


def test_hash_ignores_order_name_and_spelling_of_the_file_and_sees_content(tmp_path: Path) -> None:
    one, two = row("sales.a"), row("sales.b")
    first = read_source(written(tmp_path / "1.jsonl", one, two)).content_hash
    spaced = tmp_path / "2.jsonl"
    spaced.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(two, separators=(" , ", " : ")).encode() + b"\r\n\r\n" + json.dumps(one).encode()
    )
    assert read_source(spaced).content_hash == first
    changed = written(tmp_path / "3.jsonl", one, row("sales.b", prompt="Do another thing"))
    assert read_source(changed).content_hash != first


@pytest.mark.parametrize(
    ("content", "line", "sentence"),
    [
        (json.dumps(row()) + "\n" + json.dumps(row("sales.b"))[:-20], 2, "cut off"),
        (json.dumps(row()) + "\nnot json\n" + json.dumps(row("sales.b")) + "\n", 2, "is not JSON"),
        ('{"a":' * 100_000 + "\n{}\n", 1, "is not JSON"),
        ('{"prompt": "p", "task": "a.b", "x": NaN}\n\n', 1, "is not JSON"),
        ('[{"prompt": "p"},\n{}]\n', 1, "begins a JSON array; write one object a line"),
        ('[{"prompt": "p"}]\n', 1, "begins a JSON array"),
        ("7\n", 1, "is no task but a JSON int"),
        ('{"prompt": "p"}\n', 1, "no info.task_name"),
        ('{"task": "a.b", "prompt": []}\n', 1, "has no prompt"),
        ('{"task": "a.b", "prompt": " "}\n', 1, "has no prompt"),
        ('{"task": "a.b", "prompt": "\\u200b?!"}\n', 1, "the prompt of a.b holds no word"),
        ('{"task": "a.b", "prompt": "p", "info": "{oops"}\n', 1, "its info is text but not JSON"),
        ('{"task": "a.b", "prompt": "p", "info": [1]}\n', 1, "its info is a list"),
        ('{"task": "a.b", "prompt": "\\ud800"}\n', 1, "surrogate"),
        ('{"task": "a.b", "prompt": "\\ud800"}', 1, "surrogate"),
        ('{"task": "a.b", "prompt": NaN}', 1, "NaN is no JSON number"),
        (
            json.dumps(row(info={"task_name": "a.b", "assertions": "all"})) + "\n",
            1,
            "assertions is a str, expected a list",
        ),
        (
            json.dumps(row(info={"task_name": "a.b", "zapier_tools": {"gmail": 1}})) + "\n",
            1,
            "zapier_tools is a dict, expected a list",
        ),
        (json.dumps(row()) + "\n" + json.dumps(row()) + "\n", 2, "name 'sales.a' that line 1 has"),
        (json.dumps(row(example_id=1)) + "\n" + json.dumps(row("sales.b", example_id=1)) + "\n", 2, "that line 1 has"),
    ],
)
def test_broken_files_are_refused_with_path_and_line(tmp_path: Path, content: str, line: int, sentence: str) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence) as refusal:
        read_source(path, "automationbench")
    assert str(refusal.value).startswith(f"{path} line {line} ")
    assert "\n" not in str(refusal.value)


def test_a_field_of_fifty_megabytes_is_refused_by_its_path(tmp_path: Path) -> None:
    large = row("hr.large")
    large["info"]["initial_state"] = {"gmail": {"messages": [{"id": "m1"}, {"id": "m2", "body": "x" * 50 * 2**20}]}}
    path = written(tmp_path / "b.jsonl", row(), large)
    with pytest.raises(ValueError, match=r"line 2 .*initial_state\.gmail\.messages\[1\]\.body of hr\.large") as refusal:
        read_source(path)
    assert "52,428,800 characters and a field may have 1,000,000" in str(refusal.value)
    assert len(read_source(written(tmp_path / "c.jsonl", row(prompt="x" * FIELD_LETTERS))).tasks) == 1


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    with path.open("wb") as file:
        file.write(b'{"task": "a.b", "prompt": "')
        file.truncate(40 * ROW_BYTES)
    with pytest.raises(ValueError, match="line 1 is longer than 64 MB"):
        read_source(path)


@pytest.mark.parametrize("as_text", [False, True])
def test_a_nest_too_deep_to_walk_is_refused(tmp_path: Path, as_text: bool) -> None:
    def nested(depth: int) -> Path:
        state = '{"a":' * depth + "1" + "}" * depth
        state = json.dumps(state) if as_text else state
        path = tmp_path / "b.jsonl"
        path.write_text(f'{{"task": "a.b", "prompt": "p", "initial_state": {state}}}\n')
        return path

    assert len(read_source(nested(99)).tasks) == 1
    with pytest.raises(ValueError, match=r"line 1 .* nested deeper than 100 levels"):
        read_source(nested(101))


def test_bytes_that_are_no_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(row()).encode() + b'\n{"task": "a.b", "prompt": "caf\xe9"}\n')
    with pytest.raises(ValueError, match="line 2 is not UTF-8 text at byte 31"):
        read_source(path)


def test_missing_empty_binary_and_folder_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        read_source(tmp_path / "absent.jsonl")
    with pytest.raises(ValueError, match="is a folder"):
        read_source(tmp_path, "automationbench")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(ValueError, match="holds no task"):
        read_source(tmp_path / "empty.jsonl")
    (tmp_path / "zipped.jsonl").write_bytes(b"\x1f\x8b\x08\x00\xff\xfe")
    with pytest.raises(ValueError, match="not UTF-8"):
        read_source(tmp_path / "zipped.jsonl")


def test_without_a_path_the_stand_in_is_read_and_says_so() -> None:
    benchmark = load_benchmark(())
    assert benchmark == stand_in()
    assert benchmark.is_stand_in
    assert not shortfalls(benchmark)
    assert set(benchmark.counts()) == {"sales", "support", "operations", "marketing", "finance", "hr"}
    assert all(150 <= len(task.prompt) <= 600 and task.initial_state for task in benchmark.tasks)


def test_with_a_path_that_file_is_read(tmp_path: Path) -> None:
    benchmark = load_benchmark([written(tmp_path / "b.jsonl", row())])
    assert not benchmark.is_stand_in
    assert benchmark.source == str(tmp_path / "b.jsonl")


def test_several_benchmarks_are_one_with_the_facts_of_each(tmp_path: Path) -> None:
    first = written(tmp_path / "first.jsonl", row("sales.a"), row("hr.a"))
    second = written(tmp_path / "second.jsonl", row("sales.a", prompt="Another thing entirely"))
    both = load_benchmark([first, second])
    assert [both.key(task) for task in both.tasks] == ["first/sales.a", "first/hr.a", "second/sales.a"]
    assert [source.counts for source in both.sources] == [{"hr": 1, "sales": 1}, {"sales": 1}]
    assert both.counts() == {"hr": 1, "sales": 2}
    assert both.source == f"{first}, {second}"
    alone = load_benchmark([first])
    assert [alone.key(task) for task in alone.tasks] == ["sales.a", "hr.a"]
    assert both.content_hash not in (alone.content_hash, load_benchmark([second]).content_hash)


def test_two_benchmarks_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    here, there = written(tmp_path / "b.jsonl", row()), written(tmp_path / "x" / "b.jsonl", row())
    with pytest.raises(ValueError, match="are both called b; import one of them with another --name"):
        load_benchmark([here, there])


def scored(**changes: int) -> BenchmarkSource:
    counts = dict.fromkeys(("sales", "marketing", "operations", "support", "finance", "hr"), 100) | {"simple": 200}
    return BenchmarkSource(
        name="automationbench",
        source="automationbench",
        version="1.0.5",
        content_hash="0" * 64,
        counts=counts | changes,
        reader="automationbench package",
    )


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({}, None),
        ({"sales": 101}, None),
        ({"sales": 99}, "599 of 600 scored tasks (99 of 100 in sales)"),
        ({"sales": 150, "hr": 50}, "550 of 600 scored tasks (50 of 100 in hr)"),
        ({"simple": 0}, "600 of 600 scored tasks (0 of 200 in simple)"),
    ],
)
def test_what_is_missing_of_the_scored_set_is_counted(counts: dict[str, int], sentence: str | None) -> None:
    found = shortfall(scored(**counts))
    assert found is None if sentence is None else sentence in str(found)


def test_only_automationbench_is_expected_to_have_six_hundred_tasks(tmp_path: Path) -> None:
    one = read_source(written(tmp_path / "b.jsonl", row()))
    plain = read_source(written(tmp_path / "qa.jsonl", {"text": "Who ships on Sundays?"}))
    assert [sentence.partition(":")[0] for sentence in shortfalls(one)] == ["b is not complete"]
    assert not shortfalls(plain)


@pytest.mark.skipif(not PUBLIC_SAMPLE.exists(), reason="the sample of public tasks is not beside this checkout")
def test_the_public_sample_is_read() -> None:
    benchmark: Benchmark = read_source(PUBLIC_SAMPLE)
    names = [json.loads(line)["info"]["task_name"] for line in PUBLIC_SAMPLE.read_text().splitlines()]
    assert [task.name for task in benchmark.tasks] == names
    assert len(names) == 20
    assert not benchmark.is_stand_in
    assert "it has 20 of 600 scored tasks" in shortfalls(benchmark)[0]
