"""Serving keeps the target's server up until it is stopped, so that every stage finds it running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assets.generation import FellShort
from assets.stages.sampling import SERVER_LOG, command_to_serve, run_async
from assets.stages.training import STAGE as ADAPTER
from assets.stages.training import read_adapter
from environment.policies.policy import InfraError
from environment.serving.command import ServerCommand
from environment.serving.server import served
from environment.serving.settings import Serving
from pipeline.bad_input import BadInput
from pipeline.engagement import Engagement
from pipeline.store import Store


def target_command(store: Store, engagement: Engagement) -> tuple[ServerCommand, Serving]:
    """How the target is served, with the newest generation's adapter where that is trained.

    Raises ValueError when the engagement says nothing of a server or it can't be started.
    """
    target = engagement.target
    newest = store.newest(engagement.name)
    trained = newest is not None and newest.is_finished(ADAPTER)
    command = None
    if target.kind == "chat":
        command = command_to_serve(target, read_adapter(newest)[0] if newest is not None and trained else None)
    if target.kind == "local" or target.serve is None or command is None:
        raise BadInput(f"{engagement.name} names no server to start; add target.serve, such as {{kind: vllm}}")
    return command, target.serve


def keep_serving(store: Store, engagement: Engagement, say: Callable[[str], None]) -> None:
    """Serves until interrupted. Raises FellShort when the server dies again and again."""
    command, serving = target_command(store, engagement)
    log = store.root / engagement.name / SERVER_LOG

    async def serve() -> None:
        async with served(command, serving, log):
            say(f"ready at {command.health_url.removesuffix('/health')}/v1; Ctrl-C stops it")
            await asyncio.Event().wait()

    say(f"starting {command} (log: {log})")
    try:
        run_async(serve())
    except InfraError as died:
        raise FellShort(str(died)) from None
