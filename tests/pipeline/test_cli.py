"""The command line answers bad input with one sentence and exit code 2, and leaves the store as it was."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from tests.pipeline.command import worldloom
from tests.pipeline.small import changed, write

COMMANDS = (
    "run generate prove decontaminate calibrate select train evaluate status "
    "rates serve show play verify compare capability audit benchmark ui doctor"
).split()


class Html(BaseHTTPRequestHandler):
    """Answers everything with a web page, as a proxy or a wrong port does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b"<html><body>Welcome</body></html>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def html_server() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Html)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def chat_engagement(path: Path, base_url: str) -> Path:
    target = {
        "kind": "chat",
        "label": "remote",
        "adapter_model": "adapter",
        "weights": "/nowhere",
        "endpoint": {
            "base_url": base_url,
            "model": "m",
            "revision": "r",
            "temperature": 1.0,
            "max_tokens": 64,
            "tries": 1,
            "timeout_s": 5,
        },
        "limits": {"max_turns": 4, "concurrency": 4},
    }
    return write(path, changed(("target", target)))


def sentence_of(error: str) -> str:
    assert "Traceback" not in error
    lines = error.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


def test_an_unknown_engagement_is_bad_input(tmp_path: Path) -> None:
    done = worldloom(tmp_path / "store", "run", "nobody")
    assert done.returncode == 2
    assert sentence_of(done.stderr).startswith("worldloom: there is no engagement 'nobody'; give one of laptop")
    assert not (tmp_path / "store").exists()


def test_a_broken_benchmark_file_is_bad_input_and_leaves_nothing(tmp_path: Path) -> None:
    benchmark = tmp_path / "public.jsonl"
    benchmark.write_text('{"prompt": [{"role": "user", "content": "x"}], "info": {}}\nnonsense\n')
    done = worldloom(
        tmp_path / "store", "decontaminate", str(write(tmp_path / "small.yaml")), WORLDLOOM_BENCHMARK=str(benchmark)
    )
    assert done.returncode == 2
    assert "public.jsonl" in sentence_of(done.stderr)
    assert not (tmp_path / "store" / "small").exists()


