"""A report is the one message at the end of the work: a line for everything that was done, or for what was not."""

from __future__ import annotations

from collections.abc import Sequence

from generators.expectations.facts import text
from generators.expectations.slack import slack_post
from generators.family import call
from generators.staging.slack import add_channel
from generators.traps import ignored_rule
from generators.work import Work


def report(
    work: Work, channel: str, told: Sequence[tuple[str, str]], words: Sequence[str], left: Sequence[str] = ()
) -> None:
    """One post to a channel that says of each thing which of `words` holds of it, and no other of them.

    `told` are pairs of thing and word; of a thing of `left`, which is to be left alone, none of the words holds. No
    word may stand within another, as "Paid" does in "Part paid".
    """
    channel_id = add_channel(work.scene, channel)
    never = tuple((text(thing), text(word)) for thing, right in told for word in words if word != right)
    never += tuple((text(thing), text(word)) for thing in left for word in words)
    change = slack_post("report", channel_id, *((text(thing), text(word)) for thing, word in told), never=never)
    post = call("slack_post_message", channel=channel, text="\n".join(f"{thing}: {word}" for thing, word in told))
    work.do((post,), (change,), (ignored_rule("report what was done"),))
