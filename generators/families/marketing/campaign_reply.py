"""Campaign reply: leads answered a campaign mail; each is rated by its last answer, or taken off the campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from environment.contract import Enum, Equals, Matcher, Money
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations.gmail import READING
from generators.expectations.google_sheets import cells_update
from generators.expectations.salesforce import record_update
from generators.family import DISTRACTORS, PROSE, Family, Knob, Knobs, Scene, Story, call
from generators.pressure import demand
from generators.reports import report
from generators.rulebook import Rule, publish
from generators.staging.campaigns import add_campaign, add_member
from generators.staging.gmail import Mail, add_mail, find_mails
from generators.staging.google_sheets import Table, add_table
from generators.staging.oddments import filler_note
from generators.staging.salesforce import add_lead, add_record
from generators.traps import (
    Slip,
    done_twice,
    ignored_hold,
    ignored_rule,
    miscalculated,
    near_duplicate,
    out_of_scope,
    superseded,
    superseded_rule,
)
from generators.work import Work

_CHANNELS = ("campaigns", "marketing", "leads")
_CAMPAIGNS = ("Spring range", "Autumn collection", "Winter catalogue", "Garden season", "Harvest weeks")
_ANSWERS, _OFF = ("interested", "later", "declined"), "off"
"""What leads answer; the last wants no more mail."""
_HOT, _WARM, _COLD = _RATINGS = ("Hot", "Warm", "Cold")
_RULES = (
    {"interested": _HOT, "later": _WARM, "declined": _COLD},
    {"interested": _HOT, "later": _COLD, "declined": _COLD},
    {"interested": _WARM, "later": _WARM, "declined": _COLD},
    {"interested": _WARM, "later": _HOT, "declined": _COLD},
)
_STATUS, _CLOSED, _UNSUBSCRIBED = "Working - Contacted", "Closed - Not Converted", "Unsubscribed"
_HEADER = ("Name", "Company", "Employees", "Score", "Note")
_HOLDS = ("legal dispute with us", "in a legal dispute", "legal dispute since last year")
_LISTS, _PARTNERS = ("Recipients", "Mailing list", "Addressees"), ("Partners", "Resellers", "Dealers")
_A_DAY = 1440
_SINCE_DAYS = 6
"""How long ago the answers begin that a request for all of them means."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A lead on stage with what belongs to it."""

    person: Person
    company: Company
    lead: str
    member: str
    """Id of the campaign member; empty where nobody can be taken off."""
    employees: int


