"""Judges are processes with a judge each; they share the tasks out and answer in the order of the tasks.

A process is started afresh, not forked: this one may have threads that hold locks. It ends when its pipe closes, so it
does not outlive this process, however that ends.
"""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, NoReturn, overload

from decontam.benchmark import Benchmark, BenchmarkTask
from decontam.judge import Finding, Judge
from decontam.minhash import Sketch
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Side
from environment.task import Task

_AT_A_TIME = 16
"""Tasks handed to a process at once."""
_AHEAD = 64
"""Batches answered or under way before the first of them is taken: bounds memory when one task takes long."""

Question = Literal["findings", "sketches"]


class ProcessEndedError(RuntimeError):
    """A judge's process ended before it answered; nothing may be concluded about its tasks."""


class Judges:
    """Several processes that do what a Judge does; a context, at whose end they end."""

    side: Side
    sides: dict[str, Side]

    def __init__(self, benchmark: Benchmark, settings: DecontaminationSettings, count: int) -> None:
        """Raises what Judge raises, and ProcessEndedError."""
        context = multiprocessing.get_context("spawn")
        pipes = [context.Pipe() for _ in range(count)]
        self._ours: list[Connection] = [ours for ours, _ in pipes]
        self._processes = [context.Process(target=_serve, args=(theirs,), daemon=True) for _, theirs in pipes]
        # Ctrl-C reaches the whole group, but it is for the parent alone to end its processes.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for process in self._processes:
                process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for _, theirs in pipes:
            theirs.close()  # now the end of a process closes its pipe
        try:
            packed = benchmark.model_copy(update={"tasks": _Packed(benchmark.tasks)})
            opening = pickle.dumps((packed, settings), pickle.HIGHEST_PROTOCOL)
            for number in range(count):
                self._send(number, opening)
            answers = [self._answer(number) for number in range(count)]
            self.side, self.sides = answers[0]
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> Judges:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def findings(self, tasks: Iterable[Task]) -> Iterator[Finding]:
        """What Judge.findings gives."""
        return self._shared_out("findings", tasks)

    def sketches(self, tasks: Iterable[Task]) -> Iterator[Sketch | None]:
        """What Judge.sketches gives."""
        return self._shared_out("sketches", tasks)

    def _shared_out(self, question: Question, tasks: Iterable[Task]) -> Iterator[Any]:
        batches = iter(_batches(question, tasks))
        following = next(batches, None)
        idle, busy = deque(range(len(self._ours))), dict[int, int]()
        answers = dict[int, Sequence[Any]]()
        asked = taken = 0
        while following is not None or busy or answers:
            while following is not None and idle and asked - taken < _AHEAD:
                number = idle.popleft()
                self._send(number, following)
                busy[number], asked = asked, asked + 1
                following = next(batches, None)
            while taken in answers:
                yield from answers.pop(taken)
                taken += 1
            ready = wait([self._ours[number] for number in busy]) if busy else []
            for number in [number for number in busy if self._ours[number] in ready]:
                answers[busy.pop(number)] = self._answer(number)
                idle.append(number)

    def _send(self, number: int, message: bytes) -> None:
        try:
            self._ours[number].send_bytes(message)
        except (BrokenPipeError, ConnectionResetError):
            self._refuse(number)

    def _answer(self, number: int) -> Any:
        """The answer of a process; what went wrong there is raised here."""
        try:
            answer = self._ours[number].recv()
        except (EOFError, ConnectionResetError):
            self._refuse(number)
        if isinstance(answer, ValueError):
            raise answer
        return answer

    def _refuse(self, number: int) -> NoReturn:
        self._processes[number].join()
        raise ProcessEndedError(
            f"process {number + 1} of the {len(self._processes)} that read tasks ended early (exit code "
            f"{self._processes[number].exitcode}), so no task was ruled on; "
            "run again with more memory or fewer processes"
        )

    def _end(self) -> None:
        for ours in self._ours:
            ours.close()
        for process in self._processes:
            process.kill()  # it owns nothing that outlives it
            process.join()


class _Packed(Sequence[BenchmarkTask]):
    """Tasks of a benchmark that are made when they are looked at, so that they are never there all at once."""

    def __init__(self, tasks: Iterable[BenchmarkTask]) -> None:
        self._tasks = [pickle.dumps(task, pickle.HIGHEST_PROTOCOL) for task in tasks]

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, place: int) -> BenchmarkTask: ...
    @overload
    def __getitem__(self, place: slice) -> list[BenchmarkTask]: ...
    def __getitem__(self, place: int | slice) -> BenchmarkTask | list[BenchmarkTask]:
        if isinstance(place, slice):
            return list(map(pickle.loads, self._tasks[place]))
        task: BenchmarkTask = pickle.loads(self._tasks[place])
        return task


def _batches(question: Question, tasks: Iterable[Task]) -> Iterator[bytes]:
    rest = iter(tasks)
    while batch := list(islice(rest, _AT_A_TIME)):
        yield pickle.dumps((question, batch), pickle.HIGHEST_PROTOCOL)


def _serve(pipe: Connection) -> None:
    """Answers one message after the other until the pipe closes."""
    judge: Judge | None = None
    while True:
        try:
            message = pickle.loads(pipe.recv_bytes())
        except (EOFError, ConnectionResetError):
            return
        answer: Any
        try:
            if judge is None:
                gc.disable()  # the index is millions of objects that stay, through which it would look again and again
                judge = Judge(*message)
                del message
                gc.freeze()
                gc.enable()
                answer = judge.side, judge.sides
            else:
                question, tasks = message
                answer = list(judge.findings(tasks) if question == "findings" else judge.sketches(tasks))
        except ValueError as error:  # raised again by the parent
            answer = error
        try:
            pipe.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            return
