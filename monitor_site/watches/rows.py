"""Many rows at once, each with values of its own: what a recording writes for every check.

The model layer builds such a statement anew for every row, which takes longer than the database does.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model

Values = Mapping[str, Any]


def update_each(model: type[Model], rows: Mapping[int, Values], *, below: str) -> int:
    """Give each row (by primary key) its values where its number ``below`` is less than the new one; how many were."""
    groups: dict[tuple[str, ...], list[list[Any]]] = {}
    for pk, values in rows.items():
        groups.setdefault(tuple(values), []).append([*_prepared(model, values), pk, values[below]])
    changed = 0
    with connection.cursor() as cursor:
        for names, params in groups.items():
            cursor.executemany(_update(model, names, below), params)
            changed += cursor.rowcount
    return changed


def insert_all(model: type[Model], rows: Sequence[Values]) -> None:
    """Insert rows that all name the same fields, all of them: no default stands in for one that is missing."""
    if not rows:
        return
    params = [value for row in rows for value in _prepared(model, row)]
    with connection.cursor() as cursor:
        cursor.execute(_insert(model, tuple(rows[0]), len(rows)), params)


def _prepared(model: type[Model], values: Values) -> list[Any]:
    """As the database wants them."""
    fields = _fields(model)
    return [fields[name].get_db_prep_save(value, connection) for name, value in values.items()]


@cache
def _update(model: type[Model], names: tuple[str, ...], below: str) -> str:
    changed = ", ".join(f"{_column(model, name)} = %s" for name in names)
    which = f"{_column(model, 'id')} = %s AND {_column(model, below)} < %s"
    return f"UPDATE {_table(model)} SET {changed} WHERE {which}"  # noqa: S608  all are names of our own columns


@cache
def _insert(model: type[Model], names: tuple[str, ...], rows: int) -> str:
    columns = ", ".join(_column(model, name) for name in names)
    places = ", ".join([f"({', '.join(['%s'] * len(names))})"] * rows)
    return f"INSERT INTO {_table(model)} ({columns}) VALUES {places}"  # noqa: S608  all are names of our own columns


def _table(model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)  # noqa: SLF001  Django's documented door to a model


def _column(model: type[Model], name: str) -> str:
    return connection.ops.quote_name(_fields(model)[name].column)


@cache
def _fields(model: type[Model]) -> dict[str, Any]:
    fields = model._meta.concrete_fields  # noqa: SLF001  Django's documented door to a model
    return {name: field for field in fields for name in (field.name, field.attname)}
