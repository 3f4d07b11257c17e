"""Sampling makes attempts of the target model: its policy opened, probed where it is remote, bound to tasks."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from assets.files import write_text
from assets.generation import Engagement, FellShort, Generation
from environment.attempt import Attempt
from environment.ledger import AttemptMany, PlannedAttempt
from environment.policies.policy import InfraError, Policy
from environment.policies.target import ChatTarget, LocalTarget
from environment.rollout import Limits, Request, attempt_many
from environment.serving.command import ServerCommand, server_command
from environment.task import Task

REFERENCE_POLICY = "reference-policy"
SERVER_LOG = "server.log"

Outcome = TypeVar("Outcome")


def weights_folder(target: LocalTarget | ChatTarget) -> Path:
    """Folder of the target's weights."""
    if target.kind == "chat":
        return Path(target.weights).expanduser()
    if target.model == REFERENCE_POLICY:
        return Path(str(files("training.reference_policy") / "weights"))
    return Path(target.model).expanduser()


def command_to_serve(target: ChatTarget, adapter: Path | None = None) -> ServerCommand | None:
    """How the target's own server is started, with the trained adapter where there is one; None when it has none.

    Raises ConfigurationError when the program, the weights or the adapter isn't there.
    """
    if target.serve is None:
        return None
    adapters = {} if adapter is None else {target.adapter_model: adapter}
    endpoint = target.endpoint
    return server_command(
        target.serve,
        base_url=endpoint.base_url,
        model=endpoint.model,
        weights=weights_folder(target),
        adapters=adapters,
    )


@asynccontextmanager
async def target_served(generation: Generation, stage: str, adapter: Path | None = None) -> AsyncIterator[None]:
    """The target's endpoint answers as long as the block runs: a server of its own is started, and stopped after it.

    Raises ConfigurationError when the server can't be had, FellShort when it dies again and again.
    """
    target = generation.engagement.target
    command = command_to_serve(target, adapter) if target.kind == "chat" else None
    if target.kind == "local" or target.serve is None or command is None:
        yield
        return
    from environment.serving.server import served  # only who serves the target pays for it

    def show(waited_s: float) -> None:
        generation.tell(stage, round(waited_s), None, "s, waiting for the target's server")

    try:
        async with served(command, target.serve, generation.folder(stage) / SERVER_LOG, show):
            yield
    except InfraError as died:
        raise FellShort(f"{died}; the same command goes on from here") from None


async def open_policy(
    engagement: Engagement,
    *,
    temperature: float | None = None,
    adapter: tuple[Path, str] | None = None,
    ledger: Path | None = None,
) -> Policy:
    """The target's policy, ready to be asked; `adapter` is a folder with the hash of what it holds.

    What the probe of an endpoint found out is kept in the folder of the `ledger` that its attempts go to.

    Raises ValueError when there is no model in the folder, ConfigurationError when the endpoint doesn't do.
    """
    target = engagement.target
    if target.kind == "local":
        from environment.policies.local import LocalPolicy  # torch must not be loaded with the code location

        return LocalPolicy(
            weights_folder(target),
            adapter=adapter[0] if adapter else None,
            temperature=target.temperature if temperature is None else temperature,
            max_tokens=target.max_tokens,
            max_context=target.max_context,
            batch=target.batch,
        )
    from environment.policies.chat import ChatPolicy

    changes: dict[str, object] = {} if temperature is None else {"temperature": temperature}
    if adapter is not None:
        changes |= {"model": target.adapter_model, "adapter": adapter[1]}
    policy = ChatPolicy(target.endpoint.model_validate({**target.endpoint.to_json(), **changes}))
    report = await policy.probe()
    if ledger is not None:
        write_text(ledger / f"probe.{policy.fingerprint.key()}.json", report.model_dump_json(indent=1) + "\n")
    return policy


def run_async(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Runs `work` to its end; Ctrl-C cancels it and comes out as KeyboardInterrupt.

    Dagster's handler would raise into whichever callback is running, where the event loop swallows it and waits on.
    """
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return asyncio.run(work)
    finally:
        signal.signal(signal.SIGINT, handler)


def attempts_on(tasks: Mapping[str, Task], policy: Policy, limits: Limits) -> AttemptMany:
    """Makes planned attempts on `tasks`, which may grow meanwhile."""

    async def make(planned: Sequence[PlannedAttempt], purpose: str, on_attempt: Callable[[Attempt], None]) -> None:
        requests = [Request(tasks[one.task_id], one.number, one.seed, purpose) for one in planned]
        await attempt_many(requests, policy, limits, on_attempt)

    return make
