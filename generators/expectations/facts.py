"""Facts are what a message has to state, each in any accepted spelling."""

from __future__ import annotations

from environment.contract import Fact


def text(*spellings: str) -> Fact:
    """A fact in words, in any of these spellings."""
    return Fact(spellings=spellings)


def amount(value: str) -> Fact:
    """An amount of money, such as "930.00" or "GBP 930.00"."""
    return Fact(read_as="money", spellings=(value,))


def phone(number: str) -> Fact:
    """A telephone number."""
    return Fact(read_as="phone", spellings=(number,))


def day(iso: str) -> Fact:
    """A calendar day."""
    return Fact(read_as="date", spellings=(iso,))
