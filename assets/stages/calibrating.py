"""The calibrating stage attempts training tasks with the target model until enough of them are known to be in band."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from assets.files import file_record, read_record, write_rows, write_text
from assets.generation import Engagement, FellShort, Generation, Product, tasks_in, tasks_of
from assets.manifest import FileRecord, Manifest, RowHash
from assets.stages.cleaning import STAGE as CLEAN
from assets.stages.cleaning import clusters
from assets.stages.sampling import attempts_on, open_policy, run_async, target_served
from assets.stages.supply import FamilySupply, batch_names
from calibration.candidate import Candidate, candidate_of
from calibration.progress import CalibrationProgress, progress_of
from calibration.rating import Calibration, TaskRating
from calibration.sampling import PURPOSE, calibrate
from calibration.settings import Band
from environment.attempt import Attempt
from environment.ledger import Ledger, Plan
from environment.policies.prices import Prices
from environment.record import canonical_json
from environment.task import Task
from evaluation.report_inputs import PassRates, pass_rate_counts

STAGE = "calibrated_tasks"
_LEDGER_FILES = ("ledger/plans/*.json", "ledger/parts/*.parquet", "ledger/probe.*.json")
_SHOWN_EVERY_S = 1.0
_PACE_S = 60.0
"""Over which the rate of attempts is taken."""


OnRound = Callable[[CalibrationProgress], None] | None
"""Is told where things stand when the first attempt of a round is made."""


def calibrate_clean(generation: Generation, on_round: OnRound = None) -> Manifest:
    """Ratings of every clean training task; killed at any moment, it goes on from the attempts in its ledger.

    Raises FellShort when the endpoint is taken to be down: nothing is concluded from that.
    """

    def make(folder: Path) -> Product:
        with Ledger(folder / "ledger") as ledger:
            calibration = run_async(_served(generation, ledger, on_round))
            if calibration.stopped == "endpoint":
                raise FellShort(f"{calibration.warnings[0]}: the same command goes on from here")
            found_bugs, attempts_hash = examined(ledger.attempts(calibration.policy))
        splits = Counter(task.split for task in tasks_of(generation, CLEAN))
        standing = standings(calibration)
        return Product(
            files={
                "ratings.jsonl": write_rows(folder / "ratings.jsonl", (r.to_json() for r in calibration.ratings)),
                "calibration.json": write_text(
                    folder / "calibration.json", calibration.model_dump_json(indent=1), is_content=True
                ),
                **ledger_files(folder),
            },
            rows_in=splits.total(),
            rows_out=standing["accepted"],
            dropped={
                "held_out": splits["held_out"],
                "development": splits["development"],
                **{reason: count for reason, count in standing.items() if reason != "accepted"},
            },
            facts={
                "policy": calibration.policy,
                "attempts": calibration.attempts,
                "unscored": calibration.unscored,
                "bugs": found_bugs,
                "attempts_hash": attempts_hash,
                "tokens_in": calibration.tokens_in,
                "tokens_out": calibration.tokens_out,
                "rounds": len(calibration.rounds),
                "stopped": calibration.stopped,
                "warnings": list(calibration.warnings),
            },
            also_upstream=batch_names(generation),
        )

    return generation.produce(STAGE, make, upstream=(CLEAN,))


def read_calibration(generation: Generation) -> Calibration:
    """What the stage concluded."""
    generation.manifest(STAGE)
    return read_record(generation.folder(STAGE) / "calibration.json", Calibration)


def training_candidates(generation: Generation) -> list[Candidate]:
    """The clean training tasks as calibration knows them, those of further batches last."""
    near = clusters(generation)
    return [
        candidate_of(task, near[task.id], batch)
        for batch in (0, *generation.batches(CLEAN))
        for task in tasks_in(generation, CLEAN, batch)
        if task.split == "train"
    ]


def training_tasks(generation: Generation) -> dict[str, Task]:
    """The clean training tasks by id."""
    return {task.id: task for task in tasks_of(generation, CLEAN) if task.split == "train"}


def pass_rates(generation: Generation, selected: Collection[str]) -> PassRates:
    """How the pass rates are spread over all rated tasks and over those selected."""
    calibration = read_calibration(generation)
    known = [(one.task_id, one.mean) for one in calibration.ratings if one.mean is not None]
    band = calibration.settings.band
    return PassRates(
        before=pass_rate_counts(mean for _, mean in known),
        selected=pass_rate_counts(mean for task_id, mean in known if task_id in selected),
        band_low=band.low,
        band_high=band.high,
        estimate="posterior mean",
        attempts=calibration.attempts - calibration.unscored,
    )


def standings(calibration: Calibration) -> Counter[str]:
    """Tasks by what became of them: accepted, untried, undecided, or decided to be below or above the band."""
    band = calibration.settings.band
    return Counter(_standing(rating, band) for rating in calibration.ratings)


def _standing(rating: TaskRating, band: Band) -> str:
    if rating.standing in ("accepted", "untried"):
        return rating.standing
    if rating.mean is None or rating.standing == "open":
        return "undecided"
    if rating.mean < band.low:
        return "below_band"
    return "above_band" if rating.mean > band.high else "undecided"


def examined(attempts: Iterable[Attempt]) -> tuple[int, str]:
    """How many a bug of ours left unscored, and the hash of all without the times that they took.

    Each is looked at and let go: the transcripts of a calibration don't fit in memory.
    """
    found, digest = 0, RowHash()
    for attempt in attempts:
        found += (attempt.error or "").startswith("bug:")
        lasting = {name: value for name, value in attempt.to_json().items() if name not in ("model_s", "tool_s")}
        digest.add(canonical_json(lasting))
    return found, digest.hexdigest()


def ledger_files(folder: Path) -> Mapping[str, FileRecord]:
    """The ledger's plans and parts; which attempts share a part depends on interruptions, so they are not content."""
    paths = sorted(path for kind in _LEDGER_FILES for path in folder.glob(kind))
    return {str(path.relative_to(folder)): file_record(path, is_content=False) for path in paths}


