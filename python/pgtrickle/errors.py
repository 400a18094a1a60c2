"""The error tree: every error says what, why, and what now.

`code` is stable and documented; `retryable` is a property of the class and is what back-off reads.
No message carries a row's values.
"""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override


class PgtrickleError(Exception):
    """Base of all errors that pgtrickle raises on purpose."""

    code: str = "PGT000"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint

    @override
    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.message}"]
        if self.detail:
            lines.append(f"detail: {self.detail}")
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)


class ConfigurationError(PgtrickleError):
    """A setting or argument has a value that cannot work."""

    code = "PGT001"


class EmbeddedServerError(PgtrickleError):
    """The embedded PostgreSQL could not be found, started or stopped."""

    code = "PGT002"


class ConnectionFailedError(PgtrickleError):
    """The server could not be reached, or the connection was lost."""

    code = "PGT010"
    retryable = True


class UnsupportedServerError(PgtrickleError):
    """The server is too old, or is a standby."""

    code = "PGT011"


class NotInstalledError(PgtrickleError):
    """The database has no pgtrickle catalog, or one that is newer than this package."""

    code = "PGT012"


class PrivilegeError(PgtrickleError):
    """The role may not do what was asked."""

    code = "PGT013"


class DatabaseError(PgtrickleError):
    """PostgreSQL refused a statement for a reason that has no class of its own here."""

    code = "PGT020"


class ConflictError(PgtrickleError):
    """Another transaction was in the way; the same call may succeed when repeated."""

    code = "PGT021"
    retryable = True


class LockTimeoutError(ConflictError):
    """A lock was not granted within the lock timeout."""

    code = "PGT022"


class QueryError(PgtrickleError):
    """The defining query is not valid SQL for this database."""

    code = "PGT100"


class DuplicateNameError(PgtrickleError):
    """A relation with this name exists."""

    code = "PGT101"


class UnknownStreamTableError(PgtrickleError):
    """No stream table has this name."""

    code = "PGT102"


class DependantsError(PgtrickleError):
    """Other objects depend on the stream table."""

    code = "PGT103"


class RejectedQueryError(PgtrickleError):
    """The query can be maintained in no mode at all."""

    code = "PGT110"


class UnsupportedQueryError(PgtrickleError):
    """The query has no differential form; FULL still works. Each construct has a code of its own."""

    code = "PGT200"

    def __init__(
        self, message: str, *, code: str, detail: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.code = code


class SourceError(PgtrickleError):
    """A source cannot be captured or has changed so that the query no longer fits it."""

    code = "PGT300"


class RowSecurityError(SourceError):
    """Row security hides rows of a source from our role."""

    code = "PGT301"


class SourceChangedError(SourceError):
    """A source changed its shape while it was read; a retry sees the new shape."""

    code = "PGT302"
    retryable = True


class LayoutChangedError(SourceError):
    """The sources changed so that the rows must be stored differently; a refresh does so."""

    code = "PGT303"


class ReplicationError(PgtrickleError):
    """A replication slot sent what cannot be understood; the sources that it feeds need a rebuild."""

    code = "PGT310"


class RefreshError(PgtrickleError):
    """A refresh failed; the stream table still shows its last good rows."""

    code = "PGT400"


class SuspendedError(RefreshError):
    """The stream table is suspended: it keeps its rows until it is made active again."""

    code = "PGT401"


class InternalError(PgtrickleError):
    """Something that cannot happen did; please report it."""

    code = "PGT900"


class PgtrickleWarning(UserWarning):
    """Something that a user should know although the call succeeds."""
