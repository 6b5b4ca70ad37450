"""The error tree of the database room."""

from __future__ import annotations

from pathlib import Path


class DatabaseError(Exception):
    """Base of all errors of this package."""


class BadDatabaseUrl(DatabaseError):
    """DATABASE_URL is not the address of a Postgres database."""


class TooOldServer(DatabaseError):
    """The server is older than what Fathom supports."""


class NotMigrated(DatabaseError):
    """The database's schema is another than this version's."""


class EmbeddedError(DatabaseError):
    """The embedded server cannot be started or kept up."""


class AlreadyOwned(EmbeddedError):
    """Another process runs the embedded server of this data folder."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{folder} is in use by {who}; stop it first, or choose another folder with FATHOM_DATA")
        self.folder, self.pid = folder, pid


class UnreachableFolder(EmbeddedError):
    """The account that runs Postgres cannot enter the data folder."""


class VersionMismatch(EmbeddedError):
    """The data folder was made by another major version of Postgres."""


class DiskFull(EmbeddedError):
    """No space is left for the database."""
