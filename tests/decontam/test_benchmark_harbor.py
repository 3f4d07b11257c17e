"""Harbor datasets: folders of task folders."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from decontam.readers.collected import FIELD_LETTERS
from decontam.readers.sources import read_source

SETTINGS = 'version = "1.0"\n\n[metadata]\ncategory = "office"\n'


def task_folder(dataset: Path, name: str, instruction: str | None = "Sort the mail.", settings: str = SETTINGS) -> Path:
    folder = dataset / name
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text(settings)
    if instruction is not None:
        (folder / "instruction.md").write_text(instruction)
    return folder


def test_each_task_folder_is_a_task_with_what_the_agent_finds(tmp_path: Path) -> None:
    first = task_folder(tmp_path / "set", "sort-mail", "\ufeffSort the mail.\r\n")
    (first / "environment" / "inbox").mkdir(parents=True)
    (first / "environment" / "inbox" / "1.eml").write_text("Subject: Crates\n\nThe crates are late.")
    (first / "environment" / "Dockerfile").write_text("FROM scratch")
    (first / "environment" / "old.txt").write_bytes(b"caf\xe9 au lait")
    task_folder(tmp_path / "set", "book-room", "Book a room.", settings="")
    (tmp_path / "set" / "README.md").write_text("A data set")
    (tmp_path / "set" / "docs").mkdir()
    found = read_source(tmp_path / "set")
    assert [(task.name, task.domain, task.prompt, task.row) for task in found.tasks] == [
        ("book-room", "unknown", "Book a room.", 1),
        ("sort-mail", "office", "Sort the mail.\n", 2),
    ]
    assert found.tasks[1].initial_state == {
        "environment": {
            "files": [
                {"path": "environment/inbox/1.eml", "text": "Subject: Crates\n\nThe crates are late."},
                {"path": "environment/old.txt", "text": "caf\ufffd au lait"},
            ]
        }
    }
    assert (found.sources[0].name, found.sources[0].reader) == ("set", "harbor")


def test_one_task_folder_and_a_folder_of_tasks_below_are_read(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "set" / "tasks", "sort-mail")
    assert [task.name for task in read_source(tmp_path / "set").tasks] == ["sort-mail"]
    assert [task.name for task in read_source(folder).tasks] == ["sort-mail"]


def test_a_task_in_steps_has_the_instructions_of_all(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "set", "long", instruction=None)
    for step, text in (("1-read", "Read the mail."), ("2-answer", "Answer it.")):
        (folder / "steps" / step).mkdir(parents=True)
        (folder / "steps" / step / "instruction.md").write_text(text)
    (task,) = read_source(tmp_path / "set").tasks
    assert task.prompt == "Read the mail.\n\nAnswer it."


def test_a_long_file_of_the_environment_is_read_in_pieces(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "set", "log")
    (folder / "environment").mkdir()
    text = "one line of a long log\n" * 100_000
    (folder / "environment" / "a.log").write_text(text)
    state = read_source(tmp_path / "set").tasks[0].to_json()["initial_state"]
    pieces = [file["text"] for file in state["environment"]["files"]]
    assert "".join(pieces) == text
    assert all(len(piece) <= FIELD_LETTERS and piece.endswith("log\n") for piece in pieces)


@pytest.mark.parametrize(
    ("instruction", "settings", "sentence"),
    [
        (None, SETTINGS, "(b) has no instruction.md; a task folder needs task.toml and instruction.md"),
        (" \n", SETTINGS, "(b) has an empty instruction.md"),
        ("Do it.", "[metadata\n", "(b): task.toml is no TOML ("),
        ("\u2014", SETTINGS, "is no task: the prompt of b holds no word"),
    ],
)
def test_a_broken_task_folder_is_refused_with_its_number_and_name(
    tmp_path: Path, instruction: str | None, settings: str, sentence: str
) -> None:
    task_folder(tmp_path / "set", "a")
    task_folder(tmp_path / "set", "b", instruction, settings)
    with pytest.raises(ValueError) as refusal:
        read_source(tmp_path / "set")
    assert str(refusal.value).startswith(f"{tmp_path / 'set'} task 2 {sentence}")
    assert "\n" not in str(refusal.value)


def test_a_folder_with_an_environment_but_no_settings_is_a_broken_task(tmp_path: Path) -> None:
    task_folder(tmp_path / "set", "a")
    (tmp_path / "set" / "b" / "environment").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"task 2 \(b\) has no task\.toml"):
        read_source(tmp_path / "set")


def test_an_instruction_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    folder = task_folder(tmp_path / "set", "a")
    (folder / "instruction.md").write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match=r"task 1 \(a\): instruction\.md is not UTF-8 text at byte 4"):
        read_source(tmp_path / "set")


def test_a_folder_without_tasks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="holds no task folder; give a folder of folders with task"):
        read_source(tmp_path / "empty")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_version_of_a_folder_is_its_commit_else_a_hash_of_its_files(tmp_path: Path) -> None:
    dataset = tmp_path / "set"
    folder = task_folder(dataset, "a")
    hashed = read_source(dataset).sources[0].version
    assert hashed.startswith("sha256:")
    git(dataset, "init", "-q")
    git(dataset, "add", ".")
    git(dataset, "commit", "-qm", "first")
    commit = git(dataset, "rev-parse", "HEAD")
    assert read_source(dataset).sources[0].version == f"commit {commit}"
    (folder / "instruction.md").write_text("Sort the mail by date.")
    assert read_source(dataset).sources[0].version == f"commit {commit}+changes"
