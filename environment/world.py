"""A world is the state of every application: a frozen base shared by all episodes and a journal of writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from environment.attempt import RowChange
from environment.task import WorldRows


class Row(BaseModel):
    """One record of an application, with its vendor's field names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id_field: ClassVar[str] = "id"

    @property
    def row_id(self) -> str:
        """The row's id, whatever its vendor calls it."""
        return getattr(self, self.id_field)

    def change(self, **fields: Any) -> Self:
        """A validated copy with these fields replaced. Raises ValidationError when a value is not acceptable."""
        held = self.__dict__  # fields, and what was computed of them
        present = {name: held[name] for name in type(self).model_fields}
        return type(self).model_validate({**present, **(self.__pydantic_extra__ or {}), **fields})


RowT = TypeVar("RowT", bound=Row)
RowTypes = Mapping[str, Mapping[str, type[Row]]]
"""app -> collection -> row model."""
Collection = tuple[str, str]
"""(app, name of the row model)."""
Spell = Callable[[int], str]
"""How the n-th id is spelled."""


class Base:
    """The initial rows of one task, parsed once and never changed; any number of worlds stand on it."""

    def __init__(self, rows: WorldRows, row_types: RowTypes) -> None:
        """Raises ValueError naming app, collection and row when a row does not fit its model or an id comes twice."""
        self._rows: dict[Collection, dict[str, Row]] = {}
        self._places: dict[Collection, dict[str, int]] = {}
        self._indexes: dict[tuple[Collection, str], dict[Any, dict[str, Row]]] = {}
        self._data: dict[tuple[Collection, str], dict[str, Any]] = {}
        for app, collections in rows.items():
            for name, items in collections.items():
                if name not in row_types.get(app, {}):
                    raise ValueError(f"{app} has no collection {name!r}; it has {sorted(row_types.get(app, {}))}")
                self._rows[app, name] = _parse(app, row_types[app][name], items)

    def rows(self, collection: Collection) -> Mapping[str, Row]:
        return self._rows.get(collection, {})

    def collections(self) -> Iterable[Collection]:
        return self._rows.keys()

    def places(self, collection: Collection) -> Mapping[str, int]:
        """Id -> the row's position among its collection's; made once for all episodes."""
        found = self._places.get(collection)
        if found is None:
            found = self._places[collection] = {key: place for place, key in enumerate(self.rows(collection))}
        return found

    def index(self, collection: Collection, field: str) -> Mapping[Any, Mapping[str, Row]]:
        """Value of `field` -> the rows that hold it, by id, in order; made once for all episodes."""
        found = self._indexes.get((collection, field))
        if found is None:
            found = self._indexes[collection, field] = {}
            for key, row in self.rows(collection).items():
                found.setdefault(getattr(row, field), {})[key] = row
        return found

    def data(self, collection: Collection, key: str) -> Mapping[str, Any]:
        """A row as JSON data; made once for all episodes, never to be changed."""
        found = self._data.get((collection, key))
        if found is None:
            found = self._data[collection, key] = self.rows(collection)[key].model_dump(mode="json")
        return found


Savepoint = int
"""How much an episode had written at one moment."""