@dataclass(frozen=True, slots=True)
class _Reply:
    """A lead that answered."""

    record: _Record
    answers: tuple[str, ...]
    """Answers as written, changes of mind later; the last counts."""
    mails: tuple[Mail, ...]
    namesakes: tuple[_Record, ...]
    partner: bool

    @property
    def answer(self) -> str:
        return self.answers[-1]


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The rules in force here."""

    campaign: str
    campaign_id: str
    channel: str
    ratings: tuple[Mapping[str, str], ...]
    """Answer -> rating; the last is in force."""
    points: Mapping[str, int]
    """Answer -> points of the score."""
    manager: Person
    manager_id: str
    """Salesforce user who takes over partners."""

    def rating(self, answer: str) -> str:
        return self.ratings[-1][answer]

    def score(self, record: _Record, answer: str) -> int:
        return score(self.points[answer], record.employees)

    @classmethod
    def draw(cls, scene: Scene, knobs: Knobs) -> _Scheme:
        rng, found = scene.rng, knobs["hops"] >= 3
        ratings = rng.sample(_RULES, knobs["amendments"] + 1) if found else _RULES[:1]
        high, middle, low = rng.randint(10, 12), rng.randint(5, 8), rng.randint(1, 3)
        points = {"interested": 5 * high, "later": 5 * middle, "declined": 5 * low}
        campaign, campaign_id = rng.choice(_CAMPAIGNS), ""
        if knobs["optouts"]:
            campaign_id = add_campaign(scene, campaign, ("Sent", "Responded", _UNSUBSCRIBED))
        manager, manager_id = scene.invent.person(scene.business.company.domain), ""
        if knobs["rules"] >= 3:
            colleagues = [scene.invent.person(manager.email.partition("@")[2]) for _ in range(4)]
            manager_id = [_user(scene, one) for one in (*colleagues, manager)][-1]
        return cls(campaign, campaign_id, rng.choice(_CHANNELS), tuple(ratings), points, manager, manager_id)


def score(points: int, employees: int) -> int:
    """The points of an answer, and one more for every ten employees."""
    return points + employees // 10


@dataclass(frozen=True, slots=True)
class _Sheets:
    """Lists beside the leads, where a rule speaks of them."""

    sizes: Table | None
    partners: Table | None


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Low down a told answer becomes a rating; high up everybody who answered since a day is dealt with by rules."""
    work = Work(scene, knobs)
    work.allow(READING)
    scheme = _Scheme.draw(scene, knobs)
    rated = [_reply(scene, knobs, scheme) for _ in range(knobs["entities"] + 2 * knobs["selection"])]
    off = [_reply(scene, knobs, scheme, off=True) for _ in range(knobs["optouts"])]
    held = [_reply(scene, knobs, scheme) for _ in range(knobs["holds"])]
    done = [_reply(scene, knobs, scheme, done=True) for _ in range(2 * knobs["selection"])]
    early = [_reply(scene, knobs, scheme, days_ago=_SINCE_DAYS + 3) for _ in range(knobs["selection"])]
    others = [_reply(scene, knobs, scheme, other=True) for _ in range(knobs["selection"])]
    records = [_bystander(scene, knobs, scheme) for _ in range(knobs["records"])]
    replies = (*rated, *off, *held, *done, *early, *others)
    sheets = _sheets(scene, knobs, replies, held, records)
    _request(work, scheme, (*rated, *off, *held), sheets)
    _survey(work, scheme, sheets)
    for reply in rated:
        _rate(work, scheme, sheets, reply)
    for reply in off:
        _take_off(work, scheme, sheets, reply)
    for reply in held:
        look = _look(knobs, sheets, reply)
        work.do(look, (), (ignored_hold(reply.record.person.name, *look, _update(scheme, knobs, reply)),))
    for reply in done:
        again = _update(scheme, knobs, reply)
        work.do(_look(knobs, sheets, reply), (), (done_twice(f"rating {reply.record.person.name}", again),))
    for reply in (*early, *others):
        slip = out_of_scope(f"{reply.record.person.name}, who did not answer this since", _update(scheme, knobs, reply))
        work.do((), (), (slip,))
    for record in records[: knobs["pressure"]]:
        body = scene.phrase("campaign_reply/pressure", person=record.person, hot=_HOT)
        demand(work, body, call("salesforce_update_lead", id=record.lead, rating=_HOT))
    if knobs["rules"]:
        told = [(one.record.person.name, scheme.rating(one.answer)) for one in rated]
        report(work, scheme.channel, told, _RATINGS, [one.record.person.name for one in (*off, *held)])
    return work.tell()


def _request(work: Work, scheme: _Scheme, replies: Sequence[_Reply], sheets: _Sheets) -> None:
    knobs, phrase = work.knobs, work.scene.phrase
    words = {
        "campaign": scheme.campaign,
        "channel": scheme.channel,
        "status": _STATUS,
        "unsubscribed": _UNSUBSCRIBED,
        "manager": scheme.manager,
        "points": scheme.points,
        "sizes": sheets.sizes and sheets.sizes.title,
        "partners": sheets.partners and sheets.partners.title,
    }
    if knobs["selection"]:
        work.ask(phrase("campaign_reply/prompt_all", since=work.scene.days_ago(_SINCE_DAYS), **words))
    else:
        template = "campaign_reply/prompt" if knobs["hops"] >= 2 else "campaign_reply/prompt_told"
        asked = ((reply.record.person, reply.answer) for reply in replies)
        work.ask_each(*(phrase(template, person=person, answer=answer, **words) for person, answer in asked))
    former = tuple(phrase("campaign_reply/rating_rule", rating=old) for old in scheme.ratings[:-1])
    rules = [Rule(phrase("campaign_reply/rating_rule", rating=scheme.ratings[-1]), former)]
    names = ["report_rule", "score_rule", "partner_rule"][: knobs["rules"]]
    names += [name for name, knob in (("off_rule", "optouts"), ("hold_rule", "holds")) if knobs[knob]]
    names += ["status_rule"] if knobs["hops"] >= 3 else []
    rules += [Rule(phrase(f"campaign_reply/{name}", **words)) for name in names]
    publish(work, "rating leads", rules, max(1, knobs["hops"] - 1), scheme.channel)


