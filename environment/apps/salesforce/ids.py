"""A Salesforce record id: three characters of key prefix, twelve of count, three of checksum over upper case."""

from __future__ import annotations

import re

KEY_PREFIXES = {
    "Account": "001",
    "Note": "002",
    "Contact": "003",
    "User": "005",
    "Opportunity": "006",
    "Lead": "00Q",
    "Task": "00T",
    "Event": "00U",
    "CustomField": "00N",
    "CampaignMember": "00v",
    "CampaignMemberStatus": "01Y",
    "Case": "500",
    "Campaign": "701",
}
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
_FORM = re.compile(r"[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?", re.ASCII)


def spell_id(kind: str, count: int) -> str:
    """The 18-character id of the `count`-th record of this kind: `spell_id("Contact", 417)` is 003000000000417AAA."""
    return _with_checksum(f"{KEY_PREFIXES[kind]}{count:012d}")


def account_id(count: int) -> str:
    return spell_id("Account", count)


def contact_id(count: int) -> str:
    return spell_id("Contact", count)


def lead_id(count: int) -> str:
    return spell_id("Lead", count)


def opportunity_id(count: int) -> str:
    return spell_id("Opportunity", count)


def case_id(count: int) -> str:
    return spell_id("Case", count)


def task_id(count: int) -> str:
    return spell_id("Task", count)


def event_id(count: int) -> str:
    return spell_id("Event", count)


def note_id(count: int) -> str:
    return spell_id("Note", count)


def campaign_id(count: int) -> str:
    return spell_id("Campaign", count)


def campaign_member_id(count: int) -> str:
    return spell_id("CampaignMember", count)


def user_id(count: int) -> str:
    return spell_id("User", count)


def read_id(text: str) -> str | None:
    """The 18-character form of a 15- or 18-character id, the latter in any case; None when it is neither."""
    if not _FORM.fullmatch(text):
        return None
    if len(text) == 15 or _with_checksum(text[:15]) == text:
        return _with_checksum(text[:15])
    places = [_ALPHABET.find(letter) for letter in text[15:].upper()]
    if min(places) < 0:
        return None
    letters = [
        letter.upper() if places[at // 5] >> at % 5 & 1 else letter.lower() for at, letter in enumerate(text[:15])
    ]
    restored = _with_checksum("".join(letters))
    return restored if restored[15:] == text[15:].upper() else None


def kind_of(record_id: str) -> str | None:
    """Name of the object whose key prefix the id starts with."""
    return _KINDS.get(record_id[:3])


_KINDS = {prefix: kind for kind, prefix in KEY_PREFIXES.items()}


def _with_checksum(text: str) -> str:
    chunks = (text[start : start + 5] for start in (0, 5, 10))
    bits = (sum(1 << place for place, letter in enumerate(chunk) if letter.isupper()) for chunk in chunks)
    return text + "".join(_ALPHABET[value] for value in bits)
