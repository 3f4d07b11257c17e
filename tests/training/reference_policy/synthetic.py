"""Made-up transcripts: look up a contact among near-duplicates, then change a field or log a payment."""

import json
import random

FIRST = "Ann Ben Cara Dan Eva Finn Gina Hugo Iris Jack Kara Liam Mona Noah Olga Paul Rosa Sean Tara Vera".split()
LAST = "Lee Kim Ortiz Novak Weber Silva Moore Singh Rossi Haas Berg Costa Dunn Ellis Frey Grant Holt Ivers".split()
CITIES = "Lisbon Oslo Porto Berlin Madrid Vienna Dublin Prague".split()


def _tool(name: str, description: str, **properties: str) -> dict:
    parameters = {
        "type": "object",
        "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
        "required": list(properties),
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    _tool("find_contacts", "List the contacts whose last name matches.", last_name="Last name to look for."),
    _tool("update_contact", "Change a contact's phone number.", id="Contact id.", phone="New phone number."),
    _tool("log_payment", "Record a payment by a contact.", id="Contact id.", amount="Amount in euros."),
]
SYSTEM = "You are the assistant of a small sales team. Look records up before you change them."


def make_transcript(rng: random.Random) -> dict:
    """One two-call episode in the imitation program's input format."""
    last = rng.choice(LAST)
    people = rng.sample([(first, city) for first in FIRST for city in CITIES], rng.randint(3, 8))
    people.append((people[0][0], rng.choice([city for city in CITIES if city != people[0][1]])))
    people = list(dict.fromkeys(people))
    rng.shuffle(people)
    numbers = rng.sample(range(1000), len(people))
    rows = [
        {"id": f"CON-{number:03d}", "name": f"{first} {last}", "city": city, "phone": _phone(rng)}
        for number, (first, city) in zip(numbers, people, strict=True)
    ]
    row = rng.choice(rows)
    family = rng.choice(["phone", "payment"])
    if family == "phone":
        value = _phone(rng)
        ask = rng.choice(["{n} in {c} has a new phone number: {v}.", "Please change the phone of {n} from {c} to {v}."])
        call = _call("update_contact", id=row["id"], phone=value)
    else:
        value = f"{rng.randint(10, 999)}.{rng.randint(0, 99):02d}"
        ask = rng.choice(["{n} from {c} paid {v} euros, log it.", "Log a payment of {v} euros by {n} in {c}."])
        call = _call("log_payment", id=row["id"], amount=value)
    return {
        "tools": TOOLS,
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": ask.format(n=row["name"], c=row["city"], v=value)},
            {"role": "assistant", "content": None, "tool_calls": [_call("find_contacts", last_name=last)]},
            {"role": "tool", "content": json.dumps(rows)},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": '{"ok": true}'},
            {"role": "assistant", "content": "Done."},
        ],
        "family": family,
        "care": "careful",
    }


def _phone(rng: random.Random) -> str:
    return f"555-{rng.randint(0, 999):03d}-{rng.randint(0, 999):03d}"


def _call(name: str, **arguments: str) -> dict:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
