"""Work is what a family composes step by step: the request, the plan that answers it, and what may happen besides."""

from __future__ import annotations

from environment.contract import Allowance, Change, Contract
from environment.task import Derivation, ToolCall
from generators.family import Knobs, Scene, Story
from generators.phrasing import joined, sentence
from generators.plan import Step, backwards, joined_calls, traps_of
from generators.surroundings import surround
from generators.traps import Calls, Slip


class Work:
    """The request and the plan so far."""

    def __init__(self, scene: Scene, knobs: Knobs) -> None:
        self.scene, self.knobs = scene, knobs
        self._asks: list[str] = []
        self._steps: list[Step] = []
        self._offered: list[str] = []
        self._allowed: list[Allowance] = []
        self._derivations: dict[Derivation, None] = {}
        self._alternatives: list[Calls] = []

    @property
    def asked(self) -> tuple[str, ...]:
        """The request so far, in parts."""
        return tuple(self._asks)

    def ask(self, *sentences: str) -> None:
        """Say more in the request."""
        self._asks.extend(sentences)

    def ask_each(self, *sentences: str) -> None:
        """Ask for things of one kind, a sentence each; several make a list, in mixed order."""
        asked = list(sentences)
        self.scene.rng.shuffle(asked)
        if len(asked) > 1:
            head = self.scene.phrase("shared/several")
            asked = ["\n".join([head, *(f"- {sentence(one)}" for one in asked)]) + "\n"]
        self._asks.extend(asked)

    def read(self, *calls: ToolCall) -> None:
        """Look something up; a step that changes nothing and invites no slip."""
        if calls:
            self._steps.append(Step(calls))

    def do(self, calls: Calls, changes: tuple[Change, ...] = (), slips: tuple[Slip, ...] = ()) -> None:
        """Add a step; without changes it is something that must be left alone."""
        self._steps.append(Step(calls, changes, slips))

    def offer(self, *tools: str) -> None:
        """Offer operations besides those that the reference and the slips use."""
        self._offered.extend(tools)

    def allow(self, *allowances: Allowance) -> None:
        """List changes that are harmless."""
        self._allowed.extend(one for one in allowances if one not in self._allowed)

    def derive(self, value: str, rule: str) -> None:
        """Declare a value that stands nowhere and how it is worked out from values that do."""
        self._derivations[Derivation(value=value, rule=rule)] = None

    def instead(self, calls: Calls) -> None:
        """Another whole solution whose end state must be accepted too."""
        self._alternatives.append(calls)

    @property
    def calls(self) -> Calls:
        """The reference so far."""
        return joined_calls(self._steps)

    def tell(self) -> Story:
        """The story, with the surroundings that the knobs `distractors` and `prose` ask for.

        Raises ValueError when the plan makes no change or invites no slip.
        """
        surround(self.scene, self.knobs.get("distractors", 0))
        traps = traps_of(self._steps)
        used = [*self.calls, *(call for trap in traps for call in trap.sprung)]
        changes = tuple(change for step in self._steps for change in step.changes)
        return Story(
            prompt=joined(self.asked),
            contract=Contract(all_of=changes, allowed=tuple(self._allowed)),
            reference=self.calls,
            actions=tuple(dict.fromkeys([*(call.tool for call in used), *self._offered])),
            traps=traps,
            derivations=tuple(self._derivations),
            reorderings=backwards(self._steps),
            alternatives=tuple(self._alternatives),
        )
