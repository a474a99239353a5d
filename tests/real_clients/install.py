"""The real clients, from npm, in a cache outside the checkout. By hand: `python -m tests.real_clients.install`.

No script of theirs runs on the way in, and no node is needed to run them: the programs are native ones, in the
package that each client has for this platform.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

SECONDS = 600
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rcs-hooks-clients"
"""Read once, before a test gets a home of its own."""


class Unavailable(Exception):
    """This client cannot be had here; says why."""


class Package(NamedTuple):
    name: str
    version: str
    """The one whose ways are known: it is taken where the registry still has it, else the newest."""
    programs: str
    """Where the packages for the platforms have the program."""


class Installed(NamedTuple):
    path: Path
    version: str


PACKAGES = {
    "codex": Package("@openai/codex", "0.169.0", "node_modules/@openai/codex-*/vendor/*/bin/codex"),
    "claude": Package("@anthropic-ai/claude-code", "2.1.326", "node_modules/@anthropic-ai/claude-code-*/claude"),
}


def installed(client: str, cache: Path = CACHE) -> Installed:
    """The client, fetched where the cache does not hold it. Raises Unavailable."""
    package = PACKAGES[client]
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(f"no cache for {package.name}: {error}") from None
    with FileLock(cache / f"{client}.lock"):
        pinned = cache / f"{client}-{package.version}"
        if found := _program(package, pinned):
            return found
        try:
            return _fetched(package, package.version, pinned)
        except Unavailable as error:
            newest = cache / f"{client}-latest"
            if _is_gone(str(error)):
                return _program(package, newest) or _fetched(package, "latest", newest)
            raise


def _is_gone(error: str) -> bool:
    return any(code in error for code in ("ETARGET", "E404"))


def _program(package: Package, folder: Path) -> Installed | None:
    """The program in this folder that runs here."""
    for path in sorted(folder.glob(package.programs)):
        try:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        version = next((word for word in done.stdout.split() if word[:1].isdigit()), "unknown")
        return Installed(path, version)
    return None


def _fetched(package: Package, version: str, folder: Path) -> Installed:
    """Into a folder beside it first, so that what stands in the cache is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        _npm_install(f"{package.name}@{version}", Path(made))
        if _program(package, Path(made)) is None:
            raise Unavailable(f"{package.name}@{version} has no program that runs on this machine")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder, symlinks=True, copy_function=shutil.move)
    found = _program(package, folder)
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
    status = 0
    for client in PACKAGES:
        try:
            found = installed(client)
            print(f"{client} {found.version} {found.path}")
        except Unavailable as error:
            print(f"{client}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
