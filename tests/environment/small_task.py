"""A small task: post one message in a channel of the sample world."""

from __future__ import annotations

from typing import Any

from environment.contract import Change, Contract, Equals
from environment.policies.scripted import call_message
from environment.task import Task, ToolCall, make_task
from tests.environment.sample_world import ACTOR, NOW, WORLD

CHANNEL = WORLD["slack"]["Channel"][0]["id"]
POST = ToolCall(tool="slack_post_message", arguments={"channel": "#ap-run", "text": "Bills are posted."})
READ = ToolCall(tool="slack_read_channel", arguments={"channel": "#ap-run"})
STRAY = ToolCall(tool="slack_post_message", arguments={"channel": "#ap-run", "text": "Anything else?"})
CALL_MESSAGE = call_message(POST, 0)


def make_small_task(index: int = 0, **changes: Any) -> Task:
    """Its reference posts "Bills are posted." in #ap-run; tasks differ by `index` alone."""
    posted = Change(
        label="post",
        app="slack",
        collection="Message",
        action="create",
        key={"channel": (Equals(value=CHANNEL),)},
        fields={"text": (Equals(value="Bills are posted."),)},
    )
    parts: dict[str, Any] = {
        "split": "train",
        "domain": "finance",
        "family": "small",
        "seed": "tests",
        "index": index,
        "generator_version": "1",
        "knobs": {},
        "apps": ("slack",),
        "actions": ("slack_read_channel", "slack_post_message"),
        "toolset": "actions",
        "now": NOW,
        "actor": ACTOR,
        "prompt": f"Say in #ap-run that bills are posted ({index}).",
        "world": {"slack": WORLD["slack"]},
        "contract": Contract(all_of=(posted,)),
        "traps": (),
        "reference": (POST,),
        **changes,
    }
    return make_task(**parts)