def _survey(work: Work, scheme: _Scheme, sheets: _Sheets) -> None:
    """Look up what concerns all leads together."""
    if work.knobs["selection"]:
        query = f'subject:"{scheme.campaign}" after:{work.scene.days_ago(_SINCE_DAYS).replace("-", "/")}'
        work.read(call("gmail_search_emails", query=query, max_results=50))
        work.read(*(sheets.sizes.read() if sheets.sizes else ()))
    if scheme.campaign_id:
        members = call("salesforce_find_campaign_members", campaign_id=scheme.campaign_id)
        work.read(call("salesforce_find_campaigns", name=scheme.campaign), members)
    if scheme.manager_id:
        work.read(call("salesforce_find_users", name=scheme.manager.name))


def _look(knobs: Knobs, sheets: _Sheets, reply: _Reply) -> tuple[ToolCall, ...]:
    """The mails of a lead, the lead, and its company's rows."""
    person, company = reply.record.person, reply.record.company
    calls = find_mails(person, reply.mails)[knobs["selection"] :] if reply.mails else ()
    calls += (call("salesforce_find_leads", name=person.last),)
    if sheets.sizes and not knobs["selection"]:
        calls += (sheets.sizes.find("Name", person.last),)
    if sheets.partners:
        calls += (sheets.partners.find("Company", company.name.split()[0]),)
    return calls


def _update(
    scheme: _Scheme, knobs: Knobs, reply: _Reply, lead: str = "", rating: str = "", partner: bool | None = None
) -> ToolCall:
    """The call that rates, with what the rules ask for besides."""
    fields = {"status": _STATUS} if knobs["hops"] >= 3 else {}
    fields["rating"] = rating or scheme.rating(reply.answer)
    if scheme.manager_id and (reply.partner if partner is None else partner):
        fields["owner_id"] = scheme.manager_id
    return call("salesforce_update_lead", id=lead or reply.record.lead, **fields)


def _rate(work: Work, scheme: _Scheme, sheets: _Sheets, reply: _Reply) -> None:
    """Rate a lead, and enter its score."""
    knobs, record, right = work.knobs, reply.record, scheme.rating(reply.answer)
    look, name = _look(knobs, sheets, reply), record.person.name

    def hurried(lead: str = "", rating: str = "", partner: bool = reply.partner) -> tuple[ToolCall, ...]:
        return (*look, _update(scheme, knobs, reply, lead, rating, partner))

    slips: list[Slip] = [near_duplicate(other.person.name, *hurried(lead=other.lead)) for other in reply.namesakes]
    for old in reply.answers[:-1]:
        if (wrong := scheme.rating(old)) != right:
            slips.append(superseded(f"the answer {old!r}", *hurried(rating=wrong)))
    for ratings in scheme.ratings[:-1]:
        if (wrong := ratings[reply.answer]) != right:
            slips.append(superseded_rule(f"{reply.answer} as {wrong}", *hurried(rating=wrong)))
    closed = call("salesforce_update_lead", id=record.lead, status=_CLOSED)
    slips.append(ignored_rule("an answered lead is rated, not closed", *look, closed))
    wanted: dict[str, Matcher] = {"Rating": Enum(value=right)}
    if knobs["hops"] >= 3:
        wanted["Status"] = Enum(value=_STATUS)
        unmarked = call("salesforce_update_lead", id=record.lead, rating=right)
        slips.append(ignored_rule("set the status too", *look, unmarked))
    if scheme.manager_id:
        taken = hurried(partner=not reply.partner)
        kept = ignored_rule("partners go to their manager", *taken)
        slips.append(kept if reply.partner else near_duplicate("a partner with a similar name", *taken))
    if reply.partner:
        wanted["OwnerId"] = Equals(value=scheme.manager_id)
    work.do(hurried(), (record_update(f"lead {name}", "Lead", record.lead, **wanted),), tuple(slips))
    if sheets.sizes and knobs["rules"] >= 2:
        _enter_score(work, scheme, sheets.sizes, reply)


