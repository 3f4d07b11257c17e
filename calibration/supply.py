"""A supply makes further tasks at wanted knob settings when those at hand are too easy or too hard: the closed loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

from calibration.allocation import Assessment, PriorityTable, Round, priority_table, room_in_families
from calibration.candidate import Candidate, CandidateTable
from calibration.pass_rate import band_weights, prior_weights
from calibration.settings import CalibrationSettings, SelectionSettings
from environment.record import Record
from environment.rng import derive_seed

_MOST_SETTINGS = 2000
"""Knob settings looked at per family; a random choice of them where there are more."""
_OVERSUPPLY = 2.0
"""Tasks asked for, as a multiple of how many would do if every promise held; a task costs little, an attempt much."""


class KnobSpace(Record):
    """The knob settings at which a family can make tasks."""

    domain: str
    family: str
    levels: Mapping[str, tuple[float, ...]]
    """Knob -> the values that it may take, each combination being allowed."""
    apps: tuple[str, ...] = ()
    """Applications that every task of the family uses."""


class TaskRequest(Record):
    """Further tasks of one family at one knob setting."""

    domain: str
    family: str
    knobs: Mapping[str, float]
    count: int
    in_band: float
    """Chance that such a task's pass rate lies in the band, as predicted when it was asked for."""


class Supply(Protocol):
    """Whoever can make further tasks."""

    @property
    def spaces(self) -> Sequence[KnobSpace]: ...

    def make(self, requests: Sequence[TaskRequest], batch: int) -> Sequence[Candidate]:
        """New candidates for `requests`, proven and clean, with `batch` on each; fewer where some dropped out.

        Must return the same candidates when asked again for the same batch.
        """
        ...


def request_tasks(
    table: CandidateTable,
    now: Assessment,
    planned: Round,
    settings: CalibrationSettings,
    selection: SelectionSettings,
    spaces: Sequence[KnobSpace],
    seed: str,
) -> tuple[TaskRequest, ...]:
    """Requests for the domains and applications that further tasks would supply with far fewer attempts.

    That is where they promise `ask_gain` times what the tasks at hand do, and would save at least `give_up` attempts.
    """
    room = room_in_families(table, now, selection)
    promises = priority_table(float(np.median(np.sqrt(now.prior_variance))), now.model.broken, settings)
    requests: dict[tuple[str, str, str], TaskRequest] = {}
    ceiling = float(promises.values[0, 0].max())
    for name, lack in now.missing.counts.items():
        at_hand = planned.promise[name]
        if not _worth_asking(at_hand, ceiling, lack, settings):
            continue
        offers: list[_Offer] = []
        for space in spaces:
            family = f"{space.domain}.{space.family}"
            supplied = {f"domain {space.domain}", *(f"app {app}" for app in space.apps)}
            if name in supplied and family in table.families:
                place = table.families.index(family)
                offers += _offers(table, now, settings, promises, space, place, int(room[place]), seed)
        offers.sort(key=lambda offer: (-offer.request.in_band, offer.request.family, str(offer.request.knobs)))
        best = [offer.promise for offer in offers for _ in range(offer.request.count)][:lack]
        if not offers or not _worth_asking(at_hand, sum(best) / lack, lack, settings):
            continue
        wanted = math.ceil(_OVERSUPPLY * lack / offers[0].request.in_band)
        for offer in offers:
            if wanted > 0:
                request = offer.request
                requests[request.domain, request.family, str(request.knobs)] = request
                wanted -= request.count
    return tuple(requests[key] for key in sorted(requests))


@dataclass(frozen=True, slots=True)
class _Offer:
    request: TaskRequest
    promise: float
    """Acceptances per attempt."""


def _worth_asking(at_hand: float, offered: float, lack: int, settings: CalibrationSettings) -> bool:
    """Whether further tasks that promise `offered` acceptances per attempt beat those at hand clearly."""
    saved = lack / max(at_hand, 1e-9) - lack / max(offered, 1e-9)
    return offered >= settings.ask_gain * at_hand and saved >= settings.give_up


def _offers(
    table: CandidateTable,
    now: Assessment,
    settings: CalibrationSettings,
    promises: PriorityTable,
    space: KnobSpace,
    family: int,
    room: int,
    seed: str,
) -> list[_Offer]:
    """The best settings of one family, for as many tasks as could fill its room."""
    if room == 0:
        return []
    knob_settings = _knob_settings(table, space, seed)
    design = table.design_of(np.full(len(knob_settings), family), knob_settings)
    promise = promises.untried(design.times(now.model.coefficients))
    good = np.flatnonzero(promise >= 1 / settings.give_up)
    if len(good) == 0:
        return []
    mean, variance = now.model.predict(design.of(good))
    in_band = prior_weights(mean, variance, now.model.broken) @ band_weights(settings.band)
    best = np.argsort(-in_band, kind="stable")
    wanted = math.ceil(_OVERSUPPLY * room / in_band[best[0]])
    each = math.ceil(wanted / len(good))
    offers = []
    for place in best[: math.ceil(wanted / each)]:
        values = zip(table.knobs, knob_settings[good[place]].tolist(), strict=True)
        request = TaskRequest(
            domain=space.domain,
            family=space.family,
            knobs={name: value for name, value in values if name in space.levels},
            count=each,
            in_band=float(in_band[place]),
        )
        offers.append(_Offer(request, float(promise[good[place]])))
    return offers


def _knob_settings(table: CandidateTable, space: KnobSpace, seed: str) -> np.ndarray:
    """Raw knob values of settings in the space, shape (settings, knobs of the table)."""
    unknown = sorted(set(space.levels) - set(table.knobs))
    if unknown:
        raise ValueError(
            f"family {space.domain}.{space.family} offers knobs {unknown} that no candidate has; name knobs alike"
        )
    levels = [space.levels.get(name, (0.0,)) for name in table.knobs]
    if math.prod(len(values) for values in levels) <= _MOST_SETTINGS:
        return np.array(list(product(*levels)), dtype=float)
    rng = np.random.default_rng(derive_seed("settings", seed, space.domain, space.family))
    drawn = np.stack([np.array(values)[rng.integers(len(values), size=_MOST_SETTINGS)] for values in levels], axis=1)
    return np.unique(drawn, axis=0)
