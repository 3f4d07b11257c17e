"""Watching shows a calibration that another process is at work on, from its ledger alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TextIO

from assets.stages.calibrating import STAGE, Pace, prices_of
from calibration.progress import CalibrationProgress, failures_text, progress_of, short_count
from calibration.sampling import PURPOSE
from environment.watched_ledger import WatchedLedger
from pipeline.store import Store, StoredGeneration
from pipeline.terminal import columns, duration

_LOOK_S = 1.0
_SILENCE_S = 60.0


class CalibrationWatch:
    """Looks at one generation's calibration again and again."""

    def __init__(self, generation: StoredGeneration) -> None:
        self._generation = generation
        self._ledger = WatchedLedger(generation.folder(STAGE) / "ledger")
        self._pace = Pace()

    def look(self) -> CalibrationProgress | None:
        """Where it stands; None before its first plan."""
        self._ledger.look()
        plan = self._ledger.newest_plan(PURPOSE)
        if plan is None:
            return None
        engagement = self._generation.engagement
        lines = self._ledger.lines(plan.policy, PURPOSE)
        self._pace.note(len(lines))
        return progress_of(plan, lines, engagement.selection, prices_of(engagement))

    def page(self, found: CalibrationProgress | None, state: str) -> str:
        """A table for a terminal."""
        head = f"{self._generation.key} {STAGE}: {state}"
        if found is None:
            return f"{head}\nno round is planned yet"
        rate = self._pace.per_minute()
        pace = f", {rate:.0f} a minute" if rate else ""
        silence = "" if self._generation.is_finished(STAGE) else self._silence()
        left = "not known yet" if found.attempts_left is None else f"about {found.attempts_left:,.0f}"
        if found.attempts_left and rate:
            left += f", {duration(60 * found.attempts_left / rate)} at this rate"
        rows = [
            ["round", f"{found.round + 1}, {found.round_made} of {found.round_planned} attempts made"],
            ["attempts", f"{found.attempts:,}{pace}{silence}"],
            ["unscored", f"{found.unscored}" + (f" ({failures_text(found.failures)})" if found.failures else "")],
            ["still expected", left],
            ["tokens", f"{short_count(found.tokens_in)} in, {short_count(found.tokens_out)} out"],
        ]
        if found.money is not None:
            rows.append(["cost", f"{found.money:,.2f} {found.currency}"])
        standing = [["domain", "accepted", "wanted"]]
        standing += [[name, str(found.accepted.get(name, 0)), str(count)] for name, count in found.wanted.items()]
        return f"{head}\n{columns(rows)}\n\n{columns(standing)}"

    def _silence(self) -> str:
        """How long ago the last attempt was written, where that is worth a thought."""
        last = self._ledger.last_written()
        silent_s = 0.0 if last is None else time.time() - last
        return f", the last one {duration(silent_s)} ago" if silent_s >= _SILENCE_S else ""


def watch(store: Store, generation: StoredGeneration, stream: TextIO = sys.stdout) -> bool:
    """Shows the calibration until it is finished or nobody works on it; whether it is finished."""
    live = stream.isatty()
    watched, shown = CalibrationWatch(generation), ""
    for state in _states(store, generation):
        page = watched.page(watched.look(), state)
        if live:
            stream.write(f"\x1b[H\x1b[J{page}\n")
        elif page != shown:
            stream.write(f"{page}\n\n")
        stream.flush()
        shown = page
    return generation.is_finished(STAGE)


def _states(store: Store, generation: StoredGeneration) -> Iterator[str]:
    """What it is doing, once a second while another process is at work, and once more at the end."""
    while store.is_locked(generation.key) and not generation.is_finished(STAGE):
        yield "at work"
        time.sleep(_LOOK_S)
    yield "finished" if generation.is_finished(STAGE) else "nobody is at work on it"
