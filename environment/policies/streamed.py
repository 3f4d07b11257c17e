"""A streamed answer comes as server-sent events, each a piece of the message, and is put together from them."""

from __future__ import annotations

from typing import Any

from environment.policies.answer import Answer, Call, Choice, Function, Message, Part, Usage, answer_of, read_part
from environment.policies.failures import CallFailed


class EventReader:
    """Cuts bytes, as they come, into the data of server-sent events."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, received: bytes) -> list[bytes]:
        """Data of the events that these bytes complete; comments, which keep connections alive, are none."""
        *lines, self._rest = (self._rest + received).split(b"\n")
        events = []
        for line in lines:
            line = line.rstrip(b"\r")
            if line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
            elif not line and self._data:
                events.append(b"\n".join(self._data))
                self._data = []
        return events


class _CallPiece(Part):
    index: int | None = None
    id: str | None = None
    function: Function | None = None


class _Delta(Part):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[_CallPiece, ...] | None = None


class _ChoicePiece(Part):
    index: int | None = 0
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Piece(Part):
    choices: tuple[_ChoicePiece, ...] | None = None
    usage: Usage | None = None
    error: Any = None


class _CallSoFar:
    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: str | None = None
        self.name: list[str] = []
        self.arguments: list[str] = []
        self.given: dict[str, Any] | None = None
        """Arguments that came as an object."""

    def add(self, piece: _CallPiece) -> None:
        self.id = self.id or piece.id
        if piece.function is None:
            return
        if piece.function.name and piece.function.name not in self.name:  # some servers repeat it in every piece
            self.name.append(piece.function.name)
        if isinstance(piece.function.arguments, dict):
            self.given = piece.function.arguments
        elif piece.function.arguments:
            self.arguments.append(piece.function.arguments)

    def call(self) -> Call:
        arguments = "".join(self.arguments) or self.given
        return Call(id=self.id, function=Function(name="".join(self.name) or None, arguments=arguments))


class StreamedAnswer:
    """The message as far as it has come."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "reasoning": []}
        self._calls: list[_CallSoFar] = []
        self._has_choice = False
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._error: Any = None
        self.is_complete = False
        """The server said that nothing more comes."""

    def add(self, data: bytes) -> bool:
        """Takes one event up and says whether it brought something of the message.

        Raises CallFailed when it is none of a chat completion.
        """
        if data == b"[DONE]":
            self.is_complete = True
            return False
        piece = read_part(_Piece, data)
        self._usage = piece.usage or self._usage
        self._error = piece.error or self._error
        came = [self._add_choice(choice) for choice in piece.choices or () if not choice.index]
        return any(came)

    def answer(self) -> Answer:
        """The whole answer. Raises CallFailed when it was cut off."""
        message = Message(
            tool_calls=tuple(call.call() for call in self._calls) or None,
            **{name: "".join(texts) or None for name, texts in self._texts.items()},
        )
        if not (self._finish or self.is_complete or self._error):
            raise CallFailed("an answer that was cut off", "connection")
        choices = (Choice(message=message, finish_reason=self._finish),) if self._has_choice else ()
        return answer_of(choices, self._usage, self._error, was_streamed=True)

    def _add_choice(self, choice: _ChoicePiece) -> bool:
        self._has_choice = True
        self._finish = choice.finish_reason or self._finish
        delta = choice.delta or _Delta()
        came = choice.finish_reason is not None
        for name, texts in self._texts.items():
            if text := getattr(delta, name):
                texts.append(text)
                came = True
        for piece in delta.tool_calls or ():
            self._call_of(piece).add(piece)
            came = True
        return came

    def _call_of(self, piece: _CallPiece) -> _CallSoFar:
        """The call that a piece belongs to: by its index, else by its id; without both it goes on with the last one."""
        for call in self._calls:
            if piece.index is not None and call.index == piece.index:
                return call
            if piece.index is None and piece.id is not None and call.id == piece.id:
                return call
        if piece.index is None and piece.id is None and self._calls:
            return self._calls[-1]
        self._calls.append(_CallSoFar(piece.index))
        return self._calls[-1]
