"""Small talk is office prose about matters that no task is about: who did what where, with which thing and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TypeVar
from weakref import WeakKeyDictionary

from generators.business import Company, Invention
from generators.family import Scene
from generators.staging.scenery import (
    CODE_LETTERS,
    DAYS,
    HOURS,
    PROJECTS,
    ROOMS,
    STREETS,
    THINGS,
    TOWNS,
    WEEKDAYS,
    WORKS,
)
from generators.staging.sentences import Sentence, sentences, topics

_PEOPLE, _COMPANIES = 24, 10
"""How many are mentioned around one task; the names that can be invented are few."""
_COLLEAGUES, _SUPPLIERS, _STRANGERS = 6, 4, 60
"""How many write around one task: again and again, from other companies, once or seldom."""
_TOGETHER = 4
"""People mentioned in one paragraph."""
_PARAGRAPH = (3, 5)
_TOPICS = "shared/noise"
_T = TypeVar("_T")


class SmallTalk:
    """What is said around one task: people and companies that come up again, and sentences that were not said yet."""

    def __init__(self, scene: Scene) -> None:
        self._random, self._shuffle = scene.rng.random, scene.rng.shuffle
        own = scene.business.company.domain
        self.companies: tuple[Company, ...] = tuple(scene.invent.company() for _ in range(_COMPANIES))
        suppliers = [company.domain for company in self.companies[:_SUPPLIERS]]
        circle = iter(scene.invent.circle([own] * (_COLLEAGUES + _STRANGERS + _PEOPLE) + suppliers))
        self.colleagues, self.strangers = (tuple(islice(circle, count)) for count in (_COLLEAGUES, _STRANGERS))
        self._names = [person.name for person in islice(circle, _PEOPLE)]
        self.suppliers = tuple(circle)
        self._today = scene.business.now.timetuple().tm_yday
        self._first, self._turn, self._customer, self._day, self._hour = 0, 0, 0, 0, 0
        self._decks: dict[str, list[Sentence]] = {}
        self._left: dict[str, int] = {topic: len(sentences(topic)) for topic in topics(_TOPICS)}
        self._draws = self._drawers()

    def pick(self, values: Sequence[_T]) -> _T:
        """One of the values."""
        return values[int(self._random() * len(values))]

    def number(self, low: int, high: int) -> int:
        """A whole number in [low, high]."""
        return low + int(self._random() * (high - low + 1))

    def topic(self, count: int) -> str:
        """The name of a topic with `count` sentences left to say; when no topic has so many, one with the most."""
        most = max(self._left.values())
        if not most:
            for topic in self._left:
                del self._decks[topic]
                self._left[topic] = len(sentences(topic))
            return self.topic(count)
        enough = min(count, most)
        return self.pick([topic for topic, left in self._left.items() if left >= enough]).rpartition("/")[2]

    def text(self, topic: str, count: int) -> str:
        """So many sentences, in paragraphs when they are many; where a topic is exhausted, another one follows.

        A single sentence is a short one.
        """
        if count == 1:
            return self.line(f"shared/short/{topic}")
        paragraphs = []
        while count:
            self._first = self.number(0, _PEOPLE - 1)
            size = count if count <= _PARAGRAPH[1] + 1 else self.number(*_PARAGRAPH)
            said = []
            for _ in range(size):
                if not self._left[f"{_TOPICS}/{topic}"]:
                    topic = self.topic(count)
                said.append(self._next(f"{_TOPICS}/{topic}"))
                self._left[f"{_TOPICS}/{topic}"] -= 1
            paragraphs.append(" ".join(said))
            count -= size
        return "\n\n".join(paragraphs)

    def line(self, template: str) -> str:
        """One phrasing of a template, filled; none comes again before every other came."""
        self._first = self.number(0, _PEOPLE - 1)
        return self._next(template)

    def _next(self, template: str) -> str:
        deck = self._decks.get(template)
        if not deck:
            deck = self._decks[template] = list(sentences(template))
            self._shuffle(deck)
        return self._filled(deck.pop())

    def _filled(self, sentence: Sentence) -> str:
        self._turn, self._customer = int(self._random() * _TOGETHER), int(self._random() * _COMPANIES)
        text = sentence.form % tuple([self._draws[slot]() for slot in sentence.slots])
        return text[0].upper() + text[1:]

    def _drawers(self) -> Mapping[str, Callable[[], str]]:
        """What fills each slot."""
        return {
            "person": lambda: self._name(0),
            "other": lambda: self._name(1),
            "third": lambda: self._name(2),
            "company": lambda: self.companies[self._customer].name,
            "firm": lambda: self.companies[(self._customer + 1) % _COMPANIES].name,
            "room": self._one_of(ROOMS),
            "hall": self._one_of(ROOMS),
            "street": self._one_of(STREETS),
            "town": self._one_of(TOWNS),
            "place": self._one_of(TOWNS),
            "thing": self._one_of(THINGS),
            "item": self._one_of(THINGS),
            "work": self._one_of(WORKS),
            "project": self._one_of(PROJECTS),
            "code": self._code,
            "serial": self._code,
            "few": self._some(3, 30),
            "number": self._some(2, 99),
            "many": self._some(101, 990),
            "past": lambda: DAYS[(self._today - self.number(35, 155)) % 365],
            "day": self._coming_day,
            "later": lambda: DAYS[(self._today + self._day + self.number(1, 30)) % 365],
            "hour": self._starting_hour,
            "until": lambda: HOURS[min(len(HOURS) - 1, self._hour + self.number(4, 33))],
            "weekday": self._one_of(WEEKDAYS),
        }

    def _one_of(self, values: Sequence[str]) -> Callable[[], str]:
        random, count = self._random, len(values)
        return lambda: values[int(random() * count)]

    def _some(self, low: int, high: int) -> Callable[[], str]:
        random, count = self._random, high - low + 1
        return lambda: str(low + int(random() * count))

    def _name(self, place: int) -> str:
        return self._names[(self._first + (self._turn + place) % _TOGETHER) % _PEOPLE]

    def _code(self) -> str:
        return f"{self.pick(CODE_LETTERS)}-{self.number(101, 989)}{self.pick(CODE_LETTERS)}"

    def _coming_day(self) -> str:
        self._day = self.number(1, 120)
        return DAYS[(self._today + self._day) % 365]

    def _starting_hour(self) -> str:
        self._hour = self.number(0, len(HOURS) - 40)
        return HOURS[self._hour]


# By the invention, which is one task's own and is told apart by identity; a scene is compared by its rows.
_TALKS: WeakKeyDictionary[Invention, SmallTalk] = WeakKeyDictionary()


def small_talk(scene: Scene) -> SmallTalk:
    """The small talk of this scene; its people and companies are invented when it is first asked for."""
    talk = _TALKS.get(scene.invent)
    if talk is None:
        talk = _TALKS[scene.invent] = SmallTalk(scene)
    return talk


def unrelated_text(scene: Scene, count: int) -> str:
    """`count` sentences on one topic, in paragraphs when they are many; a single one is short.

    No phrasing comes a second time in a task before all have come.
    """
    talk = small_talk(scene)
    return talk.text(talk.topic(count), count)