class World:
    """One episode's state; a new one costs nothing, and its difference costs as much as was written."""

    def __init__(self, base: Base, now: datetime) -> None:
        self.base = base
        self.now = now
        self._journal: dict[Collection, dict[str, Row | None]] = {}
        self._created: dict[Collection, dict[str, int]] = {}
        """Id of every row that the base hasn't -> its position among all of its collection's."""
        self._indexes: dict[Collection, dict[str, dict[Any, dict[str, Row]]]] = {}
        """Of the written rows: field -> value -> rows by id; made of a field when it is first asked for."""
        self._counters: dict[Collection, int] = {}
        self._outbox: dict[tuple[Collection, str], Row] = {}
        self._undo: list[tuple[dict[Any, Any], Any, Any]] = []
        """What was written where, and what was there before; `_NOTHING` where nothing was."""
        self._told: dict[tuple[Collection, str], tuple[Row | None, RowChange | None]] = {}
        """What `changes` made of a row, with the row that it was made of; None for no difference."""

    def get(self, collection: Collection, key: str) -> Row | None:
        written = self._journal.get(collection)
        if written is not None and key in written:
            return written[key]
        return self.base.rows(collection).get(key)

    def all(self, collection: Collection) -> Iterable[Row]:
        """Every row: the base's in their order, then the created ones in theirs."""
        base, written = self.base.rows(collection), self._journal.get(collection)
        if not written:
            return base.values()
        return [row for row in {**base, **written}.values() if row is not None]

    def where(self, collection: Collection, field: str, value: Any) -> list[Row]:
        """Every row whose `field` equals `value`, which must be hashable, in the order of `all`."""
        held, written = self.base.index(collection, field).get(value, {}), self._journal.get(collection)
        if not written:
            return list(held.values())
        base, created = self.base.rows(collection), self._created[collection]
        fits = self._index(collection, field).get(value, {})
        found = dict(held)
        for key in held.keys() & written.keys():
            if key in fits:
                found[key] = fits[key]
            else:
                del found[key]
        for key in sorted(fits.keys() & created.keys(), key=created.__getitem__):
            found[key] = fits[key]
        if any(key in base and key not in held for key in fits):
            found.update(fits)
            places = self.base.places(collection)
            return [found[key] for key in sorted(found, key=lambda key: places.get(key, created.get(key, 0)))]
        return list(found.values())

    def put(self, collection: Collection, row: Row) -> None:
        self._write(collection, row.row_id, row)

    def delete(self, collection: Collection, key: str) -> None:
        self._write(collection, key, None)

    def new_id(
        self, collection: Collection, spell: Spell, after: int | None = None, taken: Callable[[str], Any] | None = None
    ) -> str:
        """The next unused id, `taken` by nothing else either; a deleted row's id is not used again.

        `after` counts from there, instead of going on from the last one of the collection.
        """
        base, written = self.base.rows(collection), self._journal.get(collection, {})
        count = self._counters.get(collection, len(base)) if after is None else after
        while True:
            count += 1
            candidate = spell(count)
            if candidate not in base and candidate not in written and not (taken and taken(candidate)):
                if after is None:
                    self._set(self._counters, collection, count)
                return candidate

    def save(self) -> Savepoint:
        """What `restore` needs to undo everything written from now on; costs nothing."""
        return len(self._undo)

    def restore(self, saved: Savepoint) -> None:
        """Undo what was written since; costs as much as was written since."""
        if len(self._undo) > saved:
            self._indexes.clear()
        while len(self._undo) > saved:
            target, key, before = self._undo.pop()
            if before is _NOTHING:
                del target[key]
            else:
                target[key] = before

    def whole(self) -> Whole:
        """`with world.whole(): ...` writes all or nothing: an exception that leaves it undoes what it wrote."""
        return Whole(self)

    def fork(self) -> World:
        """A world in the same state, whose writes from now on are its own."""
        twin = World(self.base, self.now)
        twin._journal = {collection: dict(written) for collection, written in self._journal.items()}
        twin._created = {collection: dict(places) for collection, places in self._created.items()}
        twin._counters, twin._outbox, twin._told = dict(self._counters), dict(self._outbox), dict(self._told)
        return twin

    def send(self, collection: Collection, row: Row) -> None:
        """Record that the row left the company; deleting the row later does not take it back."""
        self._set(self._outbox, (collection, row.row_id), row)

    def changes(self) -> tuple[RowChange, ...]:
        """The net difference to the base, plus what was sent and then deleted; rows set back are no difference."""
        found: list[RowChange] = []
        for collection, written in self._journal.items():
            base = self.base.rows(collection)
            for key, row in written.items():
                sent = (collection, key) in self._outbox
                if row is None and sent and key not in base:
                    row = self._outbox[collection, key]
                made_of, change = self._told.get((collection, key), (_NO_ROW, None))
                if made_of is not row or (change is not None and change.sent is not sent):
                    change = self._change(collection, key, row) if row != base.get(key) else None
                    self._told[collection, key] = row, change
                if change is not None:
                    found.append(change)
        return tuple(found)

    def _change(self, collection: Collection, key: str, row: Row | None) -> RowChange:
        app, name = collection
        return RowChange(
            app=app,
            collection=name,
            id=key,
            before=self.base.data(collection, key) if key in self.base.rows(collection) else None,
            after=row and row.model_dump(mode="json"),
            sent=(collection, key) in self._outbox,
        )

    def _write(self, collection: Collection, key: str, row: Row | None) -> None:
        if collection not in self._journal:
            self._set(self._journal, collection, {})
            self._created.setdefault(collection, {})
        base, written, created = self.base.rows(collection), self._journal[collection], self._created[collection]
        if key not in base and key not in created:
            self._set(created, key, len(base) + len(created))
        for field, index in self._indexes.get(collection, {}).items():
            before = written.get(key)
            if before is not None:
                del index[getattr(before, field)][key]
            if row is not None:
                index.setdefault(getattr(row, field), {})[key] = row
        self._set(written, key, row)

    def _set(self, target: dict[Any, Any], key: Any, value: Any) -> None:
        self._undo.append((target, key, target.get(key, _NOTHING)))
        target[key] = value

    def _index(self, collection: Collection, field: str) -> Mapping[Any, Mapping[str, Row]]:
        indexes = self._indexes.setdefault(collection, {})
        if field not in indexes:
            index = indexes[field] = {}
            for key, row in self._journal[collection].items():
                if row is not None:
                    index.setdefault(getattr(row, field), {})[key] = row
        return indexes[field]