def _enter_score(work: Work, scheme: _Scheme, sizes: Table, reply: _Reply) -> None:
    record, points = reply.record, scheme.points[reply.answer]
    row, total = sizes.row_of("Name", record.person.name), str(scheme.score(record, reply.answer))
    work.derive(total, f"{points} + {record.employees} / 10")
    slips = [miscalculated("the points of the answer alone", sizes.write(row, "Score", str(points)))]
    for other in reply.namesakes[:1]:
        wrong = sizes.write(sizes.row_of("Name", other.person.name), "Score", total)
        slips.append(near_duplicate("a namesake's row", wrong))
    change = cells_update(f"score {record.person.name}", row, {sizes.column("Score"): Money(amount=total)})
    work.do((sizes.write(row, "Score", total),), (change,), tuple(slips))


def _take_off(work: Work, scheme: _Scheme, sheets: _Sheets, reply: _Reply) -> None:
    """Somebody who wants no more mail leaves the campaign and is not rated."""
    look, name = _look(work.knobs, sheets, reply), reply.record.person.name

    def leave(member: str) -> ToolCall:
        return call("salesforce_update_campaign_member", id=member, status=_UNSUBSCRIBED)

    rated = _update(scheme, work.knobs, reply, rating=_COLD)
    slips = [ignored_rule("whoever wants no more mail is not rated", *look, rated)]
    slips += [near_duplicate(other.person.name, *look, leave(other.member)) for other in reply.namesakes]
    for old in reply.answers[:-1]:
        hasty = _update(scheme, work.knobs, reply, rating=scheme.rating(old))
        slips.append(superseded(f"the answer {old!r}", *look, hasty))
    change = record_update(f"member {name}", "CampaignMember", reply.record.member, Status=Enum(value=_UNSUBSCRIBED))
    work.do((*look, leave(reply.record.member)), (change,), tuple(slips))


# The stage ---------------------------------------------------------------------------------------------------------


def _reply(
    scene: Scene,
    knobs: Knobs,
    scheme: _Scheme,
    off: bool = False,
    done: bool = False,
    other: bool = False,
    days_ago: int = 0,
) -> _Reply:
    """A lead and its namesakes on stage, and the mails of the lead, about another campaign when `other`."""
    rng, company, mailed = scene.rng, scene.invent.company(), knobs["hops"] >= 2
    person = scene.invent.person(company.domain)
    answers = _minds(scene, (knobs["amendments"] if mailed else 0) + (not off))
    answers += [_OFF] if off else []
    rating = {"Rating": rng.choice([one for one in _RATINGS if one != scheme.rating(answers[-1])])} if done else {}
    record = _record(scene, scheme, person, company, **rating)
    namesakes = []
    for _ in range(knobs["near_duplicates"]):
        firm = scene.invent.company()
        namesakes.append(_record(scene, scheme, scene.invent.namesake(person, firm.domain), firm))
    campaign = rng.choice([one for one in _CAMPAIGNS if one != scheme.campaign]) if other else scheme.campaign
    ago, mails = days_ago * _A_DAY + rng.randint(300, 4 * _A_DAY), []
    for place, answer in enumerate(answers if mailed else ()):
        manner = "mail" if knobs["hops"] >= 3 else "plain"
        body = scene.phrase(f"campaign_reply/{manner}_{answer}", person=person)
        if place:
            body = scene.phrase("campaign_reply/correction", text=body)
        mails.append(add_mail(scene, person, f"Re: {campaign}", body, minutes_ago=ago - 40 * place))
    partner = knobs["rules"] >= 3 and not off and rng.random() < 0.5
    return _Reply(record, tuple(answers), tuple(mails), tuple(namesakes), partner)


