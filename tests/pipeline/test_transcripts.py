"""A transcript's calls are made again: whatever form it is kept in, and whatever was done to it since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from environment.episode import Episode
from pipeline.bad_input import BadInput
from pipeline.desk import WayIn
from pipeline.transcripts import Recorder, judge_transcript, replay_sentence
from tests.pipeline.contact_task import contact_task

TASK = contact_task()


def messages() -> list[dict[str, Any]]:
    """The reference as a model's chat, all calls with the same id, as some endpoints give them."""
    episode = Episode(TASK)
    chat = episode.messages()
    for call in TASK.reference:
        made = {"id": "call_0", "function": {"name": call.tool, "arguments": json.dumps(dict(call.arguments))}}
        chat.append({"role": "assistant", "content": None, "tool_calls": [made]})
        answer = episode.call(call.tool, call.arguments)
        chat.append({"role": "tool", "tool_call_id": "call_0", "content": answer})
    return [*chat, {"role": "assistant", "content": "Done."}]


def attempt() -> dict[str, Any]:
    return {"task_id": TASK.id, "number": 0, "transcript": {"messages": messages()}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(messages()),
        json.dumps({"messages": messages()}),
        json.dumps({"transcript": {"messages": messages()}}, indent=2),
        json.dumps(attempt()) + "\n",
        "\n".join(json.dumps(message) for message in messages()),
        "\ufeff" + json.dumps(messages()),
    ],
)
def test_every_form_is_judged_alike(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept"
    path.write_text(text, encoding="utf-8")
    judged = judge_transcript(TASK, path)
    assert judged.explanation.strict
    assert (judged.calls, judged.otherwise) == (4, ())


def test_an_answer_that_was_altered_is_told_but_not_believed(tmp_path: Path) -> None:
    chat = messages()
    chat[5]["content"] = '{"forged":true}'
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(chat))
    judged = judge_transcript(TASK, path)
    assert judged.explanation.strict
    assert replay_sentence(judged) == ("4 calls made again, 1 answered otherwise than in the transcript: number 2")


def test_calls_are_made_again_with_the_tools_that_they_were_made_with(tmp_path: Path) -> None:
    fetch = {
        "method": "POST",
        "url": "https://slack.com/api/chat.postMessage",
        "body": {"channel": "#hall", "text": "x"},
    }
    function = {"name": "api_fetch", "arguments": json.dumps(fetch)}
    bare, kept = tmp_path / "bare.json", tmp_path / "kept.jsonl"
    bare.write_text(json.dumps([{"role": "assistant", "tool_calls": [{"function": function}]}]))
    with Recorder(kept, TASK) as recorder:
        recorder.called("api_fetch", function["arguments"], "{}")

    def strays(path: Path, way_in: WayIn | None = None) -> int:
        return len(judge_transcript(TASK, path, way_in).explanation.collateral)

    assert TASK.toolset == "actions"
    assert [strays(bare), strays(bare, "actions"), strays(bare, "api"), strays(bare, "both")] == [0, 0, 1, 1]
    assert strays(kept) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("nonsense", "is no JSON"),
        ('{"role": "user"}\nnonsense', "line 2 of"),
        ("[" * 100_000, "nested too deeply"),
        ("3", "no list of chat messages"),
        ('["x"]', "no list of chat messages"),
        ('[{"role": "assistant", "tool_calls": [{"function": {"name": 3}}]}]', "without a function's name"),
        (json.dumps({**attempt(), "task_id": "sales.other-0"}), "a transcript of sales.other-0, not of"),
        (json.dumps(attempt()) + "\n" + json.dumps(attempt()), "holds 2 attempts"),
        ('{"task_id": null, "way_in": "window"}\n{"role": "user"}', "says way_in 'window'"),
    ],
)
def test_what_is_no_transcript_of_this_task_is_bad_input(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        judge_transcript(TASK, path)


def test_a_file_of_bytes_and_a_missing_file_are_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    with pytest.raises(BadInput, match="there is no transcript"):
        judge_transcript(TASK, path)
    path.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(BadInput, match="is no text"):
        judge_transcript(TASK, path)
    with pytest.raises(BadInput, match="cannot be read"):
        judge_transcript(TASK, tmp_path)
