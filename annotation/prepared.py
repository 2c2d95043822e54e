"""Statements that are written down once: what every request of an expert asks and stores.

The ORM takes longer to write a query down than a database to answer it, and PostgreSQL longer to
plan it. Here the ORM writes it down at the first use, PostgreSQL plans it once for each connection,
and only the values change after that.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import (
    BooleanField,
    ForeignKey,
    IntegerField,
    Model,
    QuerySet,
    TextField,
)
from django.db.models.query import get_related_populators

Row = TypeVar("Row", bound=Model)


class _Written(Generic[Row]):
    """One query as SQL for one kind of database, and how its rows become objects."""

    def __init__(self, queryset: QuerySet[Row], like: dict[str, int | str]) -> None:
        compiler = queryset.query.get_compiler(using=connection.alias)
        self.sql, params = compiler.as_sql()
        names = {value: name for name, value in like.items()}
        # The value itself, where it is none of those that change.
        self._params = [(names.get(value), value) for value in params]
        missing = set(like) - {name for name, _ in self._params}
        if missing:
            raise ValueError(f"The query does not ask for {', '.join(sorted(missing))}.")
        info, select = compiler.klass_info, compiler.select
        self._compiler = compiler
        self._converters = compiler.get_converters([column[0] for column in select])
        self._model: type[Row] = info["model"]
        fields = info["select_fields"]
        self._own = slice(fields[0], fields[-1] + 1)
        self._names = [column[0].target.attname for column in select[self._own]]
        # The stubs are those of a later Django.
        self._related = get_related_populators(info, select, connection.alias)  # type: ignore[call-arg]
        self._annotations = dict(compiler.annotation_col_map or {})

    def ask(self, values: dict[str, int | str]) -> list[Row]:
        params = [value if name is None else values[name] for name, value in self._params]
        rows: Any = execute(self.sql, params)[1]
        if self._converters:
            rows = map(tuple, self._compiler.apply_converters(rows, self._converters))
        return [self._made(row) for row in rows]

    def _made(self, row: tuple[Any, ...]) -> Row:
        made = self._model.from_db(connection.alias, self._names, row[self._own])
        for related in self._related:
            related.populate(row, made)
        for name, column in self._annotations.items():
            setattr(made, name, row[column])
        return made


class Prepared(Generic[Row]):
    """A query whose SQL is kept.

    Parameters
    ----------
    build : callable
        Makes the query from values, given by name.
    **like : int or str
        An example of each value, unlike any other in the query: where it stands in the SQL, the
        value is put later. Times and truths are no such values, since databases write them in
        different ways.
    """

    def __init__(self, build: Callable[..., QuerySet[Row]], **like: int | str) -> None:
        self._build = build
        self._like = like
        self._written: dict[str, _Written[Row]] = {}

    def all(self, **values: int | str) -> list[Row]:
        """Return the rows of the query for these values."""
        vendor = connection.vendor
        if vendor not in self._written:
            self._written[vendor] = _Written(self._build(**self._like), self._like)
        return self._written[vendor].ask(values)

    def first(self, **values: int | str) -> Row | None:
        """Return the first row for these values, or None."""
        return next(iter(self.all(**values)), None)


def execute(sql: str, params: Sequence[Any]) -> tuple[int, list[tuple[Any, ...]]]:
    """Run one statement. Return how many rows it touched, and those that it returns.

    The same text is planned once by each connection to PostgreSQL; no value may stand in it.
    """
    link = connections[DEFAULT_DB_ALIAS]
    if link.vendor != "postgresql" or link.queries_logged:
        with link.cursor() as cursor:
            cursor.execute(sql, params)
            return cursor.rowcount, cursor.fetchall() if cursor.description else []
    link.ensure_connection()
    # Django's own cursors write the values into the text, which makes every text another one.
    with link.wrap_database_errors, psycopg.RawCursor(link.connection) as server:
        server.execute(_numbered(sql), params, prepare=True)
        found = server.pgresult
        return server.rowcount, server.fetchall() if found is not None and found.nfields else []


@cache
def _numbered(sql: str) -> str:
    """Return the statement with its places numbered, as PostgreSQL knows them."""
    first, *rest = sql.split("%s")
    numbered = (f"${number}{part}" for number, part in enumerate(rest, start=1))
    return (first + "".join(numbered)).replace("%%", "%")


def insert(rows: Sequence[Model]) -> None:
    """Store new rows of one model in one statement; each is given its key.

    What the database refuses raises `django.db.IntegrityError`, as everywhere.
    """
    if not rows:
        return
    link = connections[DEFAULT_DB_ALIAS]
    model = type(rows[0])
    fields = _fields(model)
    params = [
        field.get_db_prep_save(field.pre_save(row, True), link)
        if field is not None
        else getattr(row, name)
        for row in rows
        for name, field in fields
    ]
    _, found = execute(_insert(model, len(rows), link.vendor), params)
    # Both PostgreSQL and SQLite return them in the order of the rows, as Django relies on, too.
    for row, (key,) in zip(rows, found, strict=True):
        row.pk = key
        row._state.adding = False
        row._state.db = link.alias


@cache
def _fields(model: type[Model]) -> list[tuple[str, Any]]:
    """Return what a row of the model is stored by: names, and the field where it has to prepare."""
    plain = (BooleanField, ForeignKey, IntegerField, TextField)
    return [
        (field.attname, None if isinstance(field, plain) else field)
        for field in model._meta.concrete_fields
        if not field.primary_key
    ]


@cache
def _insert(model: type[Model], rows: int, vendor: str) -> str:
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    meta = model._meta
    columns = [quote(str(field.column)) for field in meta.concrete_fields if not field.primary_key]
    row = f"({', '.join(['%s'] * len(columns))})"
    return (
        f"INSERT INTO {quote(meta.db_table)} ({', '.join(columns)})"  # noqa: S608  (no values)
        f" VALUES {', '.join([row] * rows)} RETURNING {quote(str(meta.pk.column))}"
    )
