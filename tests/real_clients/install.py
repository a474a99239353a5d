"""The real clients, from npm, in a cache outside the checkout. By hand: `python -m tests.real_clients.install`.

No script of theirs runs on the way in. Some clients have a native program, in the package for this platform. The
others are scripts for Node: where the machine's is too old for one, a newer one comes from the registry too.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

SECONDS = 600
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rcs-hooks-clients"
"""Read once, before a test gets a home of its own."""


class Unavailable(Exception):
    """This client cannot be had here; says why."""


class Package(NamedTuple):
    command: str
    """What a person types to start it."""
    name: str
    version: str
    """The one whose ways are known: it is taken where the registry still has it, else the newest."""
    programs: str
    """Where the packages for the platforms have the program, or where its script is."""
    node: int = 0
    """The oldest major version of Node that runs its script; 0: the program is a native one."""
    env: str = ""
    """The variable for the folder where it unpacks the rest of itself when it is first started."""


class Installed(NamedTuple):
    path: Path
    """One program, called as a person types it."""
    version: str
    env: dict[str, str]
    """What it is started with, so that it writes nothing."""


MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
NODE = Package("node", f"node-{sys.platform}-{MACHINE}", "22.23.3", f"node_modules/node-{sys.platform}-*/bin/node")


def installed(package: Package, cache: Path = CACHE) -> Installed:
    """The program, fetched where the cache does not hold it. Raises Unavailable."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"no cache for {package.name}: {error}") from None
    node = _node(package.node, cache) if package.node else None
    with FileLock(cache / f"{package.command}.lock"):
        pinned = cache / f"{package.command}-{package.version}"
        if found := _program(package, pinned, node):
            return found
        try:
            return _fetched(package, package.version, pinned, node)
        except Unavailable as error:
            newest = cache / f"{package.command}-latest"
            if _is_gone(str(error)):
                return _program(package, newest, node) or _fetched(package, "latest", newest, node)
            raise


def _node(oldest: int, cache: Path) -> Path:
    """The machine's Node, or one from the registry where that is older than this, or not there."""
    path = shutil.which("node")
    version = _version(Path(path), {}) if path else None
    if path and version and int(version.lstrip("v").partition(".")[0]) >= oldest:
        return Path(path)
    return installed(NODE, cache).path


def _is_gone(error: str) -> bool:
    return any(code in error for code in ("ETARGET", "E404"))


def _program(package: Package, folder: Path, node: Path | None) -> Installed | None:
    """The program in this folder that runs here."""
    env = {package.env: str(folder)} if package.env else {}
    for path in sorted(folder.glob(package.programs)):
        program = _launcher(folder / "bin" / package.command, node, path) if node else path
        if version := _version(program, env):
            return Installed(program, version, env)
    return None


def _launcher(file: Path, node: Path, script: Path) -> Path:
    """A program that runs the script."""
    text = f'#!/bin/sh\nexec {shlex.quote(str(node))} {shlex.quote(str(script))} "$@"\n'
    if not file.exists() or file.read_text() != text:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    return file


def _version(program: Path, env: dict[str, str]) -> str | None:
    """What the program says its version is; None where it does not run here. It may write to no real home."""
    with tempfile.TemporaryDirectory() as home:
        ours = os.environ | {"HOME": home, "TMPDIR": home} | env
        command = [str(program), "--version"]
        try:
            done = subprocess.run(command, env=ours, capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
    words = (word.rstrip(".") for word in done.stdout.split())
    return next((word for word in words if word.lstrip("v")[:1].isdigit()), "unknown")


def _fetched(package: Package, version: str, folder: Path, node: Path | None) -> Installed:
    """Into a folder beside it first, so that what stands in the cache is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        _npm_install(f"{package.name}@{version}", Path(made))
        if _program(package, Path(made), node) is None:
            raise Unavailable(f"{package.name}@{version} has no program that runs on this machine")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder, symlinks=True, copy_function=shutil.move)
    found = _program(package, folder, node)
    if found is None:
        raise Unavailable(f"{package.name}@{version} does not run from {folder}")
    return found


def _npm_install(wanted: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable(f"{wanted} cannot be installed: there is no npm on PATH")
    (folder / "package.json").write_text('{"private": true}\n')
    command = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    command += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", wanted]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{wanted} cannot be installed: npm took more than {SECONDS} s") from None
    if done.returncode:
        raise Unavailable(f"{wanted} cannot be installed: {' '.join(done.stderr.split())[:400]}")


def main() -> int:
    from tests.real_clients.adapters import ADAPTERS

    with ThreadPoolExecutor(len(ADAPTERS)) as pool:
        lines = list(pool.map(lambda client: _line(client, ADAPTERS[client].package), ADAPTERS))
    print("\n".join(line for line, _ in lines))
    return 0 if all(is_there for _, is_there in lines) else 1


def _line(client: str, package: Package) -> tuple[str, bool]:
    """Install a client; return what to print of it, and whether it is there."""
    try:
        found = installed(package)
    except Unavailable as error:
        return f"{client}: {error}", False
    return f"{client} {found.version} {found.path}", True


if __name__ == "__main__":
    sys.exit(main())
