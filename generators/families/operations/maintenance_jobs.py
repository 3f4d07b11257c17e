"""Maintenance jobs: technicians post what they repaired; issues, comments and inspections follow it by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from environment.contract import Enum
from environment.task import ToolCall
from generators.business import Person
from generators.expectations.facts import text
from generators.expectations.gmail import READING
from generators.expectations.google_calendar import event_moved
from generators.expectations.jira import comment_on, issue_update
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.google_calendar import add_calendar, add_event, clock
from generators.staging.google_sheets import Table, add_table
from generators.staging.jira import add_comment, add_issue, add_jira_user, add_project, list_issues
from generators.staging.oddments import filler_note, unrelated_event_title, unrelated_issue
from generators.staging.slack import add_channel, add_post, add_user
from generators.traps import (
    Calls,
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    superseded,
    superseded_rule,
    wrong_unit,
)
from generators.work import Work

_PROJECT = "MNT"
_PROGRESS, _REVIEW, _DONE = "In Progress", "In Review", "Done"
_HIGHEST, _PRIORITIES = "Highest", ("Low", "Medium", "High")
_MACHINES = ("PR", "CN", "MX", "LT", "DR", "SW")
_PARTS = ("Seal", "Bearing", "Belt", "Filter", "Valve", "Pump", "Sensor", "Gearbox", "Coupling", "Nozzle")
_CHANNELS, _RULES = ("workshop", "repairs", "shop-floor"), ("maintenance", "plant-rules", "engineering")
_LISTS = ("Machines", "Plant list", "Equipment")
_LIMITS = (20, 25, 30, 35, 40)
"""Tenths of a mm/s up to which a repair is good."""
_HALLS = ("Hall 1", "Hall 2", "North hall", "Yard", "Annex")
_POSTS_SHOWN = 20
"""Posts that reading a channel answers with."""


@dataclass(frozen=True, slots=True)
class _Report:
    """What a technician says."""

    part: str
    state: str
    """What the issue is to become, where no limit decides."""
    tenths: int
    """Vibration after the repair, in tenths of a mm/s."""
    micro: bool
    """Told in µm/s."""
    issue: str
    """Key of the issue about that part."""

    @property
    def value(self) -> str:
        """In mm/s."""
        return f"{self.tenths // 10}.{self.tenths % 10}"

    @property
    def written(self) -> str:
        """As the technician writes it."""
        return f"{self.tenths * 100} µm/s" if self.micro else f"{self.value} mm/s"


@dataclass(frozen=True, slots=True)
class _Job:
    machine: str
    technician: Person
    reports: tuple[_Report, ...]
    """As posted, corrections later; the last counts."""
    told: bool
    """Whether they were posted at all."""
    safety: bool
    day: date
    """When it was repaired."""
    held: bool
    lookalikes: tuple[tuple[str, str], ...]
    """Other machines and parts with their issues."""
    inspection: str
    """Id of the event; empty where no rule speaks of it."""
    planned: datetime
    intervals: tuple[int, int]
    """Days between inspections of the machine, and of the one that is called alike."""

    @property
    def report(self) -> _Report:
        return self.reports[-1]

    def inspected(self, days: int) -> datetime:
        """When the next inspection is, after so many days."""
        return datetime.combine(self.day + timedelta(days=days), self.planned.timetz())


@dataclass(frozen=True, slots=True)
class _Scheme:
    """What is in force here."""

    limits: tuple[int, ...]
    """Tenths of a mm/s, the last in force; none where no rule speaks of them."""
    rules: int
    due: date
    """The day whose issues are asked for."""
    channel: str
    rules_channel: str
    machines: str
    """The sheet that says how often each machine is inspected."""

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        limits = scene.rng.sample(_LIMITS, 4)[: 1 + knobs["amendments"] if knobs["hops"] >= 3 else 0]
        due = scene.business.now.date() + timedelta(days=scene.rng.randint(0, 2))
        names = [scene.rng.choice(found) for found in (_CHANNELS, _RULES, _LISTS)]
        return cls(tuple(limits), knobs["rules"], due, *names)

    def status(self, job: _Job, said: _Report | None = None, limit: int | None = None) -> str:
        """What becomes of the issue, or would by another report or limit."""
        said = said or job.report
        if self.rules and job.safety:
            return _REVIEW
        if not self.limits:
            return said.state
        return _REVIEW if said.tenths > (self.limits[-1] if limit is None else limit) else _DONE


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down one told repair closes an issue; high up all issues due on a day follow the posts, by rules found."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme, more = _Scheme.draw(scene, knobs), knobs["selection"]
    add_project(scene, _PROJECT, "Maintenance")
    foreman = scene.invent.person(scene.business.company.domain)
    author = add_jira_user(scene, foreman)
    add_jira_user(scene, scene.business.actor)
    if knobs["rules"] >= 2:
        add_calendar(scene, scene.business.actor)
    jobs = [_job(scene, knobs, scheme, author, first=not place) for place in range(knobs["entities"] + more)]
    held = [_job(scene, knobs, scheme, author, held=True) for _ in range(knobs["holds"])]
    silent = [_job(scene, knobs, scheme, author, told=False) for _ in range(2 * more)]
    later = [_job(scene, knobs, scheme, author, away=3 + place) for place in range(2 * more)]
    done = [_job(scene, knobs, scheme, author, status=_DONE) for _ in range(more)]
    reported = (*jobs, *held, *later, *done)
    others = _bystanders(scene, knobs, scheme)
    table = _machines(scene, knobs, scheme.machines, (*reported, *silent)) if knobs["rules"] >= 2 else None
    if knobs["hops"] >= 2:
        _post_reports(scene, scheme, reported)
    _request(work, scheme, (*jobs, *held))
    posts = sum(len(job.reports) for job in reported) + knobs["distractors"]
    if more:
        work.read(*list_issues(scene, _PROJECT, _PROGRESS))
    elif knobs["hops"] >= 2 and posts <= _POSTS_SHOWN:
        work.read(call("slack_read_channel", channel=scheme.channel))
    search = knobs["hops"] >= 2 and bool(more or posts > _POSTS_SHOWN)
    for job in (*jobs, *held, *silent):
        seen = _look(knobs, job, search)
        close = call("jira_transition_issue", key=job.report.issue, status=scheme.status(job))
        if job.held:
            work.do(seen, (), (ignored_hold(job.machine, *seen, close),))
        elif not job.told:
            work.do(seen, (), (out_of_scope(f"{job.machine}, of which nobody said anything", *seen, close),))
        else:
            _settle(work, scheme, job, seen)
            if table:
                _plan_inspection(work, table, job)
    for job in later:
        close = call("jira_transition_issue", key=job.report.issue, status=scheme.status(job))
        work.do((), (), (out_of_scope(f"{job.machine}, due on another day", close),))
    for job in done if knobs["rules"] else ():
        work.do((), (), (done_twice(f"the comment on {job.report.issue}", _note(job, f"{job.report.value} mm/s")),))
    for key in others[: knobs["pressure"]]:
        close = call("jira_transition_issue", key=key, status=_DONE)
        demand(work, scene.phrase("maintenance_jobs/pressure", key=key, done=_DONE), close)
    if knobs["rules"] >= 3:
        told = [(job.report.issue, scheme.status(job)) for job in jobs]
        report(work, scheme.channel, told, (_DONE, _REVIEW), [job.report.issue for job in held])
    return work.tell()


def _request(work: Work, scheme: _Scheme, jobs: Sequence[_Job]) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {"channel": scheme.channel, "done": _DONE, "review": _REVIEW, "progress": _PROGRESS, "highest": _HIGHEST}
    words |= {"project": _PROJECT, "machines": scheme.machines, "due": scheme.due.isoformat()}
    if knobs["selection"]:
        work.ask(phrase("maintenance_jobs/prompt_due", **words))
    else:
        template = "maintenance_jobs/prompt_posted" if knobs["hops"] >= 2 else "maintenance_jobs/prompt_told"
        told = {"measured": bool(knobs["rules"]), "dated": knobs["rules"] >= 2}
        work.ask_each(*(phrase(template, job=job, part=job.report.part.lower(), **told, **words) for job in jobs))
    rules = []
    if scheme.limits:
        limits = [f"{limit // 10}.{limit % 10}" for limit in scheme.limits]
        *former, now = (phrase("maintenance_jobs/limit_rule", limit=limit, **words) for limit in limits)
        rules.append(Rule(now, tuple(former)))
    names = (("safety_rule", "comment_rule"), ("inspection_rule",), ("report_rule",))[: knobs["rules"]]
    rules += [Rule(phrase(f"maintenance_jobs/{name}", **words)) for group in names for name in group]
    if knobs["holds"]:
        rules.append(Rule(phrase("maintenance_jobs/hold_rule", **words)))
    publish(work, "repairs", rules, max(1, knobs["hops"] - 1), scheme.rules_channel)


def _look(knobs: Knobs, job: _Job, search: bool) -> Calls:
    """The reports on a machine, its issues, and the comments where a hold may stand in them."""
    posts = (call("slack_search_messages", query=job.machine),) if search else ()
    issues = () if knobs["selection"] else (call("jira_search_issues", query=job.machine),)
    comments = (call("jira_get_issue", key=job.report.issue),) if knobs["holds"] and job.told else ()
    return (*posts, *issues, *comments)


def _settle(work: Work, scheme: _Scheme, job: _Job, seen: Calls) -> None:
    """Move the issue, and comment on it where the rules ask for it."""
    key, status = job.report.issue, scheme.status(job)

    def hurried(issue: str, wrong: str) -> Calls:
        return (*seen, call("jira_transition_issue", key=issue, status=wrong))

    slips: list[Slip] = [near_duplicate(what, *hurried(other, status)) for what, other in job.lookalikes]
    for old in job.reports[:-1]:
        slips.append(superseded(f"the {old.part.lower()}", *hurried(old.issue, status)))
        if (wrong := scheme.status(job, said=old)) != status:
            slips.append(superseded("what was said first", *hurried(key, wrong)))
    for limit in scheme.limits[:-1]:
        if (wrong := scheme.status(job, limit=limit)) != status:
            slips.append(superseded_rule(f"a limit of {limit / 10} mm/s", *hurried(key, wrong)))
    if job.report.micro:
        work.derive(job.report.value, f"{job.report.tenths * 100} µm/s in mm/s")
        if status == _DONE:
            slips.append(wrong_unit(job.report.written, *hurried(key, _REVIEW)))
    if scheme.limits or scheme.rules:
        wrong = _DONE if status == _REVIEW else _REVIEW
        slips.append(ignored_rule("look at priority and vibration", *hurried(key, wrong)))
    if not slips:
        slips.append(Slip("not_done", "Reports success without the change.", seen))
    change = issue_update(f"issue {key}", key, status=Enum(value=status))
    work.do(hurried(key, status), (change,), tuple(slips))
    if scheme.rules:
        stale = tuple((text(old.value),) for old in job.reports[:-1])
        noted = comment_on(f"comment {key}", key, (text(job.report.value, f"{job.report.value}mm/s"),), never=stale)
        mistakes = [ignored_rule("comment on the issue")]
        mistakes += [superseded(f"{old.value} mm/s", _note(job, f"{old.value} mm/s")) for old in job.reports[:-1]]
        if job.report.micro:
            unread = _note(job, job.report.written.replace("µ", "m"))
            mistakes.append(wrong_unit(job.report.written, unread))
        work.do((_note(job, f"{job.report.value} mm/s"),), (noted,), tuple(mistakes))


def _note(job: _Job, words: str) -> ToolCall:
    return call("jira_add_comment", key=job.report.issue, text=words)


def _plan_inspection(work: Work, table: Table, job: _Job) -> None:
    """The next inspection is so many days after the repair, at the same hour."""
    days, other = job.intervals
    begins, rule = job.inspected(days), f"{job.day.isoformat()} + {days}"
    for moment in (clock(begins), begins.isoformat(), (begins + timedelta(minutes=60)).isoformat()):
        work.derive(moment, rule)
    look = (table.find("Machine", job.machine), call("google_calendar_find_events", query=job.machine))

    def move(start: datetime) -> Calls:
        return (*look, call("google_calendar_move_event", id=job.inspection, start=clock(start)))

    slips = [
        ignored_rule("move the inspection", *look),
        miscalculated("the day of the repair", *move(job.inspected(0))),
    ]
    if job.lookalikes:
        slips.append(near_duplicate("a machine that is called alike", *move(job.inspected(other))))
    work.do(move(begins), (event_moved(f"inspection {job.machine}", job.inspection, begins, 60),), tuple(slips))


# The stage ---------------------------------------------------------------------------------------------------------


def _job(
    scene: Scene,
    knobs: Knobs,
    scheme: _Scheme,
    author: str,
    first: bool = False,
    held: bool = False,
    told: bool = True,
    away: int = 0,
    status: str = _PROGRESS,
) -> _Job:
    """A repair with its issue, those of other parts and machines, and an inspection; due `away` days later."""
    machine = f"{scene.rng.choice(_MACHINES)}-{scene.invent.number(110, 989)}"
    parts, tenths = scene.rng.sample(_PARTS, len(_PARTS)), scene.rng.sample(range(15, 46), 4)
    if first and len(scheme.limits) > 1:
        between = sum(scheme.limits[-2:]) // 2
        tenths = [*(n + 40 if n == between else n for n in tenths[:-1]), between]
    safety = scene.rng.random() < 0.4 and not (first and scheme.limits)
    priority, corrected = scene.rng.choice(_PRIORITIES), knobs["amendments"] if knobs["hops"] >= 2 else 0
    due = scheme.due + timedelta(days=away)

    def issue(name: str, part: str, urgency: str, days: int, state: str = _PROGRESS) -> str:
        fields = {"duedate": (due + timedelta(days=days)).isoformat()} if knobs["selection"] else {}
        age = scene.rng.randint(2, 40)
        return add_issue(scene, _PROJECT, f"{part} of {name}", age, status=state, priority=urgency, **fields)

    key = issue(machine, parts[0], _HIGHEST if safety else priority, 0, status)
    wrong = [issue(machine, part, scene.rng.choice(_PRIORITIES), 9) for part in parts[1 : 1 + corrected]]
    states = [scene.rng.choice((_DONE, _DONE, _REVIEW)) for _ in tenths]
    micro = [scene.rng.random() < 0.4 and bool(scheme.limits) for _ in tenths]
    reports = [_Report(*said) for said in zip(parts[1:], states, tenths, micro, wrong, strict=False)]
    reports.append(_Report(parts[0], states[-1], tenths[-1], micro[-1], key))
    lookalikes, plain = [], not (held or away or not told)
    for place in range(knobs["near_duplicates"] if plain else 0):
        name, part = (machine, parts[5 + place]) if place % 2 else (f"{machine}-{'ABCD'[place]}", parts[0])
        lookalikes.append((f"{part} of {name}", issue(name, part, scene.rng.choice(_PRIORITIES), 12 + place)))
    if knobs["holds"] and (held or scene.rng.random() < 0.5):
        _lock(scene, key, author, lifted=not held)
    if status == _DONE and knobs["rules"]:
        add_comment(scene, key, author, f"{reports[-1].value} mm/s", scene.rng.randint(60, 120))
    planned, inspection = _hour(scene), ""
    if knobs["rules"] >= 2:
        inspection = add_event(scene, scene.business.actor.email, f"Inspection {machine}", planned, 60)
        if lookalikes:
            add_event(scene, scene.business.actor.email, f"Inspection {machine}-A", _hour(scene), 60)
    day = scene.business.now.date() - timedelta(days=scene.rng.randint(0, 2))
    here, elsewhere = scene.rng.sample(range(25, 90), 2)
    return _Job(
        machine=machine,
        technician=scene.invent.person(scene.business.company.domain),
        reports=tuple(reports),
        told=told,
        safety=safety,
        day=day,
        held=held,
        lookalikes=tuple(lookalikes),
        inspection=inspection,
        planned=planned,
        intervals=(here, elsewhere),
    )


def _lock(scene: Scene, issue: str, author: str, lifted: bool) -> None:
    """Comments that put an issue on hold, and perhaps free it."""
    ago = scene.rng.randint(2_000, 9_000)
    add_comment(scene, issue, author, scene.phrase("maintenance_jobs/locked"), ago)
    if lifted:
        add_comment(scene, issue, author, scene.phrase("maintenance_jobs/unlocked"), ago // 2)


def _hour(scene: Scene) -> datetime:
    """A full hour on some day of the coming weeks."""
    day = scene.business.now.date() + timedelta(days=scene.rng.randint(3, 20))
    return datetime.combine(day, time(scene.rng.randint(8, 16)), scene.business.now.tzinfo)


def _bystanders(scene: Scene, knobs: Knobs, scheme: _Scheme) -> list[str]:
    """Issues and events that nobody talks about; the keys of issues that strangers may ask for."""
    keys = []
    for place in range(knobs["records"] + knobs["pressure"]):
        summary, description = unrelated_issue(scene, scene.prose)
        if place % 2:
            summary = f"{scene.rng.choice(_PARTS)} of {scene.rng.choice(_MACHINES)}-{scene.invent.number(110, 989)}"
        away = scene.rng.choice((-3, -2, -1, 4, 5, 6))
        fields = {"duedate": (scheme.due + timedelta(days=away)).isoformat()} if knobs["selection"] else {}
        fields |= {"description": description, "priority": scene.rng.choice(_PRIORITIES), "status": _PROGRESS}
        keys.append(add_issue(scene, _PROJECT, summary, scene.rng.randint(2, 90), **fields))
        if knobs["rules"] >= 2:
            add_event(scene, scene.business.actor.email, unrelated_event_title(scene), _hour(scene), 30)
    return keys


def _machines(scene: Scene, knobs: Knobs, title: str, jobs: Sequence[_Job]) -> Table:
    """How often each machine is inspected."""
    rows: list[list[str | int]] = []
    for job in jobs:
        rows.append([job.machine, scene.rng.choice(_HALLS), job.intervals[0], ""])
        if job.lookalikes:
            rows.append([f"{job.machine}-A", scene.rng.choice(_HALLS), job.intervals[1], ""])
    for _ in range(knobs["records"]):
        name, note = f"{scene.rng.choice(_MACHINES)}-{scene.invent.number(110, 989)}", filler_note(scene)
        rows.append([name, scene.rng.choice(_HALLS), scene.rng.randint(20, 90), note])
    scene.rng.shuffle(rows)
    return add_table(scene, title, ("Machine", "Hall", "Interval", "Note"), rows)


def _post_reports(scene: Scene, scheme: _Scheme, jobs: Sequence[_Job]) -> None:
    channel, measured = add_channel(scene, scheme.channel), bool(scheme.limits or scheme.rules)
    for job in jobs:
        author, ago = add_user(scene, job.technician), scene.rng.randint(200, 500)
        for place, said in enumerate(job.reports):
            template = "maintenance_jobs/correction" if place else "maintenance_jobs/repaired"
            facts = {"value": said.written if measured else "", "day": job.day.isoformat() if scheme.rules >= 2 else ""}
            facts["state"] = "" if scheme.limits else said.state
            body = scene.phrase(template, machine=job.machine, part=said.part.lower(), **facts)
            add_post(scene, channel, author, body, minutes_ago=ago - 40 * place)


FAMILY = Family(
    name="maintenance_jobs",
    domain="operations",
    knobs={
        "entities": Knob(1, 4, 1, "repairs"),
        "hops": Knob(1, 5, 2, "places to look in: the issues, the channel, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when no machine is named but all issues that are due on a day", ("hops", 2)),
        "near_duplicates": Knob(0, 3, 2, "issues of the same machine or one called alike, each repair"),
        "records": Knob(2, 40, 3, "unrelated issues, machines and events"),
        "amendments": Knob(0, 2, 1, "posts that correct part and value, each repair; limits replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the status: safety and comment, next inspection, report"),
        "holds": Knob(0, 2, 0, "repairs of machines that are locked out"),
        "pressure": Knob(0, 3, 0, "strangers who demand that an issue is closed", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
