"""worldloom compare: what it writes, and every bad input as one sentence, exit code 2 and nothing written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import pytest
from typer.testing import CliRunner, Result

from pipeline.cli import app
from pipeline.comparing import result_files

PUBLISHED = Path(__file__).parents[2] / ".." / "shared" / "data" / "automationbench_runs"
NAMES = ("finance.a", "hr.b", "sales.c")


def export(path: Path, scores: tuple[Any, ...], names: tuple[str, ...] = NAMES, **meta: Any) -> None:
    tasks = [{"name": name, "score": score, "num_model_calls": 1} for name, score in zip(names, scores, strict=True)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"meta": {"model": path.stem, "toolset": "api", **meta}, "tasks": tasks}))


def compared(folder: Path, *words: str, base: str = "base.json", adapter: str = "adapter.json") -> Result:
    command = ["compare", str(folder / base), str(folder / adapter), "--out", str(folder / "out"), *words]
    return CliRunner().invoke(app, command)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    export(tmp_path / "base.json", (0, 0.5, 1))
    export(tmp_path / "adapter.json", (1, 0.5, 1))
    return tmp_path


def rewrite(change: Callable[[str], str | bytes]) -> Callable[[Path], None]:
    def to(folder: Path) -> None:
        path = folder / "adapter.json"
        data = change(path.read_text())
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    return to


def unequal_attempts(folder: Path) -> None:
    names = tuple(name for name in NAMES for _ in range(3))
    export(folder / "adapter.json", (1,) * 9, names)
    export(folder / "base.json", (0,) * 6, tuple(name for name in NAMES for _ in range(2)))


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated JSON": (rewrite(lambda text: text[:-20]), "adapter.json is no JSON"),
    "an empty file": (rewrite(lambda text: ""), "adapter.json is no JSON"),
    "no text": (rewrite(lambda text: b"\xff\xfe\x00"), "adapter.json is no"),
    "a task twice": (
        lambda folder: export(folder / "adapter.json", (1, 0, 1, 1), (*NAMES, "hr.b")),
        "adapter.json has 1 task (hr.b) more often than the other tasks, which come 1 time",
    ),
    "a task missing from one side": (
        lambda folder: export(folder / "adapter.json", (1, 0), NAMES[:2]),
        "1 task (sales.c) has a scored attempt on one side only (base base: 3 tasks, adapter adapter: 2)",
    ),
    "a task without a scored attempt": (
        rewrite(lambda text: text.replace('"score": 0.5', '"score": 0.5, "error": "reset"')),
        "1 task (hr.b) has a scored attempt on one side only",
    ),
    "a score above 1": (
        rewrite(lambda text: text.replace("0.5", "1.5")),
        "hr.b: the score is a share in [0, 1], given 1.5",
    ),
    "a score below 0": (
        rewrite(lambda text: text.replace("0.5", "-0.5")),
        "hr.b: the score is a share in [0, 1], given -0.5",
    ),
    "not a number": (
        rewrite(lambda text: text.replace("0.5", "NaN")),
        "hr.b: the score is a share in [0, 1], given nan",
    ),
    "a score in words": (rewrite(lambda text: text.replace("0.5", '"half"')), "given 'half'"),
    "another benchmark's file": (
        lambda folder: export(folder / "adapter.json", (1, 0, 1), ("airline-1", "airline-2", "retail-1")),
        "adapter.json: 3 tasks (airline-1, airline-2, retail-1) are of none of the domains finance, hr",
    ),
    "an empty list": (rewrite(lambda text: "[]"), "adapter.json holds no tasks"),
    "an empty list of tasks": (rewrite(lambda text: '{"tasks": []}'), "adapter.json holds no tasks"),
    "rows that are no objects": (rewrite(lambda text: "[[1, 2]]"), "adapter.json: entry 1 has no task name"),
    "2 attempts and 3": (
        unequal_attempts,
        "3 tasks (finance.a, hr.b, sales.c) have unequal numbers of scored attempts",
    ),
    "other settings": (
        lambda folder: export(folder / "adapter.json", (1, 0, 1), toolset="zapier"),
        "differ in toolset",
    ),
    "a folder without results": (
        lambda folder: ((folder / "adapter.json").unlink(), (folder / "adapter.json").mkdir()),
        "adapter.json holds no JSON file",
    ),
    "a folder with another JSON file": (
        lambda folder: (
            (folder / "adapter.json").rename(folder / "kept.json"),
            export(folder / "adapter.json" / "run.json", (1, 0, 1)),
            (folder / "adapter.json" / "notes.json").write_text('{"a": 1}'),
        ),
        "notes.json has no list `tasks`",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_a_sentence_with_exit_code_2_and_nothing_written(folder: Path, kind: str) -> None:
    spoil, sentence = BAD[kind]
    spoil(folder)
    done = compared(folder)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (folder / "out").exists()


@pytest.mark.parametrize("kind", ["a task missing from one side", "2 attempts and 3"])
def test_common_uses_what_both_sides_have_and_says_so_first(folder: Path, kind: str) -> None:
    BAD[kind][0](folder)
    done = compared(folder, "--common")
    assert done.exit_code == 0, done.output
    first = done.stdout.splitlines()[0]
    assert first.startswith(("Only tasks scored on both sides are compared: 1 task", "On 3 tasks (finance.a, hr.b"))
    page = (folder / "out" / "report.html").read_text()
    assert page.index(first) < page.index('<dl class="facts">')


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("flags", "task;set\nhr.b;x\n", "its first line must name the columns task and set"),
        ("flags", "task,set\nhr.zz,x\n", "leaves out nothing"),
        ("monitored", "\n", "names no task"),
        ("published", "- {model: A}", "each row has model, effort, score, set and source"),
    ],
)
def test_a_bad_list_beside_good_files_is_refused_too(folder: Path, name: str, text: str, sentence: str) -> None:
    (folder / "list").write_text(text)
    done = compared(folder, f"--{name}", str(folder / "list"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert not (folder / "out").exists()


def test_identical_files_differ_by_exactly_nothing(folder: Path) -> None:
    done = compared(folder, "--json", adapter="base.json")
    found = json.loads(done.stdout)
    assert (found["gain"], found["low"], found["high"], found["p_value"]) == (0, 0, 0, 1)
    assert {row["gain"] for row in (*found["domains"], *found["partial_credit_rows"], found["partial_credit"])} == {0}
    assert "The same run stands on both sides: base.json." in found["notes"]


def test_the_page_links_the_files_it_came_from(folder: Path) -> None:
    strange = folder / "a b#c%20ü.json"
    (folder / "adapter.json").rename(strange)
    assert compared(folder, adapter=strange.name).exit_code == 0
    links = json.loads((folder / "out" / "report.json").read_text())["links"]
    for target in links.values():
        assert (folder / "out" / unquote(target)).exists(), target
    assert f"Adapter: {strange.name}" in links


@pytest.mark.parametrize("name", [b"\xff\xfe.json", b"two\nlines.json", b"<b>&amp;.json", b"x" * 250 + b".json"])
def test_a_file_of_any_name_is_compared(folder: Path, name: bytes) -> None:
    strange = folder / os.fsdecode(name)
    tasks = json.loads((folder / "adapter.json").read_text())["tasks"]
    strange.write_text(json.dumps({"tasks": tasks}))
    done = compared(folder, adapter=strange.name)
    assert done.exit_code == 0, done.output
    page = (folder / "out" / "report.html").read_text()
    assert "<b>" not in page
    links = json.loads((folder / "out" / "report.json").read_text())["links"]
    link = next(target for part, target in links.items() if part.startswith("Adapter: "))
    assert Path(os.fsdecode(unquote_to_bytes(f"{folder}/out/{link}"))).exists()


def test_our_own_harness_folder_is_a_side(tmp_path: Path) -> None:
    export(tmp_path / "side" / "attempt-10.json", (0, 0, 0))
    export(tmp_path / "side" / "attempt-9.json", (0, 0, 1))
    (tmp_path / "side" / "made.json").write_text("{}")
    (tmp_path / "side" / "commands.jsonl").write_text("{}\n")
    (tmp_path / "side" / "attempt-9").mkdir()
    assert [path.name for path in result_files(tmp_path / "side")] == ["attempt-9.json", "attempt-10.json"]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the two published runs are not beside this checkout")
def test_published_runs_give_exact_differences_by_domain(tmp_path: Path) -> None:
    paths = [PUBLISHED / name for name in ("qwen3.6-27b.json", "ops-i.json")]
    done = CliRunner().invoke(app, ["compare", *map(str, paths), "--json", "--out", str(tmp_path / "out")])
    found = json.loads(done.stdout)
    sides = [{row["name"]: row for row in json.loads(path.read_text())["tasks"]} for path in paths]
    for key, rows in (("passed", found["domains"]), ("score", found["partial_credit_rows"])):
        by_domain: dict[str, list[float]] = {}
        for name in sides[0]:
            difference = float(sides[1][name][key]) - float(sides[0][name][key])
            by_domain.setdefault(name.partition(".")[0], []).append(difference)
        expected = {domain: sum(values) / len(values) for domain, values in by_domain.items()}
        assert {row["name"]: row["gain"] for row in rows} == pytest.approx(expected, abs=1e-12)
    # Passes are whole numbers out of a hundred a domain.
    assert [round(100 * row["gain"], 9) for row in found["domains"]] == [-1, 0, 2, 1, 2, -1]
    assert abs(100 * found["low"] + 1.5) <= 0.3 and abs(100 * found["high"] - 2.7) <= 0.3
