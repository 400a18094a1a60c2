"""A database in which cases run one after the other, each in a fresh schema.

A case takes its stream tables away again. Where that fails the whole database is replaced: shrinking
must not see what a broken example left behind.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import make_conninfo

import pgtrickle
from pgtrickle.errors import UnknownStreamTableError
from tests.law.checker import LawBrokenError, Observed, check, compare
from tests.law.features import MAINTAINED
from tests.law.maintainers import Created, Product
from tests.law.model import Flaw, Model
from tests.support import servers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pgtrickle.embedded import Server
    from tests.law.case import Case

_TRIGGERS_LEFT = """
SELECT tgrelid::regclass::text || ': ' || tgname FROM pg_trigger
JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = 'law'::regnamespace
"""


_OPTIONS = "-c search_path=law -c timezone=UTC -c statement_timeout=60s"


MOST_ROWS = 1500  # of a result that is worth its time
_OTHER_PLANS = ("enable_hashjoin", "enable_hashagg", "enable_nestloop", "enable_material")


class LeftoverError(LawBrokenError):
    """Dropping every stream table left something on the sources."""


class World:
    """One database of a server, with a connection for writers and checks."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._resources = ExitStack()
        self._dsn = ""
        self._connection: psycopg.Connection[Any] | None = None
        self._product: Product | None = None

    def check(self, case: Case, maintained: AbstractSet[str] = MAINTAINED) -> Observed:
        """Hold the law against the product."""
        connection, product = self._open(), self._open_product()
        product.created.clear()
        try:
            connection.execute("CREATE SCHEMA law")
            observed = check(case, connection, product, maintained)
            self._nothing_left(connection)
        except BaseException:
            self._clear(connection, product, case)
            raise
        connection.execute("DROP SCHEMA law CASCADE")
        return observed

    def check_model(self, case: Case, flaw: Flaw = Flaw.NONE) -> Observed:
        """Hold the law against the model."""
        connection = self._open()
        try:
            connection.execute("CREATE SCHEMA law")
            return check(case, connection, Model(connection, flaw))
        finally:
            connection.execute("ROLLBACK")
            connection.execute("DROP SCHEMA law CASCADE")

    def created(self) -> Mapping[str, Created]:
        """Return the stream tables that the last case created, with their modes."""
        return {} if self._product is None else self._product.created

    def try_queries(self, case: Case, *, shaken: bool = False) -> int:
        """Run the case's statements and queries without a stream table; return the most rows of a query.

        What fails here is no fault of a maintainer. `shaken` compares each result with that of another plan over
        rows in another place: if they differ, the query is not as determined as its stream table says.
        """
        connection = self._open()
        most = 0
        connection.execute("BEGIN; CREATE SCHEMA law; SET LOCAL statement_timeout = '3s'")
        try:
            for statement in case.ddl:
                connection.execute(statement)
            for stream in case.streams:
                stored = connection.execute(f"CREATE TABLE {stream.name} AS {stream.query}")
                most = max(most, stored.rowcount)
            if shaken and most < MOST_ROWS:
                _shake(connection, case)
        finally:
            connection.execute("ROLLBACK")
        return most

    def close(self) -> None:
        """Drop the database."""
        self._product = self._connection = None
        self._resources.close()

    def _nothing_left(self, connection: psycopg.Connection[Any]) -> None:
        left = [str(name) for (name,) in connection.execute(_TRIGGERS_LEFT)]
        if left:
            raise LeftoverError(f"triggers are left on the sources: {', '.join(left)}")

    def _clear(self, connection: psycopg.Connection[Any], product: Product, case: Case) -> None:
        """Take a failed case away, or the whole database when that fails too."""
        try:
            connection.execute("ROLLBACK")
            for stream in reversed(case.streams):
                with suppress(UnknownStreamTableError):
                    product.drop(stream.name)
            self._nothing_left(connection)
            connection.execute("DROP SCHEMA law CASCADE")
        except Exception:  # whatever is broken goes away with its database
            self.close()

    def _open(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            database = self._resources.enter_context(servers.fresh_database(self._server))
            self._dsn = make_conninfo(database, options=_OPTIONS)
            connection = psycopg.connect(self._dsn, autocommit=True, prepare_threshold=None)
            self._connection = self._resources.enter_context(connection)
            self._connection.execute("SET client_min_messages = warning")
            self._connection.execute("SET jit = off")
        return self._connection

    def _open_product(self) -> Product:
        if self._product is None:
            client = self._resources.enter_context(pgtrickle.connect(self._dsn))
            client.install()
            self._product = Product(client)
        return self._product


def _shake(connection: psycopg.Connection[Any], case: Case) -> None:
    tables = [line.split("(")[0].removeprefix("CREATE TABLE ") for line in case.ddl]
    for name in (name.strip() for name in tables if not name.startswith(("INSERT", "CREATE"))):
        connection.execute(f"CREATE TEMP TABLE shaken ON COMMIT DROP AS SELECT * FROM {name}")
        connection.execute(f"DELETE FROM {name}")
        connection.execute(f"INSERT INTO {name} SELECT * FROM shaken ORDER BY random()")
        connection.execute("DROP TABLE shaken")
    for setting in _OTHER_PLANS:
        connection.execute(f"SET LOCAL {setting} = off")
    for stream in case.streams:
        if not stream.undetermined:
            compare(connection, stream, "by another plan")


@contextmanager
def world_on(server: Server) -> Iterator[World]:
    """Yield a world on a server, and drop it at the end."""
    world = World(server)
    try:
        yield world
    finally:
        world.close()
