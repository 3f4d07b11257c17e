"""The guide to Zendesk's Support API."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

_TICKET = "{ticket: {id, subject, status, priority, requester_id, assignee_id, group_id, tags, custom_fields}}"
_TICKETS = "{tickets: [{id, subject, status, priority, requester_id, assignee_id}], next_page, count}"
_VALUES = "status: new, open, pending, hold, solved, closed; priority: low, normal, high, urgent"
_JOB = "{job_status: {status, results: [{id, success}]}}; done when it is answered"
_USER = "{user: {id, name, email, role, organization_id, phone, tags}}"
_USERS = "{users: [{id, name, email, role, organization_id}], next_page, count}"
_TAGS = "{tags}"
_ORGANIZATION = "{organization: {id, name, domain_names, tags}}"
_ORGANIZATIONS = "{organizations: [{id, name, domain_names}], next_page, count}"
_GROUP = "{group: {id, name}}"
_MEMBERSHIP = "{group_membership: {id, user_id, group_id}}"
_MACRO = "{macro: {id, title, actions: [{field, value}]}}"
_MACROS = "{macros: [{id, title, active, actions}], next_page, count}"
_FIELD = "{ticket_field: {id, title, type, custom_field_options}}"
_SOME_TAGS = {"tags": ["vip", "refund"]}

GUIDE = Guide(
    words="support helpdesk help desk",
    glossary={
        "ticket": "request case issue support customer",
        "user": "customer agent requester person client people",
        "organization": "company customer firm business",
        "group": "team department",
        "macro": "template canned reply saved",
        "comments": "conversation replies notes messages history thread",
        "merge": "duplicate combine join",
        "update_ticket": "reply answer comment note respond close solve reopen assign",
        "update_many": "several bulk once reply close assign",
        "tags": "label",
    },
    paging={
        "page": "next_page of the answer is the URL of the next page, null on the last; or page[size] and page[after]",
    },
    hints={
        "list_tickets": Hint(_TICKETS, {"sort_by": "created_at", "sort_order": "desc", "per_page": 50}),
        "show_many_tickets": Hint(_TICKETS, {"ids": "<ticket id>,<other ticket id>"}),
        "get_ticket": Hint(_TICKET),
        "list_requested_tickets": Hint(_TICKETS),
        "list_assigned_tickets": Hint(_TICKETS),
        "list_organization_tickets": Hint(_TICKETS),
        "create_ticket": Hint(
            f"{_TICKET}; {_VALUES}",
            body={
                "ticket": {
                    "subject": "Late refund",
                    "comment": {"body": "Where is my refund?"},
                    "requester": {"name": "Oren Haddad", "email": "oren@larkfield.example"},
                    "priority": "high",
                    "tags": ["refund"],
                }
            },
        ),
        "update_ticket": Hint(
            f"{_TICKET}; {_VALUES}; a comment with public false is an internal note",
            body={
                "ticket": {
                    "comment": {"body": "The refund was sent today.", "public": True},
                    "status": "solved",
                    "assignee_id": "<agent id>",
                }
            },
        ),
        "update_many_tickets": Hint(
            _JOB,
            {"ids": "<ticket id>,<other ticket id>"},
            {"ticket": {"priority": "low", "additional_tags": ["checked"], "assignee_id": "<agent id>"}},
        ),
        "delete_ticket": Hint("Nothing (204)"),
        "list_comments": Hint("{comments: [{id, author_id, body, public, created_at}], next_page, count}"),
        "merge_tickets": Hint(
            _JOB,
            body={
                "ids": ["<other ticket id>"],
                "target_comment": "Merged with the later request.",
                "source_comment": "Goes on in the earlier request.",
            },
        ),
        **{f"list_{noun}_tags": Hint(_TAGS) for noun in ("ticket", "user", "organization")},
        **{
            f"{verb}_{noun}_tags": Hint(_TAGS, body=_SOME_TAGS)
            for verb in ("add", "set")
            for noun in ("ticket", "user", "organization")
        },
        **{f"remove_{noun}_tags": Hint(_TAGS, {"tags": "refund"}) for noun in ("ticket", "user", "organization")},
        "search": Hint(
            "{results: [{result_type, id, ...}], next_page, count}",
            {"query": "type:ticket status:open tags:refund late", "sort_by": "created_at"},
        ),
        "count_search_results": Hint("{count}", {"query": "type:ticket status:open"}),
        "show_me": Hint(_USER),
        "search_users": Hint(_USERS, {"query": "oren@larkfield.example"}),
        "show_many_users": Hint(_USERS, {"ids": "<user id>,<agent id>"}),
        "list_users": Hint(_USERS, {"role": "agent"}),
        "get_user": Hint(_USER),
        "create_user": Hint(_USER, body={"user": {"name": "Ana Ruiz", "email": "ana@x.example", "role": "end-user"}}),
        "update_user": Hint(_USER, body={"user": {"phone": "555-0142", "notes": "Prefers to be called"}}),
        "delete_user": Hint(_USER),
        "list_user_groups": Hint("{groups: [{id, name}], next_page, count}"),
        "search_organizations": Hint(_ORGANIZATIONS, {"name": "Larkfield Optics"}),
        "list_organizations": Hint(_ORGANIZATIONS),
        "list_organization_users": Hint(_USERS),
        "get_organization": Hint(_ORGANIZATION),
        "create_organization": Hint(
            _ORGANIZATION, body={"organization": {"name": "Nimbus Ltd", "domain_names": ["nimbus.example"]}}
        ),
        "update_organization": Hint(_ORGANIZATION, body={"organization": {"notes": "Key customer"}}),
        "delete_organization": Hint("Nothing (204)"),
        "list_groups": Hint("{groups: [{id, name}], next_page, count}"),
        "get_group": Hint(_GROUP),
        "create_group": Hint(_GROUP, body={"group": {"name": "Billing"}}),
        "update_group": Hint(_GROUP, body={"group": {"name": "Billing and refunds"}}),
        "delete_group": Hint("Nothing (204)"),
        "list_group_users": Hint(_USERS),
        "list_group_memberships": Hint("{group_memberships: [{id, user_id, group_id}], next_page, count}"),
        "get_group_membership": Hint(_MEMBERSHIP),
        "create_group_membership": Hint(
            _MEMBERSHIP, body={"group_membership": {"user_id": "<agent id>", "group_id": "<new group id>"}}
        ),
        "delete_group_membership": Hint("Nothing (204)"),
        "list_active_macros": Hint(_MACROS),
        "search_macros": Hint(_MACROS, {"query": "returns"}),
        "list_macros": Hint(_MACROS),
        "get_macro": Hint(_MACRO),
        "create_macro": Hint(
            _MACRO, body={"macro": {"title": "Close", "actions": [{"field": "status", "value": "solved"}]}}
        ),
        "update_macro": Hint(_MACRO, body={"macro": {"active": False}}),
        "delete_macro": Hint("Nothing (204)"),
        "show_macro_changes": Hint("{result: {ticket}}; send its fields with update_ticket"),
        "show_ticket_after_macro": Hint("{result: {ticket}}; nothing is changed by it"),
        "list_ticket_fields": Hint("{ticket_fields: [{id, title, type, custom_field_options}], next_page, count}"),
        "get_ticket_field": Hint(_FIELD),
        "create_ticket_field": Hint(_FIELD, body={"ticket_field": {"title": "Order number", "type": "text"}}),
        "update_ticket_field": Hint(_FIELD, body={"ticket_field": {"title": "Order no."}}),
        "delete_ticket_field": Hint("Nothing (204)"),
    },
)