def test_a_dead_endpoint_is_bad_input_and_leaves_nothing(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/v1"
    done = worldloom(tmp_path / "store", "run", str(chat_engagement(tmp_path / "remote.yaml", url)))
    assert done.returncode == 2
    assert f"nothing answers at {url}" in sentence_of(done.stderr)
    assert not (tmp_path / "store" / "remote").exists()


def test_an_endpoint_that_answers_with_a_web_page_is_bad_input(tmp_path: Path) -> None:
    with html_server() as url:
        done = worldloom(tmp_path / "store", "run", str(chat_engagement(tmp_path / "remote.yaml", url)))
    assert done.returncode == 2
    assert url in sentence_of(done.stderr)
    assert not (tmp_path / "store" / "remote").exists()


def test_a_folder_without_a_model_is_bad_input(tmp_path: Path) -> None:
    path = write(tmp_path / "small.yaml", changed(("target.model", str(tmp_path))))
    done = worldloom(tmp_path / "store", "run", str(path))
    assert done.returncode == 2
    assert f"there is no model in {tmp_path}" in sentence_of(done.stderr)


def test_the_status_of_what_never_ran_says_how_to_start(tmp_path: Path) -> None:
    done = worldloom(tmp_path / "store", "status", "laptop")
    assert done.returncode == 2
    assert "start one with: worldloom run laptop" in sentence_of(done.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    if command == "benchmark":
        shown = CliRunner().invoke(app, [command, "list", "--help"])
        assert "Example: worldloom" in shown.output
        shown = CliRunner().invoke(app, [command, "import", "--help"])
    assert "Example: worldloom" in shown.output


def test_commands_are_those_that_are_listed() -> None:
    named = [one.name or one.callback.__name__ for one in app.registered_commands if one.callback]
    assert sorted([*named, *(str(group.name) for group in app.registered_groups)]) == sorted(COMMANDS)


def test_an_imported_benchmark_is_kept_and_used(tmp_path: Path) -> None:
    row = {
        "prompt": [{"role": "user", "content": "Write to Quennell Harbour Foods about the late pallets."}],
        "info": {"task_name": "support.pallets", "initial_state": {"gmail": {"messages": []}}},
    }
    source = tmp_path / "public.jsonl"
    source.write_text(json.dumps(row) + "\n")
    store = tmp_path / "store"
    done = worldloom(store, "benchmark", "import", str(source))
    assert done.returncode == 0
    assert done.stdout.startswith("public: kept 1 tasks (1 support) of ")
    assert "WARNING: public is not complete: it has 1 of 600 scored tasks" in sentence_of(done.stderr)
    source.unlink()
    found = worldloom(store, "doctor", str(write(tmp_path / "small.yaml")))
    assert "ok    benchmark: 1 tasks in" in found.stdout
    assert "WARN  benchmark: public is not complete: it has 1 of 600 scored tasks" in found.stdout


def test_results_of_two_policies_are_compared(tmp_path: Path) -> None:
    for name, scores in (("base", (0.0, 0.5, 1.0)), ("adapter", (1.0, 0.5, 1.0))):
        tasks = [
            {"name": f"sales.t{place}", "score": score, "passed": score == 1, "num_model_calls": 1}
            for place, score in enumerate(scores)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps({"meta": {"model": name}, "tasks": tasks}))
    (tmp_path / "flags.csv").write_text("task,set\nsales.t0,wording\n")
    files, out = [str(tmp_path / "base.json"), str(tmp_path / "adapter.json")], tmp_path / "out" / "t0"
    done = worldloom(tmp_path, "compare", *files, "--json", "--out", str(out), "--flags", str(tmp_path / "flags.csv"))
    found = json.loads(done.stdout)
    assert (found["base_solved"], found["adapter_solved"], found["tasks"]) == (1, 2, 3)
    assert [(row["name"], row["gain"]) for row in found["subsets"]] == [("without tasks flagged wording", 0.0)]
    page = (out / "report.html").read_text()
    assert "adapter against base" in page
    assert "without tasks flagged wording" in page
    assert json.loads((out / "report.json").read_text())["comparison"] == found


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (("base.json", "none.json"), "none.json"),
        (("base.json", "zapier.json"), "differ in toolset (api and zapier)"),
        (("base.json", "base.json", "--monitored", "none.txt"), "none.txt cannot be read"),
        (("base.json", "base.json", "--allow", "colour"), "'colour' is no setting"),
        (("base.json", "base.json", "--out", "base.json"), "base.json cannot be written"),
        ((".", "base.json"), "the same run"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(
    tmp_path: Path, files: tuple[str, ...], sentence: str
) -> None:
    for name, toolset in (("base", "api"), ("zapier", "zapier"), ("again", "api")):
        meta = {"model": "m", "toolset": toolset}
        tasks = [{"name": "sales.t0", "score": 1.0, "passed": True, "num_model_calls": 1}]
        (tmp_path / f"{name}.json").write_text(json.dumps({"meta": meta, "tasks": tasks}))
    paths = [str(tmp_path / one) if "." in one else one for one in files]
    done = worldloom(tmp_path, "compare", *paths, *([] if "--out" in files else ["--out", str(tmp_path / "out")]))
    assert done.returncode == 2
    assert sentence in sentence_of(done.stderr)
    assert not (tmp_path / "out").exists()


def test_a_store_that_is_a_file_is_bad_input(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for store in (taken, taken / "below"):
        done = worldloom(store, "generate", str(write(tmp_path / "small.yaml")))
        assert done.returncode == 2
        assert f"{taken} is a file, the store {store} needs a folder" in sentence_of(done.stderr)
    assert taken.read_text() == "mine"


def test_records_of_dagster_that_cannot_be_written_end_with_a_sentence_and_exit_code_1(tmp_path: Path) -> None:
    store, path = tmp_path / "store", write(tmp_path / "small.yaml")
    database = store / ".dagster" / "history" / "runs.db"
    database.mkdir(parents=True)
    done = worldloom(store, "generate", str(path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"worldloom: Dagster's records in {store / '.dagster'} cannot be written" in done.stderr
    database.rmdir()
    assert worldloom(store, "generate", str(path)).returncode == 0
