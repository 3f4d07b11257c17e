"""Xero changes that contracts ask for."""

from __future__ import annotations

from environment.contract import Change, Enum, Equals, Matcher, Money, SetOf


def credit_note_created(label: str, contact: str, number: str, amount: str, currency: str, account: str) -> Change:
    """A supplier's credit note, authorised, with everything on one account."""
    return Change(
        label=label,
        app="xero",
        collection="CreditNote",
        action="create",
        key={"CreditNoteNumber": (Equals(value=number),)},
        fields={
            "ContactID": (Equals(value=contact),),
            "Total": (Money(amount=amount),),
            "CurrencyCode": (Equals(value=currency),),
            "Status": (Enum(value="AUTHORISED"),),
            "LineItems[*].AccountCode": (SetOf(members=(account,)),),
        },
    )


def credit_allocated(label: str, credit: Matcher, bill: str, amount: str) -> Change:
    """Credit of the note with this id, or `Ref` to the change that creates it, is set off against a bill."""
    return Change(
        label=label,
        app="xero",
        collection="Allocation",
        action="create",
        key={"CreditNoteID": (credit,), "InvoiceID": (Equals(value=bill),)},
        fields={"Amount": (Money(amount=amount),)},
    )


def document_update(label: str, collection: str, key: str, **fields: Matcher) -> Change:
    """A document's fields take these values; `collection` is Invoice, CreditNote, PurchaseOrder or Quote."""
    wanted = {name: (matcher,) for name, matcher in fields.items()}
    return Change(label=label, app="xero", collection=collection, action="update", id=key, fields=wanted)
