"""Finds the workspace that a call belongs to, and tells whether state may be kept in it and the hooks are on there.

Rules of this file:
- A folder above the one that a call comes from is the workspace only where its marker belongs to the user, or to the
  owner of the folder below: anybody may put a `.rcs` or a `.git` into /tmp.
- What cannot be looked at counts as there. A search that passed over it would find another workspace further up, and
  the same session would have two states.
"""

import os

from rcs_hooks.files.paths import (
    GIT,
    HOME,
    MODE_SUFFIX,
    OFF,
    SESSIONS,
    STATE,
    fault_of,
    is_name,
    link_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REMOVED = os.path.join(os.devnull, "removed working directory")
"""The path that stands for a working directory that was removed; nothing can be there."""


def working_folder() -> str:
    """Return the working directory; if it was removed, `REMOVED`, a path that can never be there."""
    try:
        return os.getcwd()
    except OSError:
        return REMOVED


ROOT_VARIABLES = ("RCS_ROOT", "CLAUDE_PROJECT_DIR")
"""The variables that name the workspace, the one that counts first."""


def home_of(env: "Mapping[str, str]") -> str | None:
    """Return the home folder; None if HOME is missing or relative: it would be another one in each directory."""
    home = env.get("HOME", "")
    return home if os.path.isabs(home) else None


def find_root(env: "Mapping[str, str]", cwd: str, session: str | None = None) -> str:
    """Return the workspace that a call from `cwd` belongs to; every surface calls this.

    A variable that names the workspace is believed. `session`: the session that the call is about, if it names one.
    """
    for name in ROOT_VARIABLES:
        if value := env.get(name, "").strip():
            return os.path.normpath(os.path.join(cwd, value))
    return nearest_workspace(cwd, env.get("HOME"), session)


def nearest_workspace(cwd: str, home: str | None = None, session: str | None = None) -> str:
    """Return the nearest folder from `cwd` upwards that has the session's state, else any state or a repository.

    If there is none, return `cwd` itself. `home`: the home folder, which is no workspace for what is below it.
    """
    here = folder = os.path.normpath(cwd)
    named = session if is_name(session) else None
    nearest = None
    while True:
        has_state = _is_there(os.path.join(folder, STATE, ""))
        if named and has_state and _has_session(folder, named) and _may_hold(folder, HOME, here, home):
            return folder
        if nearest is None and (
            (has_state and _may_hold(folder, HOME, here, home))
            or (is_repository(folder) and _may_hold(folder, GIT, here, home))
        ):
            nearest = folder
            if not named:
                break
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    return nearest or here


def _has_session(root: str, session: str) -> bool:
    try:
        return exists(os.path.join(root, STATE, SESSIONS, session, ""))
    except OSError:
        return False


def _may_hold(folder: str, marker: str, below: str, home: str | None) -> bool:
    """Tell whether a folder may be the workspace of what lies below it: not `/`, nor the home, nor a stranger's.

    The folder and its marker must belong to the user, or to the owner of the folder below, who is trusted already: in a
    container, root works in somebody's checkout.
    """
    if folder == below:
        return True
    if os.path.dirname(folder) == folder:
        return False
    try:
        status = os.stat(folder)
    except OSError:
        return False
    owners = {status.st_uid, _owner(os.path.join(folder, marker), status.st_uid)}
    return not _is_home(status, home) and owners <= {_me(), _owner(below, _me())}


def is_found_from_below(root: str, home: str | None) -> bool:
    """Tell whether a shell of this user in a folder below `root` finds that workspace without being told."""
    try:
        status = os.stat(root)
    except OSError:
        return False
    owners = {status.st_uid, _owner(os.path.join(root, HOME), status.st_uid)}
    return os.path.dirname(root) != root and not _is_home(status, home) and owners == {_me()}


def is_foreign(root: str) -> bool:
    """Tell whether the `.rcs` of a workspace belongs neither to the user nor to the owner of the workspace."""
    me = _me()
    owner = _owner(os.path.join(root, HOME), me)
    return owner != me and owner != _owner(root, me)


def _is_home(status: "os.stat_result", home: str | None) -> bool:
    try:
        return bool(home) and os.path.samestat(status, os.stat(home or ""))
    except (OSError, ValueError):
        return False


def _owner(path: str, otherwise: int) -> int:
    try:
        return os.lstat(path).st_uid
    except (OSError, ValueError):
        return otherwise


def _me() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0  # elsewhere every file is owned by 0


def is_repository(folder: str) -> bool:
    """Tell whether a folder has the `.git` of a repository: Codex' sandbox puts an empty, read-only one everywhere."""
    path = os.path.join(folder, GIT)
    if not os.path.lexists(path):
        return False
    try:
        return bool(os.listdir(path)) or os.access(path, os.W_OK)
    except OSError:  # a file, as in a worktree, or nothing that may be looked at
        return True


def exists(path: str, *, through_links: bool = True) -> bool:
    """Tell whether something is there. Raises OSError if nobody can tell: `os.path.exists` would call it missing."""
    try:
        os.stat(path, follow_symlinks=through_links)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _is_there(path: str) -> bool:
    """Tell whether something is there, or may be."""
    try:
        return exists(path)
    except OSError:
        return True


def may_have_state(root: str, session: str) -> bool:
    """Tell whether a look at the state of a session may find anything: it has a folder, or root has records.

    Raises OSError if there may be state that cannot be looked at.
    """
    folder = os.path.join(root, STATE)
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if is_foreign(root):
        return False
    if SESSIONS in names and is_name(session) and exists(os.path.join(folder, SESSIONS, session, "")):
        return True
    return any(name.endswith(MODE_SUFFIX) for name in names)


def state_folder(root: str) -> str:
    """Return the state folder of a workspace. Raises UnsafePath if it may not be used, as where it is a link."""
    from rcs_hooks.errors import UnsafePath

    if not (root.isascii() and root.isprintable()) and any(map(_is_dangerous, root)):
        raise UnsafePath("the path of the workspace holds characters that cannot be shown, so no state is kept there")
    if fault := fault_of(root):
        raise UnsafePath(f"no state is kept there: the path of the workspace cannot be used; {fault}")
    home, folder = os.path.join(root, HOME), os.path.join(root, STATE)
    if is_foreign(root):
        raise UnsafePath(f"{home} belongs to another user, so it is not used; remove it, or set RCS_ROOT")
    if link := link_in(root, STATE):
        raise UnsafePath(f"{link} is a link, so it is not used; remove it, or set RCS_ROOT")
    return folder


def _is_dangerous(char: str) -> bool:
    """Tell whether a character moves a cursor, breaks a line, turns the direction of text, or is half of a pair."""
    return (
        char < " "
        or "\x7f" <= char <= "\x9f"
        or "\u2028" <= char <= "\u202e"
        or "\u2066" <= char <= "\u2069"
        or "\ud800" <= char <= "\udfff"
    )


# --- what switches the hooks off: a variable, or a file in the workspace or the home folder


def is_disabled(env: "Mapping[str, str]") -> bool:
    """Tell whether RCS_DISABLE switches the hooks off: by any value but an empty one and 0."""
    return env.get("RCS_DISABLE", "").strip() not in ("", "0")


def off_files(env: "Mapping[str, str]", root: str) -> list[str]:
    """Return the files that may switch the hooks off: the one in the workspace, then the one in the home folder."""
    home = env.get("HOME", "")
    return [os.path.join(folder, HOME, OFF) for folder in (root, home) if os.path.isabs(folder)]


def off_by(env: "Mapping[str, str]", root: str) -> str:
    """Return what switches the hooks off: RCS_DISABLE, or the path of a file; empty if they are on."""
    if is_disabled(env):
        return "RCS_DISABLE"
    return next((path for path in off_files(env, root) if _is_switch(path) and not _is_brought(path, root)), "")


def _is_switch(path: str) -> bool:
    """Tell whether a file switches the hooks off; a folder of that name does not."""
    return os.path.lexists(path) and not os.path.isdir(path)


def _is_brought(off: str, root: str) -> bool:
    """Tell whether a switch-off file is the workspace's own and git tracks it: then it came with the repository."""
    from rcs_hooks.files.tracked import is_off_tracked

    return off == os.path.join(root, HOME, OFF) and is_off_tracked(root)
