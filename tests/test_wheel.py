"""The wheel, built and installed for real, without a network."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from installer import install
from installer.destinations import SchemeDictionaryDestination
from installer.sources import WheelFile
from installer.utils import get_launcher_kind

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new virtual environment with the wheel in it, which borrows the dependencies of the one we run in."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    scheme = sysconfig.get_paths("venv", vars={"base": str(folder), "platbase": str(folder)})
    scheme["headers"] = scheme["include"]
    destination = SchemeDictionaryDestination(scheme, str(folder / "bin" / "python"), get_launcher_kind())
    with WheelFile.open(wheel) as source:
        install(source, destination, additional_metadata={})
    # Only a path: the .pth files in that folder, of which one is the checkout's, do not count.
    Path(scheme["purelib"], "borrowed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder


def run(environment: Path, folder: Path, command: str, *arguments: str) -> str:
    """Run a command of the environment in an empty folder, with an empty home; return what it wrote."""
    home, work = folder / "empty-home", folder / "empty-work"
    home.mkdir()
    work.mkdir()
    done = subprocess.run(
        [environment / "bin" / command, *arguments],
        cwd=work,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shipped(folder: str) -> set[str]:
    files = (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file())
    return {f"maverick_tui/{file}" for file in files if "__pycache__" not in file}


def test_agents_and_styles_are_inside_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert shipped("agents") <= names
    assert shipped("styles") <= names
    assert {f"maverick_tui/history/export/page.{kind}" for kind in ("css", "js")} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"maverick_tui"}


def test_what_is_imported_is_the_installed_wheel(environment: Path, tmp_path: Path) -> None:
    file = run(environment, tmp_path, "python", "-c", "import maverick_tui; print(maverick_tui.__file__)").strip()
    assert Path(file).is_relative_to(environment)


def shipped_agents() -> set[str]:
    return {Path(name).stem for name in shipped("agents")}


@pytest.mark.explore  # the same agents are listed below
def test_lists_the_shipped_agents(environment: Path, tmp_path: Path) -> None:
    output = run(environment, tmp_path, "maverick", "agents", "list")
    assert all(name in output for name in shipped_agents())


def test_lists_the_shipped_agents_as_json(environment: Path, tmp_path: Path) -> None:
    agents = json.loads(run(environment, tmp_path, "maverick", "agents", "list", "--json"))["agents"]
    assert len(agents) >= 5
    assert {agent["name"] for agent in agents} >= shipped_agents()
    assert all(agent["source"] for agent in agents)


def test_the_migrations_of_the_tasks_are_inside_the_package_and_run_there(
    wheel: Path, environment: Path, tmp_path: Path
) -> None:
    folder = ROOT / "maverick_tui" / "tasks" / "migrations"
    files = {path.relative_to(ROOT).as_posix() for path in folder.rglob("*") if path.is_file()}
    files = {name for name in files if "__pycache__" not in name}
    assert len(files) >= 3
    with zipfile.ZipFile(wheel) as archive:
        assert files <= set(archive.namelist())
    code = "from maverick_tui.tasks import *; print(TaskStore(open_database()).add('u', 'Tea').title)"
    assert run(environment, tmp_path, "python", "-c", code) == "Tea\n"
