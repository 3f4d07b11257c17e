"""Leave request: colleagues asked for days off by mail; the log gets the decision that their days left allow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from environment.contract import Date, Enum, Equals, Money
from environment.task import ToolCall
from generators.business import Person
from generators.expectations import READING, row_appended, slack_post, text
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined, one_post_each
from generators.plan import Slip, Step, ignored_rule, near_duplicate, superseded, tell
from generators.staging.gmail import add_mail
from generators.staging.google_sheets import Table, add_table
from generators.staging.noise import add_unrelated_mail
from generators.staging.slack import add_channel

_CHANNELS = ("people", "absences", "hr")
_YES, _NO = "Approved", "Refused"


@dataclass(frozen=True, slots=True)
class _Request:
    person: Person
    start: date
    days: tuple[int, ...]
    """Days asked for, corrections later; the last counts."""
    left: int

    @property
    def decision(self) -> str:
        return decide(self.days[-1], self.left)


def decide(days: int, left: int) -> str:
    """Approved when the days left suffice."""
    return _YES if days <= left else _NO


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Namesakes have other balances; a later mail may change the days; with rules the decision is posted too."""
    channel_name = scene.rng.choice(_CHANNELS)
    channel = add_channel(scene, channel_name) if knobs["rules"] else ""
    requests = [_request(scene, knobs["amendments"]) for _ in range(knobs["entities"])]
    balances: list[list[str | int]] = []
    namesakes: dict[str, list[int]] = {}
    domain = scene.business.company.domain
    for request in requests:
        balances.append([request.person.name, request.left])
        for _ in range(knobs["near_duplicates"]):
            other = _balance(scene, request.days[-1])
            namesakes.setdefault(request.person.name, []).append(other)
            balances.append([scene.invent.namesake(request.person, domain).name, other])
    for _ in range(knobs["records"]):
        balances.append([scene.invent.bystander(domain).name, scene.rng.randint(1, 25)])
    scene.rng.shuffle(balances)
    table = add_table(scene, "Balances", ("Name", "Days left"), balances)
    log = _log(scene)
    add_unrelated_mail(scene, knobs["distractors"])
    scene.shuffle("gmail", "Message")
    prompts = [scene.phrase("leave_request/prompt", request=request, log=log.title) for request in requests]
    prompts.append(scene.phrase("leave_request/decision_rule", balances=table.title, yes=_YES, no=_NO))
    if knobs["rules"]:
        prompts.append(scene.phrase("leave_request/post_rule", channel=channel_name))
        prompts.extend(one_post_each(len(requests)))
    steps: list[Step] = []
    for request in requests:
        steps.append(_record(request, table, log, namesakes.get(request.person.name, [])))
        if knobs["rules"]:
            post = scene.phrase("leave_request/post", request=request)
            facts = (text(request.person.name), text(request.decision))
            opposite = _NO if request.decision == _YES else _YES
            never = ((text(request.person.name), text(opposite)),)
            change = slack_post(f"post {request.person.name}", channel, facts, never=never)
            tell_decision = call("slack_post_message", channel=channel_name, text=post)
            steps.append(Step((tell_decision,), (change,), (ignored_rule("post the decision"),)))
    actions = (
        *("gmail_search_emails", "google_sheets_find_rows", "google_sheets_append_row"),
        *(("slack_post_message",) if knobs["rules"] else ()),
    )
    return tell(joined(prompts), steps, actions, allowed=(READING,))


def _record(request: _Request, table: Table, log: Table, others: list[int]) -> Step:
    person, days = request.person, request.days[-1]
    look = call("gmail_search_emails", query=f"from:{person.last}")
    find = call("google_sheets_find_rows", spreadsheet=table.title, column="Name", value=person.last)
    slips: list[Slip] = []
    for left in others:
        if decide(days, left) != request.decision:
            slips.append(
                near_duplicate("a namesake's balance", look, find, _append(log, request, days, decide(days, left)))
            )
    for old in request.days[:-1]:
        wrong = _append(log, request, old, decide(old, request.left))
        slips.append(superseded(f"{old} days", look, find, wrong))
    other = _NO if request.decision == _YES else _YES
    slips.append(ignored_rule("compare with the days left", look, _append(log, request, days, other)))
    change = row_appended(
        f"log {person.name}",
        log.sheet,
        {0: Equals(value=person.name)},
        {1: Date(day=request.start.isoformat()), 2: Money(amount=str(days)), 3: Enum(value=request.decision)},
    )
    return Step((look, find, _append(log, request, days, request.decision)), (change,), tuple(slips))


def _request(scene: Scene, amendments: int) -> _Request:
    person = scene.invent.person(scene.business.company.domain)
    start = (scene.business.now + timedelta(days=scene.rng.randint(14, 90))).date()
    days = scene.rng.sample(range(2, 15), amendments + 1)
    ago = scene.rng.randint(300, 600)
    for place, count in enumerate(days):
        template = "mail_correction" if place else "mail_request"
        body = scene.phrase(f"leave_request/{template}", person=person, days=count, start=start.isoformat())
        add_mail(scene, person, "Leave", body, minutes_ago=ago - 40 * place)
    return _Request(person, start, tuple(days), _balance(scene, days[-1]))


def _balance(scene: Scene, days: int) -> int:
    """Days left that suffice for `days` in half of all cases."""
    return scene.rng.randint(days, 20) if scene.rng.random() < 0.5 else scene.rng.randint(0, days - 1)


def _log(scene: Scene) -> Table:
    """The log with a few earlier decisions about others."""
    rows: list[list[str | int]] = []
    for _ in range(3):
        start = (scene.business.now - timedelta(days=scene.rng.randint(5, 60))).date()
        name = scene.invent.bystander(scene.business.company.domain).name
        rows.append([name, start.isoformat(), scene.rng.randint(1, 10), scene.rng.choice((_YES, _NO))])
    return add_table(scene, "Leave log", ("Name", "Start", "Days", "Decision"), rows)


def _append(log: Table, request: _Request, days: int, decision: str) -> ToolCall:
    values = [request.person.name, request.start.isoformat(), str(days), decision]
    return call("google_sheets_append_row", spreadsheet=log.title, values=values)


FAMILY = Family(
    name="leave_request",
    domain="hr",
    knobs={
        "entities": Knob(1, 4, 1, "requests"),
        "near_duplicates": Knob(0, 5, 2, "colleagues with the same last name, each request"),
        "records": Knob(2, 60, 4, "unrelated colleagues"),
        "amendments": Knob(0, 3, 1, "mails that change the days, each request"),
        "rules": Knob(0, 1, 1, "rules besides the log: post the decision"),
        "distractors": Knob(0, 25, 2, "unrelated mails"),
    },
    compose=compose,
)
