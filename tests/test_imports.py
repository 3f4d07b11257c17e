"""Imports point down, heavy libraries stay where they belong, and loading the code location loads none of them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEVEL = {
    "pipeline": 3,
    "assets": 2,
    "generators": 1,
    "decontam": 1,
    "calibration": 1,
    "training": 1,
    "evaluation": 1,
    "environment": 0,
}
HEAVY = {"torch", "transformers", "trl", "peft", "accelerate", "datasets"}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def modules() -> list[tuple[str, Path]]:
    return [(package, path) for package in LEVEL for path in sorted((ROOT / package).rglob("*.py"))]


def test_every_package_is_looked_at() -> None:
    assert {package for package, _ in modules()} == set(LEVEL)


@pytest.mark.parametrize("package", LEVEL)
def test_a_package_imports_only_packages_below_it(package: str) -> None:
    upward = [
        f"{path.relative_to(ROOT)}: {name}"
        for owner, path in modules()
        if owner == package
        for name in imports(path)
        if (other := name.partition(".")[0]) in LEVEL and other != package and LEVEL[other] >= LEVEL[package]
    ]
    assert upward == []


def test_dagster_is_imported_by_pipeline_and_assets_alone() -> None:
    found = {package for package, path in modules() for name in imports(path) if name.partition(".")[0] == "dagster"}
    assert found == {"pipeline", "assets"}


def test_heavy_libraries_are_imported_by_training_and_the_local_policy_alone() -> None:
    strays = [
        f"{path.relative_to(ROOT)}: {name}"
        for package, path in modules()
        for name in imports(path)
        if name.partition(".")[0] in HEAVY
        and package != "training"
        and path.parent.relative_to(ROOT).as_posix() != "environment/policies"
    ]
    assert strays == []


def test_nothing_in_assets_postpones_annotations() -> None:
    postponed = [path.name for path in (ROOT / "assets").rglob("*.py") if "__future__" in set(imports(path))]
    assert postponed == []


def test_loading_the_code_location_loads_no_heavy_library() -> None:
    program = f"import sys; import pipeline.definitions; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
