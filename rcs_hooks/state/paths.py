"""Where things lie: the root of a workspace, and under it the folders of state and of a session."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOME = ".rcs"
STATE = os.path.join(HOME, "state")
GIT = ".git"
SESSIONS = "sessions"
FOLDED = "folded"
"""Where the sessions are that were folded away, and in a folder of questions those that were (`active`)."""
MODE_SUFFIX = "-state.json"
REMOVED = os.path.join(os.devnull, "removed working directory")
"""Stands for a working directory that is not there any more."""
NAME_LENGTH = 128
LONGEST_PATH = 4095
NAME_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")


def is_name(value: object) -> bool:
    """Whether a session id (or the like) is one that may become the name of a folder."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= NAME_LENGTH
        and value[0] in NAME_LETTERS
        and NAME_LETTERS.issuperset(value.replace("-", "").replace("_", ""))
    )


def let_owner_in() -> None:
    """Lets the owner read and write what this process makes, whatever the umask: else no later call could use it."""
    os.umask(os.umask(0o077) & 0o077)


def fault_of(path: str) -> str:
    """Why a text can be no path at all; empty where it can."""
    if "\0" in path:
        return "it holds a NUL character"
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair"
    return f"it has {length} bytes, and {LONGEST_PATH} at most can be opened" if length > LONGEST_PATH else ""


def working_folder() -> str:
    """Return the current folder; one that can never be there where it was removed under us."""
    try:
        return os.getcwd()
    except OSError:
        return REMOVED


def find_root(env: "Mapping[str, str]", cwd: str, session: str | None = None) -> str:
    """Return the workspace that a call from `cwd` belongs to; every surface asks this.

    What a variable names is taken as it is. `session`: the one that the call is about, where it names one.
    """
    for name in ("RCS_ROOT", "CLAUDE_PROJECT_DIR"):
        if value := env.get(name, "").strip():
            return os.path.normpath(os.path.join(cwd, value))
    return nearest_workspace(cwd, env.get("HOME"), session)


def nearest_workspace(cwd: str, home: str | None = None, session: str | None = None) -> str:
    """Find the nearest folder from `cwd` upwards with the session's state, else with any state or a repository.

    Where there is none it is `cwd` itself.
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
            or (_is_repository(os.path.join(folder, GIT)) and _may_hold(folder, GIT, here, home))
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
        return any(_exists(os.path.join(root, STATE, place, session, "")) for place in (SESSIONS, FOLDED))
    except OSError:
        return False


def _may_hold(folder: str, marker: str, below: str, home: str | None) -> bool:
    """Tell whether a folder may be the workspace of what lies below it: not `/`, nor the home, nor a stranger's.

    It and its marker have to belong to the user, or to the owner of the folder below, who is trusted already: in a
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
    """Tell whether a shell in a folder of this user below `root` finds that workspace by itself."""
    try:
        status = os.stat(root)
    except OSError:
        return False
    owners = {status.st_uid, _owner(os.path.join(root, HOME), status.st_uid)}
    return os.path.dirname(root) != root and not _is_home(status, home) and owners == {_me()}


def is_foreign(root: str) -> bool:
    """Tell whether the `.rcs` of a workspace belongs neither to the user nor to the owner of the workspace."""
    owner = _owner(os.path.join(root, HOME), _me())
    return owner not in (_me(), _owner(root, _me()))


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


def _is_repository(path: str) -> bool:
    """Codex' sandbox puts an empty, read-only `.git` into a folder that has none, which only the agent's shell sees."""
    if not os.path.lexists(path):
        return False
    try:
        return bool(os.listdir(path)) or os.access(path, os.W_OK)
    except OSError:  # a file, as in a worktree, or nothing that may be looked at
        return True


