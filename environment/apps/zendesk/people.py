"""People are users, the organizations they belong to, and the groups that agents work in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from environment.apps.crud import change, crud, find, new
from environment.apps.kit import AppError, Args, Call, Route
from environment.apps.zendesk.rows import AGENTS, Group, GroupMembership, Organization, Ticket, User
from environment.apps.zendesk.style import STYLE, PageArgs, bad_attribute, invalid, list_body
from environment.apps.zendesk.views import group_view, organization_view, record_view, user_view
from environment.query.zendesk_search import word_line

USER_FIELDS = (
    *("name", "email", "role", "organization_id", "default_group_id", "phone", "alias", "details", "notes"),
    *("external_id", "time_zone", "tags", "verified", "suspended"),
)
_ORGANIZATION_FIELDS = (
    *("name", "domain_names", "details", "notes", "group_id", "shared_tickets", "shared_comments", "external_id"),
    "tags",
)


def acting_user(call: Call) -> User:
    """The agent on whose behalf the API is called. Raises AppError 401 when the account has no agent."""
    for user in call.tables.where(User, "email", call.actor.get("email", "").lower()):
        return user
    for user in call.tables.all(User):
        if user.role in AGENTS and user.active:
            return user
    raise AppError(401, "Couldn't authenticate you", "Couldn't authenticate you")


def group_of(call: Call, user_id: str) -> str | None:
    """The group that an agent's tickets go to: the default one, else the first."""
    memberships = call.tables.where(GroupMembership, "user_id", user_id)
    ids = [membership.group_id for membership in memberships if membership.default]
    return next(iter([*ids, *(membership.group_id for membership in memberships)]), None)


def is_member(call: Call, user_id: str, group_id: str) -> bool:
    return any(row.group_id == group_id for row in call.tables.where(GroupMembership, "user_id", user_id))


def put_requester(call: Call, name: str | None, email: str) -> User:
    """The user with this address, made as a customer when there is none."""
    for user in call.tables.where(User, "email", email.strip().lower()):
        return user
    if not (name or "").strip():
        raise invalid("requester", "Requester Name: is too short (minimum is 1 characters)", "BlankValue")
    user = new(call, STYLE, User, {"name": name, "email": email, "verified": False})
    return call.tables.put(_user_rule(call, None, user))


def _user_rule(call: Call, before: User | None, user: User) -> User:
    """No address twice, references that exist, and membership of the organization that the address tells."""
    if user.email and (before is None or user.email != before.email):
        for other in call.tables.where(User, "email", user.email):
            if other.id != user.id:
                sentence = f"Email: {user.email} is already being used by another user"
                raise invalid("email", sentence, "DuplicateValue")
        if user.organization_id is None and before is None:
            domain = user.email.rpartition("@")[2]
            for organization in call.tables.all(Organization):
                if domain in organization.domain_names:
                    user = user.change(organization_id=organization.id)
                    break
    check_reference(call, Organization, "organization_id", user.organization_id)
    check_reference(call, Group, "default_group_id", user.default_group_id)
    return user


def _organization_rule(call: Call, before: Organization | None, organization: Organization) -> Organization:
    name = organization.name.casefold()
    if before is None or name != before.name.casefold():
        for other in call.tables.all(Organization):
            if other.id != organization.id and other.name.casefold() == name:
                raise invalid("name", "Name: has already been taken", "DuplicateValue")
    check_reference(call, Group, "group_id", organization.group_id)
    return organization


def _membership_rule(call: Call, before: None, membership: GroupMembership) -> GroupMembership:
    """Agents only, no membership twice, and one default group an agent."""
    check_reference(call, User, "user_id", membership.user_id)
    check_reference(call, Group, "group_id", membership.group_id)
    user = find(call, STYLE, User, membership.user_id, "user")
    if user.role not in AGENTS:
        raise invalid("user", "User: must be an agent")
    if is_member(call, user.id, membership.group_id):
        raise invalid("user_id", "User: has already been taken", "DuplicateValue")
    others = call.tables.where(GroupMembership, "user_id", user.id)
    if membership.default or not others:
        for other in others:
            call.tables.put(other.change(default=False))
        membership = membership.change(default=True)
    return membership


def check_reference(call: Call, kind: type[Any], field: str, key: str | None) -> None:
    """Raises the refusal of a record when `key` names none of `kind`."""
    if key is not None and call.tables.find(kind, key) is None:
        label = field.removesuffix("_id").replace("_", " ").capitalize()
        raise invalid(field, f"{label}: {key[:40]} does not exist", "RecordNotFound")


_OF_ORGANIZATION = "/organizations/{organization_id}/users"


class OneUser(Args):
    id: str = Field(description="User id")


class Nothing(Args):
    """Nothing to say."""


class SearchUsers(PageArgs):
    query: str | None = Field(None, description="Name or address")
    external_id: str | None = Field(None, description="External id")


class SearchOrganizations(PageArgs):
    name: str | None = Field(None, description="Whole name")
    external_id: str | None = Field(None, description="External id")


class ManyUsers(Args):
    ids: str = Field(description="Ids, comma separated")


class OfOrganization(PageArgs):
    organization_id: str = Field(description="Organization id")


class OfGroup(PageArgs):
    group_id: str = Field(description="Group id")


class OfUser(PageArgs):
    user_id: str = Field(description="User id")


def show_me(call: Call, args: Nothing) -> dict[str, Any]:
    """Get the user that the API is called for."""
    return {"user": user_view(call, acting_user(call))}


