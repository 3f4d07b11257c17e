from generators.expectations.facts import amount, day, phone, text
from generators.expectations.gmail import READING, mail_to
from generators.expectations.google_sheets import cells_update, row_appended
from generators.expectations.salesforce import record_update
from generators.expectations.slack import slack_post

__all__ = [
    "READING",
    "amount",
    "cells_update",
    "day",
    "mail_to",
    "phone",
    "record_update",
    "row_appended",
    "slack_post",
    "text",
]
