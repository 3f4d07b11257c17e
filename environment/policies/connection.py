"""A connection asks one address of an endpoint and reads what comes back, whole or piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

from environment.policies.answer import Answer, read_answer
from environment.policies.endpoint import Endpoint
from environment.policies.failures import CallFailed, failure_of_status
from environment.policies.streamed import EventReader, StreamedAnswer

_CONNECT_S = 10.0
_IDLE_S = 1.0
"""A client that nobody used for this long is closed, since nobody says when a job with this endpoint ends."""
_LAST_BYTES_S = 1.0
"""Granted to a server for ending a response whose last event has come."""


class Connection:
    """One address. It can be used from one event loop after another."""

    def __init__(self, url: str, key: str, endpoint: Endpoint) -> None:
        self.url = url
        self._key, self._endpoint = key, endpoint
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closer: asyncio.Task[None] | None = None
        self._in_flight = 0

    async def ask(self, body: Mapping[str, Any]) -> Answer:
        """The answer to a chat-completions request.

        Raises CallFailed when there is none now, ContextOverflow when the chat is too long, and APIStatusError when
        the request is refused for good.
        """
        endpoint = self._endpoint
        silence = asyncio.timeout(endpoint.first_token_s if "stream" in body else None)
        answer = StreamedAnswer()
        try:
            async with asyncio.timeout(endpoint.timeout_s), self._opened() as client, silence:
                answers = client.chat.completions.with_streaming_response
                async with answers.create(**_unconverted(body)) as response:
                    if "text/event-stream" not in response.headers.get("content-type", ""):
                        silence.reschedule(None)
                        return read_answer(await response.read())
                    await self._put_together(answer, response.iter_bytes(), silence)
        except APIStatusError as error:
            failure = failure_of_status(error)
            if failure is None:
                raise
            raise failure from error
        except (APITimeoutError, httpx2.TimeoutException, TimeoutError) as error:
            if silence.expired() and not answer.is_complete:
                raise CallFailed("an answer that stalled", "stalled") from error
            if not silence.expired():
                raise CallFailed(f"no whole answer within {endpoint.timeout_s:g} s", "timeout") from error
        except (APIConnectionError, httpx2.HTTPError) as error:
            cause = error.__cause__ or error
            raise CallFailed(f"{type(cause).__name__}: {str(cause)[:300]}", "connection") from error
        return answer.answer()

    async def models(self) -> Any:
        """What the address says of its models, None where it says nothing that can be read."""
        try:
            async with asyncio.timeout(self._endpoint.timeout_s), self._opened() as client:
                response = await client.models.with_raw_response.list()
                return response.http_response.json()
        except (APIStatusError, APIConnectionError, httpx2.HTTPError, TimeoutError, ValueError):
            return None

    async def _put_together(
        self, answer: StreamedAnswer, received: AsyncIterator[bytes], silence: asyncio.Timeout
    ) -> None:
        clock, events = asyncio.get_running_loop().time, EventReader()
        async for some in received:  # to the end, or the connection could not be used again
            for data in events.feed(some):
                if answer.add(data):
                    silence.reschedule(clock() + self._endpoint.stall_s)
            if answer.is_complete:
                silence.reschedule(clock() + _LAST_BYTES_S)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[AsyncOpenAI]:
        """The client of this event loop; it is closed when it was idle for a while, or with the loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop, self._in_flight = self._new_client(), loop, 0
            self._closer = loop.create_task(self._close_when_idle(self._client))
        self._in_flight += 1
        try:
            yield self._client
        finally:
            self._in_flight -= 1

    def _new_client(self) -> AsyncOpenAI:
        timeout = Timeout(self._endpoint.timeout_s, connect=min(_CONNECT_S, self._endpoint.timeout_s))
        return AsyncOpenAI(
            base_url=self.url,
            api_key=self._key,
            timeout=timeout,
            max_retries=0,  # retries are made by the policy, where they are counted and jittered reproducibly
            http_client=DefaultAsyncHttpxClient(
                timeout=timeout, limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None)
            ),
        )

    async def _close_when_idle(self, client: AsyncOpenAI) -> None:
        try:
            while self._client is client:
                await asyncio.sleep(_IDLE_S)
                if self._in_flight == 0:
                    self._client = None
        finally:
            if self._client is client:
                self._client = None
            await client.close()


def _unconverted(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its long parts where the client passes them on as they are.

    Elsewhere it walks through every message and tool on every call, which is a quarter of a short request's work and
    most of a long one's.
    """
    long = {name: body[name] for name in ("messages", "tools") if name in body}
    rest = {name: value for name, value in body.items() if name not in long}
    return {**rest, "messages": (), "extra_body": {**body.get("extra_body", {}), **long}}