def delete_user(call: Call, args: OneUser) -> dict[str, Any]:
    """Delete a user, who stays as an inactive one."""
    user = find(call, STYLE, User, args.id, "user")
    if any(ticket.status != "closed" for ticket in call.tables.where(Ticket, "requester_id", user.id)):
        raise invalid("base", "User: is requester on tickets that are not closed")
    return {"user": user_view(call, call.tables.put(change(call, STYLE, user, {"active": False})))}


def search_users(call: Call, args: SearchUsers) -> dict[str, Any]:
    """Find users by their whole address, or by words of their name, notes or tags."""
    if args.external_id is not None:
        users = call.tables.where(User, "external_id", args.external_id)
    else:
        wanted = word_line(args.query or "").split()
        users = call.tables.where(User, "email", (args.query or "").strip().lower())
        users = users or [user for user in call.tables.all(User) if _begins(user.words, wanted)]
    users = [user for user in users if user.active]
    return list_body(call, users, lambda user: user_view(call, user), "users", "/users/search", args)


def show_many_users(call: Call, args: ManyUsers) -> dict[str, Any]:
    """Get several users at once."""
    users = [call.tables.find(User, key) for key in dict.fromkeys(split_ids(args.ids))]
    found = [user_view(call, user) for user in users if user]
    return {"users": found, "next_page": None, "previous_page": None, "count": len(found)}


def search_organizations(call: Call, args: SearchOrganizations) -> dict[str, Any]:
    """Find organizations by their whole name or external id."""
    if args.external_id is not None:
        rows = call.tables.where(Organization, "external_id", args.external_id)
    else:
        name = (args.name or "").strip().casefold()
        rows = [row for row in call.tables.all(Organization) if name in ("", row.name.casefold())]
    return list_body(
        call, rows, lambda row: organization_view(call, row), "organizations", "/organizations/search", args
    )


def list_organization_users(call: Call, args: OfOrganization) -> dict[str, Any]:
    """List an organization's users."""
    organization = find(call, STYLE, Organization, args.organization_id, "organization")
    users = [user for user in call.tables.where(User, "organization_id", organization.id) if user.active]
    return list_body(call, users, lambda user: user_view(call, user), "users", _OF_ORGANIZATION, args)


def list_group_users(call: Call, args: OfGroup) -> dict[str, Any]:
    """List a group's agents."""
    group = find(call, STYLE, Group, args.group_id, "group")
    keys = [membership.user_id for membership in call.tables.where(GroupMembership, "group_id", group.id)]
    users = [user for key in keys if (user := call.tables.find(User, key)) and user.active]
    return list_body(call, users, lambda user: user_view(call, user), "users", "/groups/{group_id}/users", args)


def list_user_groups(call: Call, args: OfUser) -> dict[str, Any]:
    """List an agent's groups."""
    user = find(call, STYLE, User, args.user_id, "user")
    keys = [membership.group_id for membership in call.tables.where(GroupMembership, "user_id", user.id)]
    groups = [group for key in keys if (group := call.tables.find(Group, key))]
    return list_body(call, groups, lambda group: group_view(call, group), "groups", "/users/{user_id}/groups", args)


def split_ids(ids: str) -> list[str]:
    """Ids of a comma separated list. Raises AppError when one is no number or there are more than 100."""
    keys = [key.strip() for key in ids.split(",") if key.strip()]
    if not keys or len(keys) > 100 or not all(key.isascii() and key.isdigit() for key in keys):
        raise bad_attribute("ids must be 1 to 100 integers, comma separated")
    return keys


def _begins(words: str, wanted: Sequence[str]) -> bool:
    return all(f" {part}" in words for part in wanted)


def _route(name: str, path: str, args: type[Args], handler: Any, **more: Any) -> Route:
    return Route(name, "GET", path, "read", args, handler, as_action=False, **more)


ROUTES = (
    _route("show_me", "/users/me", Nothing, show_me),
    _route("search_users", "/users/search", SearchUsers, search_users, keywords="find customer agent email name"),
    _route("show_many_users", "/users/show_many", ManyUsers, show_many_users),
    Route("delete_user", "DELETE", "/users/{id}", "write", OneUser, delete_user, as_action=False),
    *crud(
        User,
        STYLE,
        *("list", "get", "create", "update"),
        writable=USER_FIELDS,
        required=("name",),
        filters=("role", "external_id"),
        rule=_user_rule,
        show=user_view,
    ),
    _route("list_user_groups", "/users/{user_id}/groups", OfUser, list_user_groups),
    _route("search_organizations", "/organizations/search", SearchOrganizations, search_organizations),
    _route("list_organization_users", _OF_ORGANIZATION, OfOrganization, list_organization_users),
    *crud(
        Organization,
        STYLE,
        *("list", "get", "create", "update", "delete"),
        writable=_ORGANIZATION_FIELDS,
        required=("name",),
        rule=_organization_rule,
        show=organization_view,
    ),
    *crud(
        Group,
        STYLE,
        *("list", "get", "create", "update", "delete"),
        writable=("name", "description", "is_public"),
        required=("name",),
        show=group_view,
    ),
    _route("list_group_users", "/groups/{group_id}/users", OfGroup, list_group_users),
    *crud(
        GroupMembership,
        STYLE,
        *("list", "get", "create", "delete"),
        writable=("user_id", "group_id", "default"),
        required=("user_id", "group_id"),
        rule=_membership_rule,
        show=lambda call, row: record_view(call, row, "group_membership"),
        filters=("user_id", "group_id"),
    ),
)