def _exists(path: str) -> bool:
    """Raises OSError where that cannot be told."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _is_there(path: str) -> bool:
    """What cannot be looked at is there: it must not be passed over for a folder further up."""
    try:
        return _exists(path)
    except OSError:
        return True


OFF = "off"
"""The file under `.rcs` that switches the hooks off, in a workspace or, under the home folder, everywhere."""


def is_disabled(env: "Mapping[str, str]") -> bool:
    """Tell whether RCS_DISABLE switches the hooks off: any value but nothing and 0."""
    return env.get("RCS_DISABLE", "").strip() not in ("", "0")


def off_files(env: "Mapping[str, str]", root: str) -> list[str]:
    """Name the files that switch the hooks off: the one of the workspace, then the one for everywhere."""
    home = env.get("HOME", "")
    return [os.path.join(folder, HOME, OFF) for folder in (root, home) if os.path.isabs(folder)]


def off_by(env: "Mapping[str, str]", root: str) -> str:
    """Name what switches the hooks off: RCS_DISABLE, or the path of a file; empty where they are on."""
    if is_disabled(env):
        return "RCS_DISABLE"
    return next((path for path in off_files(env, root) if os.path.lexists(path) and not _is_brought(path, root)), "")


def _is_brought(off: str, root: str) -> bool:
    """Whether the workspace's own file came with the repository, and switches nothing off."""
    from rcs_hooks.state.tracked import is_tracked

    return off == os.path.join(root, HOME, OFF) and is_tracked(root, os.path.join(HOME, OFF))


def may_have_state(root: str, session: str) -> bool:
    """Whether a look at the state of this session can pay at all: it has a folder, or root has records.

    Raises OSError where there may be state that cannot be looked at.
    """
    folder = os.path.join(root, STATE)
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if is_foreign(root):
        return False
    for place in (SESSIONS, FOLDED):
        if place in names and is_name(session) and _exists(os.path.join(folder, place, session, "")):
            return True
    return any(name.endswith(MODE_SUFFIX) for name in names)


def state_folder(root: str) -> str:
    """The state folder of a workspace; raises UnsafePath where it would not lie inside it."""
    from rcs_hooks.errors import UnsafePath

    if any(_is_dangerous(char) for char in root):
        raise UnsafePath("the path of the workspace holds characters that cannot be shown, so no state is kept there")
    if fault := fault_of(root):
        raise UnsafePath(f"no state is kept there: the path of the workspace is none; {fault}")
    home, folder = os.path.join(root, HOME), os.path.join(root, STATE)
    if is_foreign(root):
        raise UnsafePath(f"{home} belongs to another user, so it is not used; remove it, or set RCS_ROOT")
    real_home = os.path.realpath(home)
    if inside(real_home, os.path.realpath(root)) and inside(os.path.realpath(folder), real_home):
        return folder
    link = STATE if os.path.islink(folder) else HOME
    raise UnsafePath(
        f"{link} of {root} is a link that leads out of it, so it is not used; to keep state elsewhere, set RCS_ROOT"
    )


def _is_dangerous(char: str) -> bool:
    """What moves a cursor, breaks a line, turns the writing round, or is no letter at all (half of a surrogate)."""
    return (
        char < " "
        or "\x7f" <= char <= "\x9f"
        or "\u2028" <= char <= "\u202e"
        or "\u2066" <= char <= "\u2069"
        or "\ud800" <= char <= "\udfff"
    )


def inside(path: str, folder: str) -> bool:
    """Both resolved."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def session_folder(session: str | None) -> str:
    """Relative to the state folder; that folder itself for the root scope."""
    return f"{SESSIONS}/{session}/" if session else ""


def has_sessions(root: str) -> bool:
    """Whether any session of this workspace has state."""
    return os.path.isdir(os.path.join(root, STATE, SESSIONS)) and not is_foreign(root)


def folded(folder: str, path: str) -> str | None:
    """Name what `sessions/<id>/...` is while that session is folded away; None while it is not. Follows no link."""
    top, _, below = path.partition("/")
    session = below.partition("/")[0]
    place = f"{folder}/{FOLDED}"
    if top != SESSIONS or not os.path.isdir(f"{place}/{session}"):
        return None
    if os.path.islink(place) or os.path.islink(f"{place}/{session}") or os.path.lexists(f"{folder}/{top}/{session}"):
        return None
    return f"{FOLDED}/{below}"


def mode_file(mode: str, session: str | None) -> str:
    return f"{session_folder(session)}{mode}{MODE_SUFFIX}"


def inventory_file(session: str | None) -> str:
    return f"{session_folder(session)}skill-active-state.json"


INVENTORY = "skill-active"
"""How `rcs state clear --mode` calls the inventory."""


def cleared_as(path: str) -> str:
    """What `rcs state clear --mode` calls a file."""
    name = path.rpartition("/")[2]
    return name.removesuffix(MODE_SUFFIX)


def ledger_file(session: str) -> str:
    return f"{session_folder(session)}hook-ledger.json"


def question_file(question: str, session: str | None) -> str:
    return f"{session_folder(session)}questions/{question}.json"