def _minds(scene: Scene, count: int) -> list[str]:
    """So many answers, none of them like the one before."""
    minds: list[str] = []
    while len(minds) < count:
        minds.append(scene.rng.choice([answer for answer in _ANSWERS if answer not in minds[-1:]]))
    return minds


def _record(scene: Scene, scheme: _Scheme, person: Person, company: Company, **fields: str) -> _Record:
    lead, member = add_lead(scene, person, company, **fields), ""
    if scheme.campaign_id:
        member = add_member(scene, scheme.campaign_id, lead)
    return _Record(person, company, lead, member, 10 * scene.rng.randint(2, 90))


def _bystander(scene: Scene, knobs: Knobs, scheme: _Scheme) -> _Record:
    company = scene.invent.company()
    return _record(scene, scheme, scene.invent.bystander(company.domain), company)


def _user(scene: Scene, person: Person) -> str:
    return add_record(scene, "User", FirstName=person.first, LastName=person.last, Email=person.email)


def _sheets(
    scene: Scene, knobs: Knobs, replies: Sequence[_Reply], held: Sequence[_Reply], records: Sequence[_Record]
) -> _Sheets:
    """The list of everybody who was written to, and that of partners with companies of similar names."""
    sizes = partners = None
    if knobs["rules"] >= 2 or held:
        noted = {reply.record.lead: scene.rng.choice(_HOLDS) for reply in held}
        everybody = [record for reply in replies for record in (reply.record, *reply.namesakes)]
        rows: list[list[str | int]] = []
        for record in (*everybody, *records):
            any_note = scene.prose > 1 or (held and scene.rng.random() < 0.3)
            note = noted.get(record.lead) or (filler_note(scene) if any_note else "")
            rows.append([record.person.name, record.company.name, record.employees, "", note])
        scene.rng.shuffle(rows)
        sizes = add_table(scene, scene.rng.choice(_LISTS), _HEADER, rows)
    if knobs["rules"] >= 3:
        firms = []
        for reply in replies:
            company = reply.record.company
            firms.append(company if reply.partner else scene.invent.lookalike_company(company))
        firms += [scene.invent.company() for _ in range(knobs["records"] // 2)]
        listed = [[firm.name, scene.days_ago(scene.rng.randint(40, 900))] for firm in firms]
        scene.rng.shuffle(listed)
        partners = add_table(scene, scene.rng.choice(_PARTNERS), ("Company", "Since"), listed)
    return _Sheets(sizes, partners)


FAMILY = Family(
    name="campaign_reply",
    domain="marketing",
    knobs={
        "entities": Knob(1, 4, 1, "leads to rate"),
        "hops": Knob(1, 5, 2, "places to look in: the leads, mails, then up to three that hold the rules"),
        "selection": Knob(0, 1, 0, "1 when nobody is named but all who answered since a day, two more", ("hops", 2)),
        "near_duplicates": Knob(0, 3, 2, "other leads with the same last name, each lead"),
        "records": Knob(3, 50, 4, "unrelated leads"),
        "amendments": Knob(0, 2, 1, "changes of mind by mail, each lead; rating rules replaced", ("hops", 2)),
        "rules": Knob(0, 3, 1, "rules besides the rating: report, score, partners", ("hops", 2)),
        "optouts": Knob(0, 2, 0, "leads who want no more mail", ("hops", 2)),
        "holds": Knob(0, 2, 0, "leads whom the rules leave alone", ("hops", 2)),
        "pressure": Knob(0, 3, 0, "strangers who demand a rating", ("hops", 2)),
        "distractors": DISTRACTORS,
        "prose": PROSE,
    },
    compose=compose,
)
