"""A maintainer in fifty lines of SQL that recomputes and diffs; some are wrong on purpose.

It proves two things without the product: that the checker accepts a right maintainer on every
generated case, and that it catches each kind of wrong one. A checker that cannot fail checks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tests.law.maintainers import Created

if TYPE_CHECKING:
    import psycopg

_CAPTURE = """
CREATE TABLE IF NOT EXISTS written (source text, consumer text);
CREATE OR REPLACE FUNCTION capture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed) THEN
        INSERT INTO written VALUES (TG_RELID::regclass::text, TG_ARGV[0]);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION capture_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO written VALUES (TG_RELID::regclass::text, TG_ARGV[0]);
    RETURN NULL;
END $$;
"""

_SOURCES = """
WITH RECURSIVE reads(oid) AS (
    SELECT 'probe'::regclass::oid
    UNION
    SELECT depend.refobjid
    FROM reads
    JOIN pg_rewrite AS rule ON rule.ev_class = reads.oid
    JOIN pg_depend AS depend ON depend.classid = 'pg_rewrite'::regclass AND depend.objid = rule.oid
     AND depend.refclassid = 'pg_class'::regclass
)
SELECT reads.oid::regclass::text FROM reads JOIN pg_class USING (oid) WHERE relkind = 'r'
"""

_DELETE = """
DELETE FROM {name} WHERE ctid IN (
    SELECT ctid FROM (
        SELECT ctid, {image} AS image, row_number() OVER (PARTITION BY {image}) AS place FROM {name} AS q
    ) AS stored
    LEFT JOIN (
        SELECT {image} AS image, {copies} AS copies FROM ({query}) AS q GROUP BY 1
    ) AS wanted USING (image)
    WHERE place > coalesce(copies, 0) AND {deletable}
)
"""

_INSERT = """
INSERT INTO {name} SELECT (q).* FROM (
    SELECT q, {image} AS image, row_number() OVER (PARTITION BY {image}) AS place FROM ({query}) AS q
) AS wanted
LEFT JOIN (SELECT {image} AS image, count(*) AS copies FROM {name} AS q GROUP BY 1) AS stored USING (image)
WHERE place > coalesce(copies, 0) AND place <= {most}
"""

_TRIGGERS = (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD"))


class Flaw(StrEnum):
    """What a model does wrong."""

    NONE = "right"
    KEEPS_DELETED = "ignores rows that disappear"
    FORGETS_NEW = "ignores rows that appear"
    SETS = "keeps one of several equal rows"
    NULL_BLIND = "cannot match a row that holds NULL"
    EQUAL_IS_SAME = "takes 1.0 for 1.00"
    FULL = "recomputes, and says so"
    NEVER_QUIET = "claims work where there was none"
    MISCOUNTS = "reports one insert too many"
    STALE = "refreshes every other time"


@dataclass(frozen=True, slots=True)
class ModelReport:
    """What the model says of a refresh."""

    action: str
    inserted: int = 0
    deleted: int = 0
    updated: int = 0
    scope: str = "delta"


class Model:
    """Keeps each stream table as a plain table that is diffed against its query."""

    def __init__(self, connection: psycopg.Connection[Any], flaw: Flaw = Flaw.NONE) -> None:
        self._connection = connection
        self._flaw = flaw
        self._queries: dict[str, str] = {}
        self._refreshes = 0

    def create(self, name: str, query: str, *, differential: bool) -> Created:  # noqa: ARG002
        """Store the result of the query, and listen to what it reads."""
        run = self._connection.execute
        run(_CAPTURE)
        run(f"CREATE VIEW probe AS {query}")
        sources = [str(source) for (source,) in run(_SOURCES)]
        run("DROP VIEW probe")
        for source in sources:
            for event, rows in _TRIGGERS:
                run(
                    f"CREATE TRIGGER {name}_{event} AFTER {event} ON {source} "
                    f"REFERENCING {rows} TABLE AS changed EXECUTE FUNCTION capture('{name}')"
                )
            run(
                f"CREATE TRIGGER {name}_truncate AFTER TRUNCATE ON {source} "
                f"EXECUTE FUNCTION capture_truncate('{name}')"
            )
        run(f"CREATE TABLE {name} AS {query}")
        self._queries[name] = query
        return Created("DIFFERENTIAL")

    def audit(self, name: str, *, images: bool) -> str:  # noqa: ARG002
        """Find nothing: the model knows no completed query."""
        return ""

    def refresh(self, name: str) -> ModelReport:
        """Bring the stored rows to the query's, as well as the flaw allows."""
        self._refreshes += 1
        seen = self._connection.execute("DELETE FROM written WHERE consumer = %s", (name,))
        if seen.rowcount == 0 and self._flaw is not Flaw.NEVER_QUIET:
            return ModelReport("NO_DATA")
        if self._flaw is Flaw.STALE and self._refreshes % 2 == 0:
            return ModelReport("DIFFERENTIAL")
        deleted = 0 if self._flaw is Flaw.KEEPS_DELETED else self._run(_DELETE, name)
        inserted = 0 if self._flaw is Flaw.FORGETS_NEW else self._run(_INSERT, name)
        action = "FULL" if self._flaw is Flaw.FULL else "DIFFERENTIAL"
        surplus = 1 if self._flaw is Flaw.MISCOUNTS else 0
        return ModelReport(action, inserted=inserted + surplus, deleted=deleted)

    def drop(self, name: str) -> None:
        """Forget the table; the schema takes its triggers along."""
        self._connection.execute(f"DROP TABLE {name}")

    def _run(self, template: str, name: str) -> int:
        image = "q::text"
        if self._flaw is Flaw.EQUAL_IS_SAME:
            image = r"regexp_replace(q::text, '\.0+(?=[,)])', '', 'g')"
        blind = self._flaw is Flaw.NULL_BLIND
        statement = template.format(
            name=name,
            query=self._queries[name],
            image=image,
            copies="1" if self._flaw is Flaw.SETS else "count(*)",
            most="1" if self._flaw is Flaw.SETS else "1000000",
            deletable=r"image !~ '[(,][,)]'" if blind else "true",
        )
        return self._connection.execute(statement).rowcount