def prices_of(engagement: Engagement) -> Prices | None:
    """What the target's endpoint charges, None where money is no matter."""
    return engagement.target.endpoint.prices if engagement.target.kind == "chat" else None


class Pace:
    """The rate at which a count grows, over the last minute."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, count: int) -> None:
        """The count now."""
        now = time.monotonic()
        self._seen.append((now, count))
        while now - self._seen[0][0] > _PACE_S:
            self._seen.popleft()

    def per_minute(self) -> float:
        """0 before the second note."""
        if not self._seen:
            return 0.0
        (first, before), (last, now) = self._seen[0], self._seen[-1]
        return 60 * (now - before) / (last - first) if last > first else 0.0


async def _served(generation: Generation, ledger: Ledger, on_round: OnRound) -> Calibration:
    async with target_served(generation, STAGE):
        return await _calibrate(generation, ledger, on_round)


async def _calibrate(generation: Generation, ledger: Ledger, on_round: OnRound) -> Calibration:
    engagement = generation.engagement
    policy = await open_policy(engagement, ledger=generation.folder(STAGE) / "ledger")
    tasks = training_tasks(generation)
    key = policy.fingerprint.key()
    shown = _Shown(
        lambda plan: progress_of(plan, ledger.lines(key, PURPOSE), engagement.selection, prices_of(engagement)),
        lambda known, rate: generation.tell(STAGE, known.attempts, None, known.sentence(rate)),
        on_round,
    )
    showing = asyncio.create_task(shown.keep_up())
    try:
        return await calibrate(
            training_candidates(generation),
            attempts_on(tasks, policy, engagement.target.limits),
            ledger,
            policy=key,
            settings=engagement.calibration,
            selection=engagement.selection,
            seed=generation.seed,
            prices=prices_of(engagement),
            supply=FamilySupply(generation, tasks),
            on_attempt=shown.note,
        )
    finally:
        showing.cancel()


class _Shown:
    """Shows where a calibration stands once a second, whether attempts finish or an endpoint keeps them waiting."""

    def __init__(
        self,
        look: Callable[[Plan], CalibrationProgress],
        tell: Callable[[CalibrationProgress, float], None],
        on_round: OnRound,
    ) -> None:
        self._look, self._tell, self._on_round = look, tell, on_round
        self._pace = Pace()
        self._round = -1
        self._unseen: Plan | None = None
        """The plan of attempts that finished since it last looked."""

    def note(self, plan: Plan) -> None:
        """An attempt of this plan is in the ledger."""
        self._unseen = plan
        if plan.round != self._round and self._on_round is not None:
            self._on_round(self._look(plan))
        self._round = plan.round

    async def keep_up(self) -> None:
        """Never returns."""
        known = None
        while True:
            await asyncio.sleep(_SHOWN_EVERY_S)
            if self._unseen is not None:
                known, self._unseen = self._look(self._unseen), None
            if known is not None:
                self._pace.note(known.attempts)
                self._tell(known, self._pace.per_minute())
