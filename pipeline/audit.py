"""An audit walks from a task, an adapter or a report back to its sources and hashes every file on the way again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assets.files import file_hash, read_record, read_rows
from assets.generation import STAGES, batch_name
from assets.manifest import Manifest, rows_hash
from assets.stages.calibrating import STAGE as CALIBRATED
from assets.stages.calibrating import read_calibration
from assets.stages.cleaning import STAGE as CLEAN
from assets.stages.selecting import STAGE as TRAINING_SET
from assets.stages.training import STAGE as ADAPTER
from assets.stages.training import plan_of
from decontam.verdicts import Ruling
from environment.ledger import Ledger
from environment.record import Record, content_hash
from environment.task import Task
from generators.families import family_named
from generators.proof import same_bytes
from pipeline.bad_input import BadInput
from pipeline.store import MANIFEST, Store, StoredGeneration, artifact_named
from pipeline.task_source import find_task

_THINGS = {
    "adapter": ADAPTER,
    "report": "evaluation_report",
    "capability": "capability_report",
    "training_set": TRAINING_SET,
}
"""What may be named after a generation's key -> its stage."""


class AuditedArtifact(Record):
    """One artifact on the way."""

    name: str
    content_hash: str
    commit: str | None
    finished: str
    rows_in: int
    rows_out: int
    upstream: tuple[str, ...]


class Audit(Record):
    """What an auditor is told."""

    thing: str
    generation: str
    seed: str
    engagement_hash: str
    story: tuple[str, ...]
    """Sentences about a task, from its template to the updates that used it."""
    artifacts: tuple[AuditedArtifact, ...]
    """From the thing itself back to its sources."""
    damage: tuple[str, ...]
    """Files that are missing or altered."""

    @property
    def sound(self) -> bool:
        return not self.damage


def audited(store: Store, thing: str) -> Audit:
    """The audit of a task's id, or of what a generation made: `laptop.g1/adapter`, `laptop.g1/report`..."""
    key, _, name = thing.partition("/")
    if name:
        if name not in _THINGS:
            raise BadInput(f"{thing!r} names no artifact; give KEY/{', KEY/'.join(_THINGS)}, such as laptop.g1/report")
        known = store.keys()
        if key not in known:
            raise BadInput(f"there is no generation {key!r} in {store.root}; there are {', '.join(known) or 'none'}")
        generation, task = store.open(key), None
        roots: tuple[str, ...] = (_THINGS[name],)
    else:
        generation, task = find_task(store, thing)
        roots = _furthest(generation)
    artifacts: dict[str, AuditedArtifact] = {}
    damage: list[str] = []
    for root in roots:
        _walk(generation, root, artifacts, damage)
    damage = list(dict.fromkeys(damage))
    story = tuple(_story(generation, task)) if task and not damage else ()
    return Audit(
        thing=thing,
        generation=generation.key,
        seed=generation.seed,
        engagement_hash=generation.engagement.hash,
        story=story,
        artifacts=tuple(artifacts.values()),
        damage=tuple(damage),
    )


def audit_text(audit: Audit) -> str:
    """The audit as text."""
    lines = [f"{audit.thing} in {audit.generation}: seed {audit.seed}, engagement {audit.engagement_hash[:16]}"]
    lines += [f"  {sentence}" for sentence in audit.story]
    lines.append("made from")
    for one in audit.artifacts:
        commit, changed, _ = (one.commit or "no commit").partition("+")
        made = f"{one.finished}, {commit[:12]}{' with changes' if changed else ''}"
        lines.append(f"  {one.name} {one.content_hash[:16]}  {one.rows_out} of {one.rows_in}  ({made})")
    lines += [f"DAMAGE  {sentence}" for sentence in audit.damage] or ["every file is as its manifest says"]
    return "\n".join(lines)


def _furthest(generation: StoredGeneration) -> tuple[str, ...]:
    """The stages that are done and that none of the others is made from; the lineage manifest is a list of them all."""
    done = [stage for stage in STAGES if stage != "lineage_manifest" and generation.is_finished(stage)]
    sources = {source for stage in done for source in generation.manifest(stage).upstream}
    return tuple(stage for stage in done if stage not in sources)


