"""Campaign reply: leads answered a campaign mail and are to be rated by a rule, which may have been replaced."""

from __future__ import annotations

from environment.contract import Enum, Matcher
from environment.task import ToolCall
from generators.business import Company, Person
from generators.expectations import READING, record_update
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined
from generators.plan import Calls, Slip, Step, ignored_rule, near_duplicate, superseded, tell
from generators.staging.gmail import add_mail
from generators.staging.noise import add_chatter, add_unrelated_mail
from generators.staging.salesforce import add_lead
from generators.staging.slack import add_channel, add_post, add_user

_CHANNELS = ("campaigns", "marketing", "leads")
_ANSWERS = ("interested", "later", "declined")
_RULES = (
    {"interested": "Hot", "later": "Warm", "declined": "Cold"},
    {"interested": "Hot", "later": "Cold", "declined": "Cold"},
    {"interested": "Warm", "later": "Warm", "declined": "Cold"},
    {"interested": "Warm", "later": "Cold", "declined": "Cold"},
)
_STATUS = "Working - Contacted"

Rule = dict[str, str]


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Each lead has sent one answer; from two hops on the rule is posted in a channel, after those it replaced."""
    rules = scene.rng.sample(_RULES, knobs["amendments"] + 1)
    referred = knobs["hops"] >= 2
    channel_name = scene.rng.choice(_CHANNELS)
    prompts, steps = [], []
    for place in range(knobs["entities"]):
        company = scene.invent.company()
        person = scene.invent.person(company.domain)
        told = {"person": person, "channel": channel_name, **_spelled(rules[-1])}
        template = "prompt_referred" if referred else "prompt_ruled"
        prompts.append(scene.phrase(f"campaign_reply/{template}", **told))
        steps.append(_rate(scene, knobs, person, company, rules, channel_name, place))
    if referred:
        _post_rules(scene, channel_name, rules, knobs["distractors"])
    for _ in range(knobs["records"]):
        company = scene.invent.company()
        add_lead(scene, scene.invent.bystander(company.domain), company)
    scene.shuffle("salesforce", "Lead")
    add_unrelated_mail(scene, knobs["distractors"])
    scene.shuffle("gmail", "Message")
    if knobs["rules"]:
        prompts.append(scene.phrase("campaign_reply/status_rule"))
    actions = (
        *(("slack_read_channel",) if referred else ()),
        *("gmail_search_emails", "salesforce_find_leads", "salesforce_update_lead"),
    )
    return tell(joined(prompts), steps, actions, allowed=(READING,))


def _rate(
    scene: Scene, knobs: Knobs, person: Person, company: Company, rules: list[Rule], channel_name: str, place: int
) -> Step:
    lead = add_lead(scene, person, company)
    answer = scene.rng.choice(_ANSWERS)
    body = scene.phrase(f"campaign_reply/mail_{answer}", person=person)
    add_mail(scene, person, "Re: Our new range", body, minutes_ago=scene.rng.randint(60, 600))
    look: Calls = (call("gmail_search_emails", query=f"from:{person.last}"),)
    if knobs["hops"] >= 2:
        look = (_read_rules(channel_name, knobs["distractors"]), *look)
    find = call("salesforce_find_leads", name=person.last)
    status = _STATUS if knobs["rules"] else None
    right = rules[-1][answer]
    slips: list[Slip] = []
    for _ in range(knobs["near_duplicates"]):
        other = scene.invent.company()
        namesake = scene.invent.namesake(person, other.domain)
        wrong = add_lead(scene, namesake, other)
        slips.append(near_duplicate(namesake.name, *look, find, _set_rating(wrong, right, status)))
    for rule in rules[:-1]:
        if rule[answer] != right:
            slips.append(superseded("an older rule", *look, find, _set_rating(lead, rule[answer], status)))
    if status:
        slips.append(ignored_rule("the status is to be set too", *look, find, _set_rating(lead, right, None)))
    guess = scene.rng.choice([rating for rating in ("Hot", "Warm", "Cold") if rating != right])
    slips.append(ignored_rule("the rating follows from the answer", find, _set_rating(lead, guess, status)))
    wanted: dict[str, Matcher] = {"Rating": Enum(value=right)}
    if status:
        wanted["Status"] = Enum(value=status)
    change = record_update(f"lead {place}", "Lead", lead, **wanted)
    return Step((*look, find, _set_rating(lead, right, status)), (change,), tuple(slips))


def _post_rules(scene: Scene, channel_name: str, rules: list[Rule], distractors: int) -> None:
    channel = add_channel(scene, channel_name)
    author = add_user(scene, scene.invent.person(scene.business.company.domain))
    for place, rule in enumerate(rules):
        post = scene.phrase(f"campaign_reply/{'new_rule' if place else 'rule'}", **_spelled(rule))
        add_post(scene, channel, author, post, minutes_ago=9_000 - 2_000 * place)
    add_chatter(scene, channel, author, distractors)


def _read_rules(channel_name: str, distractors: int) -> ToolCall:
    """The call that reads back to the first rule, which small talk may have pushed off the first page."""
    if distractors <= 10:
        return call("slack_read_channel", channel=channel_name)
    return call("slack_read_channel", channel=channel_name, limit=50)


def _spelled(rule: Rule) -> Rule:
    return {"yes": rule["interested"], "later": rule["later"], "no": rule["declined"]}


def _set_rating(lead: str, rating: str, status: str | None) -> ToolCall:
    if status is None:
        return call("salesforce_update_lead", id=lead, rating=rating)
    return call("salesforce_update_lead", id=lead, status=status, rating=rating)


FAMILY = Family(
    name="campaign_reply",
    domain="marketing",
    knobs={
        "entities": Knob(1, 4, 1, "leads that answered"),
        "hops": Knob(1, 2, 2, "places to look in before the lead can be rated"),
        "near_duplicates": Knob(0, 5, 2, "other leads with the same last name, each lead"),
        "records": Knob(2, 60, 4, "unrelated leads"),
        "amendments": Knob(0, 3, 1, "rules that replaced an earlier one", ("hops", 2)),
        "rules": Knob(0, 1, 1, "rules besides the rating: set the status too"),
        "distractors": Knob(0, 25, 1, "unrelated mails and posts"),
    },
    compose=compose,
)