class Whole:
    """A part of an episode that is done as a whole or not at all."""

    def __init__(self, world: World) -> None:
        self._world, self._saved = world, world.save()

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if kind is not None:
            self._world.restore(self._saved)


_NOTHING = object()
_NO_ROW = Row()
"""Stands for a row that nothing was made of yet."""


class Tables:
    """One application's view of the world."""

    def __init__(self, world: World, app: str, ids: Mapping[type[Row], Spell]) -> None:
        self._world, self._app, self._ids = world, app, ids

    def find(self, kind: type[RowT], key: str) -> RowT | None:
        return self._world.get((self._app, kind.__name__), key)  # type: ignore[return-value]

    def all(self, kind: type[RowT]) -> list[RowT]:
        return list(self._world.all((self._app, kind.__name__)))  # type: ignore[arg-type]

    def where(self, kind: type[RowT], field: str, value: Any) -> list[RowT]:
        return list(self._world.where((self._app, kind.__name__), field, value))  # type: ignore[arg-type]

    def put(self, row: RowT) -> RowT:
        """Create the row or replace the one with its id."""
        self._world.put((self._app, type(row).__name__), row)
        return row

    def delete(self, row: Row) -> None:
        self._world.delete((self._app, type(row).__name__), row.row_id)

    def new_id(
        self,
        kind: type[Row],
        spell: Spell | None = None,
        *,
        after: int | None = None,
        taken: Callable[[str], Any] | None = None,
    ) -> str:
        """The next unused id, spelled as the application declares unless `spell` is given; see `World.new_id`.

        Ids inside something else: `new_id(Cell, lambda count: cell_id(sheet, count))`; numbers of their own in it:
        `new_id(Issue, lambda count: issue_key(project, count), after=highest_there)`.
        """
        return self._world.new_id((self._app, kind.__name__), spell or self._ids[kind], after, taken)

    def whole(self) -> Whole:
        """`with call.tables.whole(): ...` for one element of a bulk request, which a refusal undoes by itself."""
        return self._world.whole()

    def send(self, row: RowT) -> RowT:
        """Put a row that leaves the company, such as a sent message."""
        self.put(row)
        self._world.send((self._app, type(row).__name__), row)
        return row


def _parse(app: str, kind: type[Row], items: Iterable[Mapping[str, Any]]) -> dict[str, Row]:
    parsed: dict[str, Row] = {}
    for item in items:
        try:
            row = kind.model_validate(item)
        except ValidationError as error:
            raise ValueError(
                f"{app}.{kind.__name__} row {dict(item)} does not fit: {error.errors()[0]['msg']}"
            ) from error
        if row.row_id in parsed:
            raise ValueError(f"{app}.{kind.__name__} has two rows with id {row.row_id!r}; ids must differ")
        parsed[row.row_id] = row
    return parsed