def _walk(generation: StoredGeneration, name: str, artifacts: dict[str, AuditedArtifact], damage: list[str]) -> None:
    """Adds an artifact and everything that it was made from."""
    if name in artifacts:
        return
    stage, batch = artifact_named(name)
    folder = generation.folder(stage, batch)
    if not (folder / MANIFEST).is_file():
        damage.append(f"{name}/{MANIFEST} is missing")
        return
    manifest = read_record(folder / MANIFEST, Manifest)
    artifacts[name] = AuditedArtifact(
        name=name,
        content_hash=manifest.content_hash,
        commit=manifest.code.commit,
        finished=manifest.finished,
        rows_in=manifest.rows_in,
        rows_out=manifest.rows_out,
        upstream=tuple(manifest.upstream),
    )
    damage += _damage(name, folder, manifest)
    if manifest.engagement_hash != generation.engagement.hash:
        damage.append("engagement.json was altered, or is read by another version of the program")
    for source, expected in manifest.upstream.items():
        _walk(generation, source, artifacts, damage)
        if source in artifacts and artifacts[source].content_hash != expected:
            damage.append(f"{name} was made from another {source} than lies there now")


def _damage(name: str, folder: Path, manifest: Manifest) -> Iterator[str]:
    for file, record in manifest.files.items():
        path = folder / file
        if not path.is_file():
            yield f"{name}/{file} is missing"
        elif _hash(path, record.rows is not None) != record.hash:
            yield f"{name}/{file} was altered"
    stated = content_hash({file: record.hash for file, record in manifest.files.items() if record.is_content})
    if stated != manifest.content_hash:
        yield f"{name}/{MANIFEST} was altered"


def _hash(path: Path, has_rows: bool) -> str | None:
    if not has_rows:
        return file_hash(path)
    try:
        return rows_hash(read_rows(path))
    except ValueError:
        return None


def _story(generation: StoredGeneration, task: Task) -> Iterator[str]:
    """From template to updates."""
    family = family_named(task.family)
    knobs = {knob: round(value) for knob, value in task.knobs.items()}
    again = family.generate(task.seed, task.index, task.split, knobs, task.toolset)
    same = "made again, byte for byte" if same_bytes(task, again) else "this version of the family makes it otherwise"
    yield (
        f"family {task.family}, generator {task.generator_version}, seed {task.seed}, index {task.index}, "
        f"split {task.split}: {same}"
    )
    if task.proof:
        yield (
            f"proof: {sum(task.proof.mutants.values())} mutants rejected, {sum(task.proof.equivalents.values())} "
            f"equivalents accepted (proof code {task.proof.code_hash})"
        )
    yield from _ruling(generation, task)
    if task.split == "train" and generation.is_finished(CALIBRATED):
        yield from _attempts(generation, task)
    if generation.is_finished(TRAINING_SET):
        for choice in generation.rows(TRAINING_SET, "choices.jsonl"):
            if choice["task_id"] == task.id:
                yield f"{'selected' if choice['selected'] else 'not selected'}: {choice['reason']}"
    if generation.is_finished(ADAPTER):
        updates = [str(n) for n, batch in enumerate(plan_of(generation).updates, start=1) if task.id in batch]
        if updates:
            yield f"trained on in updates {', '.join(updates)}"


def _ruling(generation: StoredGeneration, task: Task) -> Iterator[str]:
    for batch in (0, *generation.batches(CLEAN)):
        for row in generation.rows(CLEAN, "rulings.jsonl", batch):
            if row["task_id"] == task.id:
                ruling = Ruling.model_validate(row)
                against = generation.manifest(CLEAN, batch).facts["benchmark"]
                verdict = f"clean, cluster {ruling.cluster}" if ruling.kept else f"dropped: {ruling.rule}"
                yield f"decontamination against {against} ({batch_name(CLEAN, batch)}): {verdict}"


def _attempts(generation: StoredGeneration, task: Task) -> Iterator[str]:
    calibration = read_calibration(generation)
    for rating in calibration.ratings:
        if rating.task_id == task.id:
            believed = "" if rating.mean is None else f", pass rate {rating.mean:.2f}, in band {rating.in_band:.2f}"
            yield f"calibration: {rating.standing}, {rating.passes} of {rating.scored} passed{believed}"
    with Ledger(generation.folder(CALIBRATED) / "ledger") as ledger:
        for line in ledger.lines(calibration.policy):
            if line.task_id == task.id:
                outcome = "unscored" if line.strict is None else "passed" if line.strict else "failed"
                yield f"attempt {line.number}, seed {line.seed}: {outcome}"
