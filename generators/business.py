"""The business behind a task: an invented company, its people, its customers and its calendar; none of them is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random

_FIRST = (
    "Oren Mira Tobias Leila Anders Priya Callum Ines Marek Yuki Dario Freya Hamid Greta Jonas Saoirse Emeka Lucia "
    "Pavel Noor Rafael Astrid Kofi Elena Bram Wanda Idris Maeve Stefan Amara Luca Signe Tariq Odile Felix Zofia "
    "Mateo Hanne Arjun Colette Viktor Nadia Ruben Ingrid Samir Beatriz Lennart Thandi Marco Elif Gustav Rosa Kenji "
    "Fiona Omar Petra Dylan Carmen Henrik Abena Milan Sofia Teun Yara Alba Bruno Chidi Daria Eamon Farah Gregor "
    "Hilde Ismail Jolanta Kasper Linnea Mirko Nuria Otis Paloma Quentin Rania Soren Talia Ulla Vikram Willem Xenia "
    "Yusuf Zora Bastian Celeste Dmitri Esther Fabio Gwen Hugo Ilse Jorge Keiko"
).split()
_LAST = (
    "Haddad Lindqvist Okafor Brandt Castellan Moreau Petrov Iversen Nakata Ferreira Dunmore Kowal Abara Solberg "
    "Rinaldi Whitlock Esposito Varga Tanaka Greaves Olander Mbeki Hartley Novak Sandoval Keller Fontaine Reyes "
    "Bergman Achebe Calloway Dvorak Ellison Faulkner Garrick Hollis Ibarra Jansen Kessler Lomax Marchetti Norwood "
    "Ostrow Pembroke Quintero Rosetti Sorensen Thackeray Ullman Vance Wexler Yilmaz Zeller Ashdown Birk Corwin "
    "Delacroix Engel Farrow Gallo Hensley Isaksen Jarvis Kimura Lachance Merrick Nordin Oakes Pascal Renner Stroud "
    "Tolland Ulrich Voss Winslow Almeida Barlow Cavendish Doyle Eklund Fairley Gunnarson Halloran Inoue Janssen "
    "Karlsson Lombardi Mackay Nyberg Ortega Paxton Quigley Radford Santoro Thorne Underhill Vasquez Waverley Yamada "
    "Zimmer Arkwright Bellamy Conti Drummond Eriksen Fischer Galloway Hartmann Ivanov Jessop Koller Lorimer Mendes "
    "Nakamura Osborne"
).split()
_HEADS = (
    "Tarn Lark Bram Hollow Marl Fenn Copper Quill Thorn Alder Wren Cinder Brook Dray Elm Flint Garn Heath Ivory Juni "
    "Kestrel Lin Mossy Nettle Ober Pell Rook Sable Tallow Umber Vale Wick Yarrow Zephy Birch Cald Dunn Ester Frost "
    "Gale"
).split()
_TAILS = (
    "wick field ford mere stead gate croft holm dale well ridge haven brook marsh thorpe shaw bourne combe"
).split()
_TRADES = (
    "Instruments Optics Textiles Foods Logistics Ceramics Plastics Robotics Furniture Beverages Packaging Fabrics "
    "Lighting Tooling Paper Seeds Marine Glass Printing Coatings Cycles Audio Timber Dairy"
).split()
_CIRCLE = 20
"""First names, and as many last ones, that a circle shares."""
_OFFSETS_H = (0, -5, 1)
"""UTC offsets, in hours, of the places where companies sit."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a name and an address; colleagues have the company's domain."""

    first: str
    last: str
    email: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


@dataclass(frozen=True, slots=True)
class Company:
    """An invented organisation."""

    name: str
    domain: str


@dataclass(frozen=True, slots=True)
class Business:
    """The company that a task plays in."""

    company: Company
    actor: Person
    """The colleague on whose behalf the agent works."""
    now: datetime
    """The world's clock at the start; a working day, during office hours."""


class Invention:
    """Draws names that differ from each other within one task."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()

    def company(self) -> Company:
        """A company whose first word no other company of this task begins with."""
        while True:
            stem = self._rng.choice(_HEADS) + self._rng.choice(_TAILS)
            if self._take(stem):
                trade = self._rng.choice(_TRADES)
                return Company(f"{stem} {trade}", f"{stem}{trade}.com".lower())

    def lookalike_company(self, company: Company) -> Company:
        """Another company with the same first word and another trade."""
        stem = company.name.split()[0]
        while True:
            trade = self._rng.choice(_TRADES)
            if f"{stem} {trade}" != company.name and self._take(f"{stem} {trade}"):
                return Company(f"{stem} {trade}", f"{stem}{trade}.com".lower())

    def person(self, domain: str) -> Person:
        """A person whose first and last name nobody else of this task has, namesakes and bystanders included."""
        while True:
            first, last = self._rng.choice(_FIRST), self._rng.choice(_LAST)
            if first not in self._taken and self._take(last):
                self._taken.add(first)
                return _person(first, last, domain)

    def bystander(self, domain: str) -> Person:
        """A person who shares both names with nobody, and neither name with anybody that `person` made."""
        while True:
            first, last = self._rng.choice(_FIRST), self._rng.choice(_LAST)
            if first not in self._taken and last not in self._taken and self._take(f"{first} {last}"):
                return _person(first, last, domain)

    def circle(self, domains: Sequence[str]) -> tuple[Person, ...]:
        """A person for each domain; names recur among them, but `person` gives them to nobody, before or after."""
        firsts, lasts = self._set_aside(_FIRST), self._set_aside(_LAST)
        pairs = self._rng.sample([(first, last) for first in firsts for last in lasts], len(domains))
        return tuple(_person(first, last, domain) for (first, last), domain in zip(pairs, domains, strict=True))

    def namesake(self, person: Person, domain: str) -> Person:
        """Another person with the same last name and a first name that nobody made so far has."""
        while True:
            first = self._rng.choice(_FIRST)
            if self._take(first):
                return _person(first, person.last, domain)

    def number(self, low: int, high: int) -> int:
        """A whole number in [low, high] that this task has not used for anything else that is told apart by number."""
        while True:
            number = self._rng.randint(low, high)
            if self._take(str(number)):
                return number

    def phone(self) -> str:
        """A fictional number of the form 555-0142, four free digits."""
        return f"555-{self.number(100, 9999):04d}"

    def _set_aside(self, names: Sequence[str]) -> list[str]:
        """A few names that nobody has or will get."""
        free = [name for name in names if name not in self._taken]
        chosen = self._rng.sample(free, min(_CIRCLE, len(free)))
        self._taken.update(chosen)
        return chosen

    def _take(self, word: str) -> bool:
        if word in self._taken:
            return False
        self._taken.add(word)
        return True


def invent_business(rng: Random, invention: Invention) -> Business:
    """The company, the colleague and the clock of one task."""
    company = invention.company()
    zone = timezone(timedelta(hours=rng.choice(_OFFSETS_H)))
    day = datetime(2026, 1, 5, tzinfo=zone) + timedelta(weeks=rng.randrange(40), days=rng.randrange(5))
    now = day.replace(hour=rng.randint(8, 16), minute=rng.randrange(0, 60, 5))
    return Business(company, invention.person(company.domain), now)


def _person(first: str, last: str, domain: str) -> Person:
    return Person(first, last, f"{first}.{last}@{domain}".lower())
