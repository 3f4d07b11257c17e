"""A session at a desk, scripted and by hand, in processes of their own; its transcript is judged again."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from typer.testing import CliRunner

from environment.episode import Episode
from environment.task import Task, ToolCall
from generators.families import FAMILIES
from pipeline.cli import app
from pipeline.play import Played, play
from pipeline.task_source import Wish, generated
from pipeline.transcripts import Recorder, judge_transcript
from tests.pipeline.command import ROOT, environment, worldloom
from tests.pipeline.contact_task import DESK, NUMBER, OREN, contact_task

FAMILY = "callback_number"
FAMILY_NAMES = [family.name for family in FAMILIES]
COMMAND = [sys.executable, "-m", "pipeline.cli", "play", FAMILY]


def scripted(folder: Path, lines: Sequence[str], *options: str) -> subprocess.CompletedProcess[str]:
    """The finished session that these lines were piped into."""
    return subprocess.run(
        [*COMMAND, *options],
        cwd=ROOT,
        env=environment(folder / "store"),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
    )


def typed(calls: Sequence[ToolCall]) -> list[str]:
    """The calls as a person types them: name=value where the value is plain, else JSON."""
    lines = []
    for call in calls:
        plain = all(
            isinstance(value, str | int | float) and "\n" not in str(value) for value in call.arguments.values()
        )
        pairs = (f"{name}={value}" for name, value in call.arguments.items())
        rest = shlex.join(pairs) if plain else json.dumps(dict(call.arguments))
        lines.append(f"{call.tool} {rest}".strip())
    return lines


def requests_of(task: Task) -> list[str]:
    """The HTTP requests of the reference, as a person types them."""
    episode = Episode(task, "actions")
    for call in task.reference:
        episode.call(call.tool, call.arguments)
    lines = []
    for request in episode.requests:
        url = request.url
        if request.params and request.method not in ("GET", "DELETE"):
            url = f"{url}?{urlencode(request.params, doseq=True)}"
        data = request.params if request.method in ("GET", "DELETE") else request.body
        lines.append(f"{request.method} {url} {json.dumps(data)}" if data is not None else f"{request.method} {url}")
    return lines


def session(task: Task, lines: Sequence[str], transcript: Path | None = None) -> tuple[Played, str]:
    """A session in this process, with all that was said."""
    said: list[str] = []
    with Recorder(transcript, task) as recorder:
        played = play(task, iter(lines), said.append, recorder, 100)
    return played, "\n".join(said)


def test_a_script_that_does_what_the_reference_does_passes(tmp_path: Path) -> None:
    task = generated(FAMILY, Wish(seed="by hand", index=2))
    kept = tmp_path / "kept it.jsonl"
    lines = [
        "help",
        "tools",
        f"help {task.reference[0].tool}",
        "task",
        *typed(task.reference),
        "changes",
        "finish Done.",
    ]
    done = scripted(tmp_path, lines, "--seed", "by hand", "--index", "2", "--reference", "--transcript", str(kept))
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(task.contract.groups())
    assert f"strict pass, partial credit 1.00: {count} of {count} expected changes found, 0 collateral" in done.stdout
    assert "the reference\n" in done.stdout
    assert task.prompt.split()[0] in done.stdout
    assert task.actor["email"] in done.stdout
    command = done.stdout.splitlines()[-1].partition("worldloom ")[2]
    again = worldloom(tmp_path / "store", *shlex.split(command))
    assert again.returncode == 0, again.stderr
    assert f"{len(task.reference)} calls made again, each answered as in the transcript" in again.stdout


def test_a_script_that_falls_for_a_trap_fails_and_is_told_why(tmp_path: Path) -> None:
    task = generated(FAMILY, Wish(profile="top"))
    trap = next(trap for trap in task.traps if trap.name == "near_duplicate")
    done = scripted(tmp_path, [*typed(trap.sprung), "finish"], "--profile", "top", "--json")
    assert done.returncode == 1
    played = json.loads(done.stdout)
    assert played["verdict"]["strict"] is False
    assert [one["satisfied"] for one in played["verdict"]["expected"]].count(False) >= 1
    assert all(one["reason"] for one in played["verdict"]["expected"] if not one["satisfied"])
    assert played["verdict"]["collateral"][0]["reason"]
    assert "no pass" in done.stderr


@pytest.mark.parametrize("name", FAMILY_NAMES)
def test_every_family_is_solved_by_typing_its_reference_or_its_requests(name: str, tmp_path: Path) -> None:
    task = generated(name, Wish(profile="full", seed="typed"))
    for number, lines in enumerate((typed(task.reference), requests_of(task))):
        kept = tmp_path / f"{number}.jsonl"
        played, said = session(task, [*lines, "finish"], kept)
        assert played.strict, said
        judged = judge_transcript(task, kept)
        assert (judged.explanation, judged.otherwise) == (played.verdict, ())


def test_hostile_lines_are_answered_and_harm_nothing(tmp_path: Path) -> None:
    lines = [
        'salesforce_find_contacts {"name": ' + "[" * 50_000,
        'salesforce_find_contacts {"name": ' + "[" * 100_000,
        "POST https://slack.com/api/chat.postMessage " + '{"a":' * 900 + "1" + "}" * 900,
        "\x1b[2J\x1b]0;title\x07",
        "GET https://[::1",
        "GET file:///etc/passwd",
        "api_search top_k=99999999999999999999 query=",
        "salesforce_find_contacts name=" + "x" * 1_000_000,
        "salesforce_find_contacts {'name': 1}",
        'base64_encode {"text": "\\ud800"}',
        "search",
        "help nothing",
        "changes " * 10,
        "__import__ os=system",
    ]
    done = scripted(tmp_path, [*lines, "finish"], "--json")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.count("is not valid JSON") == 2
    assert "send at most 100,000" in done.stderr
    assert "too many for name=value; give JSON" in done.stderr
    played = json.loads(done.stdout)
    assert (played["end"], played["changes"]) == ("finished", [])


def test_bytes_that_are_no_text_are_answered(tmp_path: Path) -> None:
    done = subprocess.run(
        COMMAND, cwd=ROOT, env=environment(tmp_path), input=bytes(range(256)) * 8 + b"\nfinish\n", capture_output=True
    )
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"no pass" in done.stdout


@pytest.mark.parametrize(
    ("lines", "end"), [(["quit", "finish"], "quit"), ([], "end of input"), (["tools"], "end of input")]
)
def test_leaving_gives_no_verdict(tmp_path: Path, lines: list[str], end: str) -> None:
    done = scripted(tmp_path, lines)
    assert done.returncode == 1
    assert done.stdout.endswith(f"left without a verdict ({end})\n")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nobody"], "no family is called so"),
        (["nobody", "--seed", "3"], "'nobody' is no family"),
        ([FAMILY, "--knob", "entities"], "--knob 'entities' is not understood"),
        ([FAMILY, "--knob", "entities=+-1"], "--knob 'entities=+-1' is not understood"),
        ([FAMILY, "--knob", "entities=" + "9" * 5000], "is not understood"),
        ([FAMILY, "--knob", "colour=1"], "has no knob 'colour'; it has"),
        ([FAMILY, "--knob", "entities=1", "--knob", "entities=2"], "--knob entities is given twice"),
        ([FAMILY, "--knob", "entities=99999"], "knob entities of"),
        ([FAMILY, "--index", "-1"], "--index"),
        ([FAMILY, "--profile", "odd"], "--profile"),
        ([FAMILY, "--transcript", "/nowhere/kept.jsonl"], "/nowhere/kept.jsonl can't be written"),
    ],
)
def test_what_cannot_be_played_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.setenv("WORLDLOOM_STORE", str(tmp_path / "store"))
    done = CliRunner().invoke(app, ["play", *arguments])
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert not (tmp_path / "store").exists()


def test_a_transcript_is_never_written_over(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    kept.write_text("mine")
    done = scripted(tmp_path, ["finish"], "--transcript", str(kept))
    assert done.returncode == 2
    assert kept.read_text() == "mine"


def test_changes_are_told_field_by_field_and_errors_as_the_model_sees_them() -> None:
    task = contact_task()
    said = session(
        task,
        [
            "changes",
            f"salesforce_update_contact id={OREN} phone={NUMBER}",
            "salesforce_update_contact id=nobody phone=1",
            'slack_post_message {"channel": "desk", "text": "one\\ntwo"}',
            "changes",
            "quit",
        ],
    )[1]
    lines = said.splitlines()
    assert "nothing has changed so far" in lines
    assert f"  Contact {OREN} (Oren Haddad): updated" in lines
    assert f'      Phone: "555-0100" -> "{NUMBER}"' in lines
    assert f"      channel: {DESK} (desk)" in lines
    assert lines[lines.index("      text:") + 1 :][:2] == ["        one", "        two"]
    error = Episode(task).call("salesforce_update_contact", {"id": "nobody", "phone": "1"})
    assert f"  {error}" in lines


def test_the_clock_moves_with_every_call() -> None:
    said = session(contact_task(), ["slack_read_channel channel=desk", "task", "quit"])[1]
    assert said.count("it is Thursday 2026-07-09 15:40:00+00:00") == 1
    assert said.count("it is Thursday 2026-07-09 15:40:0") == 2


# By hand


class Hand:
    """A person at a terminal."""

    def __init__(self, store: Path, *options: str) -> None:
        self._master, slave = pty.openpty()
        variables = {**environment(store), "TERM": "dumb", "COLUMNS": "100"}
        self._process = subprocess.Popen(
            [*COMMAND, *options],
            cwd=ROOT,
            env=variables,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            # whoever runs tests in the background ignores interrupts, and children inherit that
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        os.close(slave)
        self._seen = ""

    def until(self, text: str) -> str:
        """All that was shown up to this text."""
        deadline = time.monotonic() + 30
        while text not in self._seen and time.monotonic() < deadline:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                self._seen += os.read(self._master, 65536).decode()
            except OSError:
                break
        assert text in self._seen, self._seen
        shown, _, self._seen = self._seen.partition(text)
        return shown

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def interrupt(self) -> None:
        """Once it waits for input: an interrupt before that is noticed only with the next key."""
        while Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)
        os.kill(self._process.pid, signal.SIGINT)

    def left(self) -> int:
        return self._process.wait(timeout=30)

    def gone(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)


@pytest.fixture
def hand(tmp_path: Path) -> Iterator[Hand]:
    hand = Hand(tmp_path / "store", "--transcript", str(tmp_path / "kept.jsonl"))
    yield hand
    hand.gone()


def test_lines_typed_by_hand_have_a_history_and_names_are_completed(hand: Hand) -> None:
    hand.until("\n> ")
    hand.type("chan\t\n")
    hand.until("nothing has changed so far")
    hand.type("\x1b[A\n")
    hand.until("nothing has changed so far")
    hand.type("finish\n")
    hand.until("no pass")
    assert hand.left() == 1


def test_control_d_leaves_cleanly(hand: Hand) -> None:
    hand.until("\n> ")
    hand.type("\x04")
    assert "Traceback" not in hand.until("left without a verdict (end of input)")
    assert hand.left() == 1


def test_control_c_leaves_cleanly_and_keeps_the_transcript(hand: Hand, tmp_path: Path) -> None:
    hand.until("\n> ")
    hand.type("base64_encode text=hi\n")
    hand.until("encoded: aGk")
    hand.until("> ")
    hand.interrupt()
    assert "Traceback" not in hand.until("left without a verdict (interrupted)")
    assert hand.left() == 130
    rows: list[dict[str, Any]] = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert [row.get("role") for row in rows] == [None, "system", "user", "assistant", "tool"]
