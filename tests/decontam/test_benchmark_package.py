"""The AutomationBench package: read in another interpreter, here a virtual environment with a package of our making."""

from __future__ import annotations

import json
import sys
import textwrap
import time
import venv
from pathlib import Path

import pytest

from decontam.readers.sources import Request, read_requested

SCORED = ("sales", "marketing", "operations", "support", "finance", "hr")
DOMAINS = """
    import json
    import uuid

    PUBLIC_DOMAINS = ("sales", "marketing", "operations", "support", "finance", "hr")
    print("what a package says while it loads")


    def get_available_domains():
        return ["simple", *PUBLIC_DOMAINS, "private"]


    def get_domain_dataset(domain):
        print("loading", domain)
        state = {"gmail": {"messages": [{"id": str(uuid.uuid4()), "body": "The crates are late."}]}}
        info = {"task_name": f"{domain}.task", "initial_state": state, "assertions": [], "zapier_tools": ["t"]}
        prompt = [{"role": "system", "content": "be good"}, {"role": "user", "content": f"Do what {domain} asks"}]
        return [{"example_id": 1, "prompt": prompt, "answer": "", "info": json.dumps(info)}]
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment without any package."""
    folder = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder


@pytest.fixture
def packages(environment: Path) -> Path:
    """Its folder of packages, emptied."""
    (folder,) = environment.glob("lib/python*/site-packages")
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return folder


def install(packages: Path, domains: str, distribution: str = "automation_bench", origin: object = None) -> None:
    (packages / "automationbench").mkdir()
    (packages / "automationbench" / "__init__.py").write_text("")
    (packages / "automationbench" / "domains.py").write_text(textwrap.dedent(domains))
    described = packages / f"{distribution}-1.0.5.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: automation-bench\nVersion: 1.0.5\n")
    if origin is not None:
        (described / "direct_url.json").write_text(json.dumps(origin))


def request(environment: Path) -> Request:
    return Request("automationbench", python=environment / "bin" / "python")


def test_the_public_tasks_of_the_package_are_handed_over_with_its_version(environment: Path, packages: Path) -> None:
    install(packages, DOMAINS)
    found = read_requested(request(environment))
    assert [task.name for task in found.tasks] == [f"{domain}.task" for domain in (*SCORED, "simple")]
    assert found.tasks[0].prompt == "Do what sales asks"
    assert found.tasks[0].system == "be good"
    (source,) = found.sources
    assert (source.name, source.version, source.reader) == ("automationbench", "1.0.5", "automationbench package")
    assert source.counts == dict.fromkeys(sorted((*SCORED, "simple")), 1)


def test_ids_that_the_package_draws_are_the_same_each_time(environment: Path, packages: Path) -> None:
    install(packages, DOMAINS)
    first, second = (read_requested(request(environment)) for _ in range(2))
    assert first.content_hash == second.content_hash
    ids = [task.to_json()["initial_state"]["gmail"]["messages"][0]["id"] for task in first.tasks]
    assert len(set(ids)) == len(ids) == 7


def test_a_package_from_a_repository_is_named_by_its_commit(environment: Path, packages: Path) -> None:
    origin = {"url": "https://example.com/bench.git", "vcs_info": {"vcs": "git", "commit_id": "4a8e106"}}
    install(packages, DOMAINS, origin=origin)
    assert read_requested(request(environment)).sources[0].version == "1.0.5 at commit 4a8e106"


def test_an_older_package_that_lists_no_domains_is_read(environment: Path, packages: Path) -> None:
    older = """
        def get_domain_dataset(domain):
            return [{"example_id": 0, "prompt": f"Do what {domain} asks", "task": f"{domain}.task", "info": {}}]
    """
    install(packages, older)
    assert len(read_requested(request(environment)).tasks) == 7


