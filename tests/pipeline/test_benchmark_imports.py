"""Imports: what the store keeps of benchmarks, and which of them an engagement is held against."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from decontam.readers.sources import load_benchmark, read_source
from pipeline.bad_input import BadInput
from pipeline.cli import app
from pipeline.engagement import load_engagement
from pipeline.imports import Imports
from pipeline.readiness import refuse_unready
from pipeline.running import run_stages
from pipeline.store import BENCHMARK_VARIABLE, STORE_VARIABLE, Store
from tests.pipeline.command import worldloom
from tests.pipeline.small import changed, write


def row(name: str, request: str = "Write to Quennell Harbour Foods about the late pallets.") -> dict[str, Any]:
    return {"prompt": [{"role": "user", "content": request}], "info": {"task_name": name, "initial_state": {}}}


def jsonl(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.delenv(BENCHMARK_VARIABLE, raising=False)
    return Store(tmp_path / "store")


def kept(store: Store, path: Path, name: str | None = None) -> Path:
    benchmark = read_source(path, name=name)
    store.imports.keep(benchmark, replace=False)
    return store.imports.folder(benchmark.sources[0].name)


def test_an_import_is_read_again_as_it_was_without_its_source(store: Store, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "public.jsonl", row("hr.a"), row("sales.b", "Say caf\u00e9 \U0001f600"))
    benchmark = read_source(source)
    folder = kept(store, source)
    source.unlink()
    again = load_benchmark([folder])
    assert again.to_json() == benchmark.to_json()


def test_the_same_content_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    kept(store, jsonl(tmp_path / "public.jsonl", row("hr.a"), row("hr.b")))
    before = files_below(store.root)
    other_order = read_source(jsonl(tmp_path / "other.jsonl", row("hr.b"), row("hr.a")), name="public")
    assert store.imports.keep(other_order, replace=False) == "already there"
    assert files_below(store.root) == before


def test_other_content_of_the_same_name_needs_replace(store: Store, tmp_path: Path) -> None:
    folder = kept(store, jsonl(tmp_path / "public.jsonl", row("hr.a")))
    before = files_below(store.root)
    other = read_source(jsonl(tmp_path / "other.jsonl", row("hr.b")), name="public")
    with pytest.raises(BadInput, match=r"already with other content \(1 tasks of .*; replace it with --replace"):
        store.imports.keep(other, replace=False)
    assert files_below(store.root) == before
    assert store.imports.keep(other, replace=True) == "replaced"
    assert [task.name for task in load_benchmark([folder]).tasks] == ["hr.b"]
    assert {path.name for path in store.imports.root.iterdir()} == {"public"}


def test_an_altered_import_is_refused_until_it_is_replaced(store: Store, tmp_path: Path) -> None:
    source = jsonl(tmp_path / "public.jsonl", row("hr.a"), row("hr.b"))
    folder = kept(store, source)
    tasks = folder / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("Quennell", "Quenell"))
    with pytest.raises(ValueError, match=r"tasks\.jsonl was altered since it was imported"):
        load_benchmark([folder])
    with pytest.raises(ValueError, match="was altered since"):
        store.imports.keep(read_source(source), replace=False)
    store.imports.keep(read_source(source), replace=True)
    assert len(load_benchmark([folder]).tasks) == 2
    (folder / "import.json").write_text("{}")
    with pytest.raises(ValueError, match="does not fit this version of the program"):
        load_benchmark([folder])


def engagement(folder: Path, *named: str) -> Any:
    return load_engagement(str(write(folder / "small.yaml", changed(("decontamination.benchmarks", list(named))))))


def test_an_engagement_is_held_against_what_it_names(store: Store, tmp_path: Path) -> None:
    kept(store, jsonl(tmp_path / "first.jsonl", row("hr.a")))
    second = jsonl(tmp_path / "second.jsonl", row("hr.b"))
    both = load_benchmark(store.benchmark_paths(engagement(tmp_path, "first", "second.jsonl")))
    assert [(task.benchmark, task.name) for task in both.tasks] == [("first", "hr.a"), ("second", "hr.b")]
    assert both.sources[1].source == str(second)
    with pytest.raises(BadInput, match=r"no benchmark 'third' is imported in .*, there is first; import it"):
        refuse_unready(store, engagement(tmp_path, "third"), "clean_tasks")
    with pytest.raises(ValueError, match=r"absent\.jsonl does not exist"):
        refuse_unready(store, engagement(tmp_path, "absent.jsonl"), "clean_tasks")


def test_without_names_the_variable_counts_then_all_imports_then_the_stand_in(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = engagement(tmp_path)
    assert load_benchmark(store.benchmark_paths(wanted)).is_stand_in
    for name in ("zeta", "alpha"):
        kept(store, jsonl(tmp_path / f"{name}.jsonl", row("hr.a")))
    assert [path.name for path in store.benchmark_paths(wanted)] == ["alpha", "zeta"]
    monkeypatch.setenv(
        BENCHMARK_VARIABLE, os.pathsep.join([str(tmp_path / "zeta.jsonl"), str(tmp_path / "more.jsonl")])
    )
    assert store.benchmark_paths(wanted) == (tmp_path / "zeta.jsonl", tmp_path / "more.jsonl")


def test_the_stage_stores_the_union_with_the_facts_of_each(store: Store, tmp_path: Path) -> None:
    kept(store, jsonl(tmp_path / "first.jsonl", row("hr.a"), row("sales.b")))
    jsonl(tmp_path / "qa.jsonl", {"text": "Who of Oakhurst Mills ships on Sundays?"})
    generation = store.begin(engagement(tmp_path, "first", "qa.jsonl"), 1, "")
    findings = run_stages(store, generation, "benchmark_tasks")
    assert [finding.check for finding in findings] == ["benchmark_is_complete"]
    facts: Any = generation.manifest("benchmark_tasks").facts
    assert [(one["name"], one["reader"], one["counts"]) for one in facts["sources"]] == [
        ("first", "automationbench", {"hr": 1, "sales": 1}),
        ("qa", "jsonl", {"unknown": 1}),
    ]
    assert [one.partition(" (")[0] for one in facts["shortfalls"]] == [
        "first is not complete: it has 2 of 600 scored tasks"
    ]
    rows = list(generation.rows("benchmark_tasks", "tasks.jsonl"))
    assert [(one["benchmark"], one["name"]) for one in rows] == [
        ("first", "hr.a"),
        ("first", "sales.b"),
        ("qa", "row_1"),
    ]


def test_a_complete_scored_set_is_no_finding(store: Store, tmp_path: Path) -> None:
    sizes = dict.fromkeys(("sales", "marketing", "operations", "support", "finance", "hr"), 100) | {"simple": 200}
    rows = [row(f"{domain}.task_{number}") for domain, size in sizes.items() for number in range(size)]
    kept(store, jsonl(tmp_path / "automationbench.jsonl", *rows))
    generation = store.begin(engagement(tmp_path), 1, "")
    assert run_stages(store, generation, "benchmark_tasks") == ()
    assert generation.manifest("benchmark_tasks").facts["shortfalls"] == []


def one_sentence(error: str) -> str:
    (line,) = error.strip().splitlines()
    return line


def test_the_command_says_what_was_kept_and_lists_it(tmp_path: Path) -> None:
    store, source = tmp_path / "store", jsonl(tmp_path / "Customer QA.jsonl", {"question": "Who?", "kind": "hr"})
    options = ("--text-column", "question", "--domain-column", "kind")
    assert "no benchmark is imported in" in worldloom(store, "benchmark", "list").stdout
    first = worldloom(store, "benchmark", "import", str(source), *options)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith(f"customer-qa: kept 1 tasks (1 hr) of {source} in ")
    again = worldloom(store, "benchmark", "import", str(source), *options)
    assert again.returncode == 0
    assert again.stdout.startswith("customer-qa: imported already, nothing to do: 1 tasks (1 hr)")
    (listed,) = json.loads(worldloom(store, "benchmark", "list", "--json").stdout)
    assert listed["source"]["counts"] == {"hr": 1}
    assert listed["source"]["version"].startswith("sha256:")
    assert listed["shortfall"] is None
    shown = worldloom(store, "benchmark", "list").stdout
    assert "customer-qa" in shown
    assert str(source) in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("absent.jsonl",), "absent.jsonl does not exist; export the benchmark there or name another file"),
        (("automationbench",), "there is no file automationbench; to read the package, give its interpreter"),
        (("automationbench", "--python", "/nowhere/python"), "/nowhere/python is no interpreter that can be started"),
        (("automationbench", "--python", sys.executable), "automationbench is not installed in "),
        (("public.jsonl", "--name", "My Tasks"), "'My Tasks' cannot name an import; with --name give lower-case"),
        (("public.jsonl", "--as", "harbor"), "public.jsonl holds no task folder"),
        (("public.jsonl", "--as", "parquet"), "public.jsonl is no readable Parquet file"),
        (("public.jsonl", "--text-column", "body"), "public.jsonl line 1 has no column 'body'; it has prompt, info"),
        (("folder", "--text-column", "body"), "folder is read as harbor, which has no columns"),
        (("broken.jsonl",), "broken.jsonl line 2 is cut off in the middle of the last row"),
    ],
)
def test_bad_input_is_one_sentence_and_stores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], sentence: str
) -> None:
    jsonl(tmp_path / "public.jsonl", row("hr.a"))
    (tmp_path / "broken.jsonl").write_text(json.dumps(row("hr.a")) + '\n{"prompt": ')
    (tmp_path / "folder").mkdir()
    first = arguments[0] if arguments[0] == "automationbench" else str(tmp_path / arguments[0])
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "store"))
    done = CliRunner().invoke(app, ["benchmark", "import", first, *arguments[1:]])
    assert done.exit_code == 2
    assert sentence in one_sentence(done.stderr)
    assert done.stdout == ""
    assert Imports(tmp_path / "store" / ".benchmarks").names() == ()
    assert files_below(tmp_path / "store") == {}
