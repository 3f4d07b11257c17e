"""Exhibits: what is shown of an attempt, what is cut and what is left out."""

from __future__ import annotations

import json

import pytest

from environment.attempt import Attempt, Transcript
from evaluation.exhibits import LETTERS, MESSAGES, PROMPT_LETTERS, Line, lines_of, prompt_of, shown_attempt
from tests.environment.small_task import CALL_MESSAGE, POST, STRAY, make_small_task
from tests.evaluation.test_outcomes import played

TASK = make_small_task()


def test_an_attempt_shows_what_it_missed_and_what_went_astray() -> None:
    asked = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    told = [CALL_MESSAGE, {"role": "tool", "content": "{}"}, {"role": "assistant", "content": "Done."}]
    attempt = played(TASK, (STRAY,), number=2, transcript=Transcript(messages=(*asked, *told)))
    shown = shown_attempt(attempt, TASK)
    assert (shown.number, shown.strict, shown.credit, shown.end) == (2, False, 0.0, "answered")
    (missed,) = shown.missed
    assert missed.startswith("post: create slack.Message")
    assert shown.strays == (attempt.verdict.collateral if attempt.verdict else None)
    arguments = json.dumps(dict(POST.arguments))
    assert shown.lines == (
        Line(role="call", text=f"slack_post_message {arguments}"),
        Line(role="tool", text="{}"),
        Line(role="assistant", text="Done."),
    )


def test_a_strict_attempt_misses_nothing_and_one_without_a_transcript_has_no_lines() -> None:
    shown = shown_attempt(played(TASK, (POST,)), TASK)
    assert (shown.strict, shown.missed, shown.strays, shown.lines) == (True, (), (), ())


def test_a_wrong_field_is_named() -> None:
    attempt = played(TASK, (POST,))
    assert attempt.verdict is not None
    judged = attempt.verdict.expected[0].model_copy(update={"satisfied": False, "wrong": ("text", "at")})
    verdict = attempt.verdict.model_copy(update={"expected": (judged,), "strict": False, "partial_credit": 0.0})
    shown = shown_attempt(played(TASK, (), verdict=verdict), TASK)
    assert shown.missed == ("post: create slack.Message; wrong: text, at",)


def test_an_unscored_attempt_is_refused() -> None:
    lost = Attempt(
        task_id=TASK.id,
        number=3,
        policy="p",
        seed=1,
        purpose="x",
        end=None,
        verdict=None,
        transcript=None,
        error="reset",
        failure="connection",
    )
    with pytest.raises(ValueError, match=r"attempt 3 on finance\.small-\w+ is unscored; show a scored one"):
        shown_attempt(lost, TASK)


@pytest.mark.parametrize(("letters", "left_out"), [(LETTERS, 0), (LETTERS + 1, 1), (100_000, 100_000 - LETTERS)])
def test_a_long_message_is_cut_and_says_by_how_much(letters: int, left_out: int) -> None:
    (line,) = lines_of([{"role": "tool", "content": "x" * letters}])
    assert (len(line.text), line.left_out) == (letters - left_out, left_out)


def test_the_middle_of_a_long_attempt_is_left_out() -> None:
    messages = [{"role": "assistant", "content": str(number)} for number in range(MESSAGES + 7)]
    lines = lines_of(messages)
    half = MESSAGES // 2
    assert [line.text for line in lines[:half]] == [str(number) for number in range(half)]
    assert [line.text for line in lines[half + 1 :]] == [str(number) for number in range(half + 7, MESSAGES + 7)]
    assert lines[half] == Line(role="", text="7 messages left out")
    assert len(lines_of(messages[:MESSAGES])) == MESSAGES


def test_what_the_model_was_asked_is_not_shown_again() -> None:
    assert lines_of([{"role": role, "content": "x"} for role in ("system", "developer", "user")]) == ()


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ({"role": "assistant", "content": None}, []),
        ({"role": "assistant", "content": ""}, []),
        ({"role": "assistant"}, []),
        ({"content": "no role"}, [("", "no role")]),
        (
            {"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            [("tool", "a\nb")],
        ),
        ({"role": "tool", "content": {"rows": [1]}}, [("tool", '{"rows": [1]}')]),
        ({"role": "tool", "content": [{"type": "image"}]}, [("tool", '[{"type": "image"}]')]),
        ({"role": "assistant", "tool_calls": "none"}, []),
        ({"role": "assistant", "tool_calls": ['{"name": "f"}']}, [("call", '{"name": "f"}')]),
        ({"role": "assistant", "tool_calls": [None, 3]}, [("call", "null"), ("call", "3")]),
        ({"role": "assistant", "tool_calls": [{"function": None}]}, [("call", '{"function": null}')]),
        ({"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]}, [("call", 'f {"a": 1}')]),
        ({"role": "assistant", "content": "half \ud83d of a pair"}, [("assistant", "half \ufffd of a pair")]),
        ({"role": "assistant", "content": "\ud83d\ude00"}, [("assistant", "\U0001f600")]),
    ],
)
def test_messages_of_every_form_are_shown(message: dict, lines: list[tuple[str, str]]) -> None:
    assert [(line.role, line.text) for line in lines_of([message])] == lines


def test_the_prompt_is_what_the_user_said_first() -> None:
    messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "A"}, {"role": "user", "content": "B"}]
    assert prompt_of(messages) == "A"
    assert prompt_of(messages[:1]) == prompt_of([]) == ""
    assert len(prompt_of([{"role": "user", "content": "x" * 99_999}])) == PROMPT_LETTERS
