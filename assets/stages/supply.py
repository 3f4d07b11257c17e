"""The supply answers calibration's wish for further tasks: generated, proven and cleaned like the first ones."""

from collections.abc import Sequence

from assets.generation import Generation, batch_name, tasks_in
from assets.stages import cleaning
from assets.stages.candidates import generate_batch
from assets.stages.cleaning import clean_proven, clusters
from assets.stages.proofs import prove_candidates
from calibration.candidate import Candidate, candidate_of
from calibration.supply import KnobSpace, TaskRequest
from environment.task import Task
from generators.families import family_named


class FamilySupply:
    """Makes tasks of the engagement's families; each batch is stored beside the first tasks."""

    def __init__(self, generation: Generation, tasks: dict[str, Task]) -> None:
        """`tasks` are the clean training tasks so far; new ones are added to it."""
        self._generation, self._tasks = generation, tasks

    @property
    def spaces(self) -> Sequence[KnobSpace]:
        """What every family could make, up to the height of the engagement's profile."""
        starter = self._generation.engagement.candidates.profile == "starter"
        spaces = []
        for name in self._generation.engagement.candidates.families:
            family = family_named(name)
            members = [task for task in self._tasks.values() if task.family == name]
            apps = set(members[0].apps).intersection(*(task.apps for task in members)) if members else set()
            levels = {
                knob: tuple(float(n) for n in range(found.low, (found.starter if starter else found.high) + 1))
                for knob, found in family.knobs.items()
            }
            spaces.append(KnobSpace(domain=family.domain, family=name, levels=levels, apps=tuple(sorted(apps))))
        return spaces

    def make(self, requests: Sequence[TaskRequest], batch: int) -> Sequence[Candidate]:
        """The clean ones among the tasks asked for; a batch that is stored is read, not made again."""
        generate_batch(self._generation, requests, batch)
        prove_candidates(self._generation, batch)
        clean_proven(self._generation, batch)
        new = {task.id: task for task in tasks_in(self._generation, cleaning.STAGE, batch)}
        self._tasks.update(new)
        near = clusters(self._generation)
        return [candidate_of(task, near[task.id], batch) for task in new.values()]


def batch_names(generation: Generation) -> tuple[str, ...]:
    """Names of the clean artifacts: the first and its further batches."""
    return tuple(batch_name(cleaning.STAGE, batch) for batch in (0, *generation.batches(cleaning.STAGE)))