def refusal_of(environment: Path) -> str:
    with pytest.raises(ValueError) as refusal:
        read_requested(request(environment))
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def test_an_interpreter_without_the_package_is_refused(environment: Path, packages: Path) -> None:
    sentence = refusal_of(environment)
    version = ".".join(map(str, sys.version_info[:3]))
    assert sentence.startswith(f"automationbench is not installed in {environment}/bin/python (Python {version}); give")


@pytest.mark.parametrize(
    ("domains", "sentence"),
    [
        ("import verifiers", "ended with exit code 1 after 0 rows (ModuleNotFoundError: No module named 'verifiers')"),
        ("def broken(:", "ended with exit code 1 after 0 rows (SyntaxError: "),
        ("def get_domain_dataset(domain):\n    return 1 / 0", "after 0 rows (ZeroDivisionError: division by zero)"),
        ("import os\nos.kill(os.getpid(), 11)", "was ended by signal 11 after 0 rows"),
        ("import os\nos._exit(0)", "ended with exit code 0 after 0 rows"),
        ("def get_domain_dataset(domain):\n    return []", "automationbench holds no task"),
        (
            "def get_domain_dataset(domain):\n    return [{'example_id': 1, 'prompt': 'Do it', 'info': {}}] * 2",
            "automationbench row 2 has the name 'sales.example_1' that row 1 has",
        ),
        (
            "def get_domain_dataset(domain):\n    return [{'task': f'{domain}.a', 'prompt': '\\ud800'}]",
            "instead of row 1",
        ),
        (
            "def get_domain_dataset(domain):\n    return [{'task': 'hr.a', 'prompt': 'a', 'x': float('nan')}]",
            "after 0 rows (ValueError: Out of range float values are not JSON compliant",
        ),
        ("def get_domain_dataset(domain):\n    return [{'prompt': 'Do it', 'info': {}}]", "row 1 is no task: it has"),
    ],
)  # fmt: skip
def test_a_package_that_fails_is_one_sentence(environment: Path, packages: Path, domains: str, sentence: str) -> None:
    install(packages, domains)
    assert sentence in refusal_of(environment)


def test_a_package_that_ends_half_way_gives_no_tasks(environment: Path, packages: Path) -> None:
    half = """
        import os, sys

        def get_domain_dataset(domain):
            if domain == "operations":
                os._exit(0)
            return [{"task": f"{domain}.a", "prompt": "Do it"}] 
    """
    install(packages, half)
    assert "ended with exit code 0 after" in refusal_of(environment)


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("echo hello", "answered 'hello' instead of row 1; give with --python a Python 3.13"),
        ("yes", "answered 'y' instead of row 1"),
        ("cat /dev/zero", "instead of row 1"),
        ("echo '{\"row\": {}}'", "answered '{\"row\": {}}' instead of row 1"),
        ("echo broken >&2; exit 3", "ended with exit code 3 after 0 rows (broken); give with --python"),
        ("true", "ended with exit code 0 after 0 rows; give with --python"),
    ],
)
def test_a_program_that_is_no_python_is_refused_at_once(tmp_path: Path, body: str, sentence: str) -> None:
    started = time.monotonic()
    with pytest.raises(ValueError) as refusal:
        read_requested(Request("automationbench", python=script(tmp_path / "python", body)))
    assert sentence in str(refusal.value)
    assert time.monotonic() - started < 10


def test_a_missing_interpreter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"nowhere is no interpreter that can be started \(No such file or directory\)"
    ):
        read_requested(Request("automationbench", python=tmp_path / "nowhere"))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match=r"text is no interpreter that can be started \(Permission denied\)"):
        read_requested(Request("automationbench", python=tmp_path / "text"))


def test_options_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    python = Path(sys.executable)
    with pytest.raises(ValueError, match="give its interpreter with --python"):
        read_requested(Request("automationbench"))
    with pytest.raises(ValueError, match="--python reads the package automationbench, not other"):
        read_requested(Request("other", python=python))
    with pytest.raises(ValueError, match="leave out --as and the column options"):
        read_requested(Request("automationbench", "harbor", python=python))
