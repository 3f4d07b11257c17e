"""Callback number: contacts have new telephone numbers, told in the request or in mails that may be corrected."""

from __future__ import annotations

from environment.contract import Phone
from environment.task import ToolCall
from generators.business import Person
from generators.expectations import READING, phone, record_update, slack_post, text
from generators.family import Family, Knob, Knobs, Scene, Story, call
from generators.phrasing import joined, one_post_each
from generators.plan import Slip, Step, near_duplicate, superseded, tell
from generators.staging.gmail import add_mail
from generators.staging.noise import add_unrelated_mail
from generators.staging.salesforce import add_contact
from generators.staging.slack import add_channel

_CHANNELS = ("contacts", "desk", "customers")


def compose(scene: Scene, knobs: Knobs) -> Story:
    """Everybody named has a contact with look-alikes; from two hops on the number stands in a mail."""
    mailed = knobs["hops"] >= 2
    channel_name = scene.rng.choice(_CHANNELS)
    channel = add_channel(scene, channel_name) if knobs["rules"] else None
    prompts: list[str] = []
    steps: list[Step] = []
    for place in range(knobs["entities"]):
        person = scene.invent.person(scene.invent.company().domain)
        number = scene.invent.phone()
        step = _update(scene, knobs, person, number, place)
        steps.append(step)
        template = "prompt_mailed" if mailed else "prompt_told"
        prompts.append(scene.phrase(f"callback_number/{template}", person=person, phone=number))
        if channel:
            post = scene.phrase("callback_number/log_post", person=person, phone=number)
            change = slack_post(f"post {place}", channel, (text(person.name), phone(number)))
            steps.append(Step((call("slack_post_message", channel=channel_name, text=post),), (change,)))
    _add_bystanders(scene, knobs["records"])
    if mailed:
        add_unrelated_mail(scene, knobs["distractors"])
        scene.shuffle("gmail", "Message")
    if channel:
        prompts.append(scene.phrase("callback_number/log_rule", channel=channel_name))
        prompts.extend(one_post_each(knobs["entities"]))
    actions = (
        *(("gmail_search_emails",) if mailed else ()),
        *("salesforce_find_contacts", "salesforce_update_contact"),
        *(("slack_post_message",) if channel else ()),
    )
    return tell(joined(prompts), steps, actions, allowed=(READING,) if mailed else ())


def _update(scene: Scene, knobs: Knobs, person: Person, number: str, place: int) -> Step:
    contact = add_contact(scene, person)
    find = call("salesforce_find_contacts", name=person.last)
    look: tuple[ToolCall, ...] = ()
    slips: list[Slip] = []
    for _ in range(knobs["near_duplicates"]):
        namesake = scene.invent.namesake(person, scene.invent.company().domain)
        wrong = add_contact(scene, namesake)
        slips.append(near_duplicate(namesake.name, find, _set_phone(wrong, number)))
    if knobs["hops"] >= 2:
        look = (call("gmail_search_emails", query=f"from:{person.last}"),)
        for old in _mails(scene, knobs["amendments"], person, number):
            slips.append(superseded(old, *look, find, _set_phone(contact, old)))
    if not slips:
        slips.append(Slip("not_done", "Reports success without the change.", (*look, find)))
    change = record_update(f"phone {place}", "Contact", contact, Phone=Phone(number=number))
    return Step((*look, find, _set_phone(contact, number)), (change,), tuple(slips))


def _mails(scene: Scene, amendments: int, person: Person, number: str) -> list[str]:
    """Put the mails on stage: a first number, then corrections, the last of them right. Returns the wrong numbers."""
    numbers = [*(scene.invent.phone() for _ in range(amendments)), number]
    ago = scene.rng.randint(300, 600)
    for place, told in enumerate(numbers):
        template = "mail_correction" if place else "mail_new"
        body = scene.phrase(f"callback_number/{template}", person=person, phone=told)
        add_mail(scene, person, "New number", body, minutes_ago=ago - 40 * place)
    return numbers[:-1]


def _add_bystanders(scene: Scene, count: int) -> None:
    for _ in range(count):
        add_contact(scene, scene.invent.bystander(scene.invent.company().domain))
    scene.shuffle("salesforce", "Contact")


def _set_phone(contact: str, number: str) -> ToolCall:
    return call("salesforce_update_contact", id=contact, phone=number)


FAMILY = Family(
    name="callback_number",
    domain="support",
    knobs={
        "entities": Knob(1, 4, 1, "people whose number has changed"),
        "hops": Knob(1, 2, 2, "places to look in before the contact can be changed"),
        "near_duplicates": Knob(0, 5, 2, "other contacts with the same last name, each person"),
        "records": Knob(2, 60, 5, "unrelated contacts"),
        "amendments": Knob(0, 3, 1, "mails that correct an earlier one, each person", ("hops", 2)),
        "rules": Knob(0, 1, 1, "rules besides the request: post each change"),
        "distractors": Knob(0, 25, 2, "unrelated mails", ("hops", 2)),
    },
    compose=compose,
)
