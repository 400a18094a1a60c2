"""The wheel, installed in an empty environment on a machine that seems to have no Rust, does its work."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = [pytest.mark.wheel, pytest.mark.xdist_group("wheel")]

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = Path(__file__).with_name("journey.py")
TOOLCHAIN = ("cargo", "rustc", "rustup", "maturin")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree; what `make build` has compiled is not compiled again."""
    out = tmp_path_factory.mktemp("dist")
    build = ["maturin", "build", "--release", "--locked", "--quiet", "--out", str(out)]
    subprocess.run([sys.executable, "-m", *build], check=True, cwd=ROOT)  # noqa: S603 - our own list
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the wheel and what it needs; nothing is built from source."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    programs = folder / "bin"
    wanted = f"pgtrickle[embedded] @ {wheel.as_uri()}"
    install = ["install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    told(programs, ["python", "-m", "pip", *install, wanted])
    return programs


def told(programs: Path, command: Sequence[str]) -> str:
    """Run a program of the environment, without Rust and without this tree, and return what it prints."""
    kept = [
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not any((Path(folder) / tool).exists() for tool in TOOLCHAIN)
    ]
    path = os.pathsep.join([str(programs), *kept])
    assert not any(shutil.which(tool, path=path) for tool in TOOLCHAIN)
    ours = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CARGO_HOME", "RUSTUP_HOME")
    variables = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(  # noqa: S603 - our own list of arguments, no shell
        [str(programs / command[0]), *command[1:]],
        check=False,
        capture_output=True,
        text=True,
        cwd=programs.parent,
        env={**variables, "PATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_one_wheel_serves_every_python(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_the_wheel_carries_no_path_of_the_machine_that_built_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        texts = [name for name in archive.namelist() if not name.endswith(".so")]
        assert not [name for name in texts if str(ROOT).encode() in archive.read(name)]
        assert any(name.endswith("0001_foundation.sql") for name in texts)


def test_a_stream_table_is_created_refreshed_and_verified(environment: Path) -> None:
    found = told(environment, ["python", "-I", str(JOURNEY)])
    assert Path(found.strip()).is_relative_to(environment.parent.resolve())


def test_the_command_is_installed(environment: Path) -> None:
    assert told(environment, ["pgtrickle", "--version"]).startswith("pgtrickle ")
