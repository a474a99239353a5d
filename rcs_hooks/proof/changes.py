"""Takes what has changed in a work tree since a commit: the diff, and each file as `git add` would store it.

Nothing is written to the repository, and nothing of it runs: git stores what it has to compare in a folder of the
caller's, and reads the rest from the repository's own objects.
"""

from __future__ import annotations

import os
import stat

from rcs_hooks.errors import Refused, suppress
from rcs_hooks.files.ls_files import find_git
from rcs_hooks.proof.attributes import LFS, attributes_of, converted_ids
from rcs_hooks.proof.content import LINK, POINTER, POINTER_STARTS, REGULAR
from rcs_hooks.proof.git import SHOWN, Deadline, Git, GitCall
from rcs_hooks.proof.repository import Repository, around, outermost
from rcs_hooks.proof.work_tree import FOLDER, GITLINK, ID, ID_LENGTHS, MODE, list_files
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 60.0
START_SECONDS = 5.0
MOST_FILES = 10_000
LARGEST = 64 * 1024 * 1024
LARGEST_DIFF = 16 * 1024 * 1024
LONGEST_REF = 500
MOST_NAMED = 5
DIFF = (
    "diff-index",
    "--cached",
    "-p",
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "-O/dev/null",
)
SETTINGS = ("core.quotePath=true", "diff.suppressBlankEmpty=false")

Entry = tuple[bytes, bytes]
"""The mode and the id of a file."""


class ChangedFile(NamedTuple):
    """A file that was added or changed: its path, its content, and what it is."""

    path: str
    content: bytes
    is_program: bool = False
    is_link: bool = False


class Changes(NamedTuple):
    """What has changed below a folder since a commit. Paths are relative to that folder."""

    base: str
    """The id of the commit; empty for the time before the first one."""
    diff: bytes
    files: tuple[ChangedFile, ...]
    removed: tuple[str, ...]
    outside: tuple[str, ...]
    """What has changed elsewhere in the repository, relative to its top."""


def start_of(root: str, env: Mapping[str, str]) -> str | None:
    """Return the id of the commit that is checked out; empty before the first one, None without a repository.

    Raises Refused.
    """
    repository = _repository(root, env, START_SECONDS)
    return _commit(repository.git, "HEAD") or "" if repository else None


def changes_since(root: str, ref: str, env: Mapping[str, str], scratch: str) -> Changes:
    """Return what has changed below `root` since `ref`, or since HEAD has parted from it. Raises Refused.

    `ref`: empty for the time before the first commit. `scratch`: an empty folder, of which nothing is needed later.
    """
    repository = _repository(root, env, SECONDS)
    if repository is None:
        raise Refused(f"there is no git repository around {clean(root, SHOWN)}, so no changes can be taken from it")
    base = _base(repository.git, ref)
    git = _storing(repository, scratch)
    tree = base or _empty_tree(git)
    before, here = _in_commit(git, base) if base else {}, _on_disk(repository)
    now = _left_out(repository.git) | here
    changed = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    prefix = _prefix(root, repository.git.top)
    mine = sorted(path for path in changed if path.startswith(prefix))
    if len(mine) > MOST_FILES:
        raise Refused(f"{len(mine)} files have changed, more than {MOST_FILES}; list generated files in .gitignore")
    _store(repository, git, scratch, {path: here[path] for path in mine if path in here})
    _index(repository, git, base, {path: now.get(path) for path in mine})
    below = (f"--relative={os.fsdecode(prefix)}",) if prefix else ()
    (diff,) = git.output(GitCall((*DIFF, *below, tree, "--")))
    if len(diff) > LARGEST_DIFF:
        raise Refused(f"the diff has more than {LARGEST_DIFF >> 20} MB; list generated files in .gitignore")
    files = _files(git, prefix, {path: now[path] for path in mine if path in now})
    removed = tuple(os.fsdecode(path.removeprefix(prefix)) for path in mine if path not in now)
    outside = tuple(os.fsdecode(path) for path in sorted(changed.difference(mine)))
    return Changes(base, diff, files, removed, outside)


def _repository(root: str, env: Mapping[str, str], seconds: float) -> Repository | None:
    root = os.path.realpath(root)
    program = find_git(env, outermost(root, env))
    return around(program, root, env, Deadline(root, seconds)) if program else None


def _empty_tree(git: Git) -> str:
    (out,) = git.output(GitCall(("hash-object", "-t", "tree", "--stdin")))
    return out.decode().strip()


def _commit(git: Git, ref: str) -> str | None:
    (said,) = git.run(GitCall(("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")))
    return said.out.decode(errors="replace").strip() if said.exit == 0 else None


def _base(git: Git, ref: str) -> str:
    """Return the id of the commit at which HEAD has parted from `ref`; empty for the time before the first one."""
    if not ref:
        return ""
    is_ref = not ref.startswith("-") and len(ref) <= LONGEST_REF and ref.isprintable()
    commit = _commit(git, ref) if is_ref else None
    if commit is None:
        raise Refused(f"there is no commit {clean(ref, SHOWN)} in {clean(git.top, SHOWN)}")
    (said,) = git.run(GitCall(("merge-base", commit, "HEAD")))
    return said.out.decode().split("\n")[0] if said.exit == 0 else commit


def _storing(repository: Repository, scratch: str) -> Git:
    objects = f"{scratch}/objects"
    os.makedirs(f"{objects}/info", mode=0o700)
    with open(f"{objects}/info/alternates", "w", errors="surrogateescape") as file:
        file.write(f"{repository.common}/objects\n")
    git = repository.git.storing_in(objects, f"{scratch}/index")
    git.override(SETTINGS)
    return git


def _in_commit(git: Git, tree: str) -> dict[bytes, Entry]:
    """Return the files of a commit, without those of submodules and of `.rcs`."""
    (out,) = git.output(GitCall(("ls-tree", "-r", "-z", "--full-tree", tree)))
    entries: dict[bytes, Entry] = {}
    for line in out.split(b"\0"):
        words, _, path = line.partition(b"\t")
        if path and not words.startswith(GITLINK) and not _is_ours(path):
            mode, _, id = words.split(b" ")
            entries[path] = mode, id
    return entries


def _is_ours(path: bytes) -> bool:
    return b"/.rcs/" in b"/" + path


def _on_disk(repository: Repository) -> dict[bytes, Entry]:
    """Return the files on disk. One with a filter of its own is known by the index, until git finds that it differs."""
    listed = list_files(repository._replace(drivers=repository.drivers & {LFS.decode()}))
    length = ID_LENGTHS[repository.kind]
    if closed := [line[listed.at :] for line in listed.lines if line[MODE] == FOLDER]:
        raise Refused(f"{_named(closed)} cannot be read; make it readable, or list it in .gitignore")
    return {line[listed.at :]: (line[MODE], line[ID : ID + length]) for line in listed.lines}


def _left_out(git: Git) -> dict[bytes, Entry]:
    """Return the files that a sparse checkout leaves out, as the index has them: they are not removed."""
    (out,) = git.output(GitCall(("ls-files", "-s", "-t", "-z")))
    lines = (line.partition(b"\t") for line in out.split(b"\0") if line.startswith(b"S "))
    return {path: (words.split(b" ")[1], words.split(b" ")[2]) for words, _, path in lines if not _is_ours(path)}


def _prefix(root: str, top: str) -> bytes:
    relative = os.path.relpath(os.path.realpath(root), top)
    return b"" if relative == "." else os.fsencode(relative) + b"/"


def _store(repository: Repository, git: Git, scratch: str, files: dict[bytes, Entry]) -> None:
    """Let git store the content of these files. Raises Refused if one of them is not what it was a moment ago."""
    top, length = os.fsencode(git.top), ID_LENGTHS[repository.kind]
    pointers = _pointers(repository, [path for path, (mode, _) in files.items() if mode != LINK])
    texts, sizes = dict(pointers), {}
    for path, (mode, _) in files.items():
        with suppress(OSError):
            sizes[path] = os.lstat(os.path.join(top, path)).st_size
            if mode == LINK:
                texts[path] = _link_text(os.path.join(top, path))
    if sum(size for path, size in sizes.items() if path not in texts) > LARGEST:
        largest = os.fsdecode(max(sizes, key=lambda path: sizes[path]))
        what = f"the files that have changed have more than {LARGEST >> 20} MB, the largest is {clean(largest, SHOWN)}"
        raise Refused(f"{what}; list generated files in .gitignore")
    sources: dict[bytes, bytes] = {}
    for number, (path, text) in enumerate(texts.items()):
        sources[path] = os.fsencode(f"{scratch}/{number}.txt")
        with open(sources[path], "wb") as file:
            file.write(text)
    stored = converted_ids(git, [sources.get(path, path) for path in files], length, "-w", "--no-filters")
    others = [path for path, (_, id) in files.items() if stored.get(sources.get(path, path)) != id]
    converted = converted_ids(git, [path for path in others if path not in texts], length, "-w")
    if changing := [path for path in others if converted.get(path) != files[path][1]]:
        raise Refused(
            f"{_named(changing)} cannot be read, or has changed just now; make it readable, and collect again"
        )


def _pointers(repository: Repository, paths: list[bytes]) -> dict[bytes, bytes]:
    """Return what Git LFS would store in place of those files that it stores elsewhere."""
    if LFS.decode() not in repository.drivers:
        return {}
    mine = [path for path, values in attributes_of(repository.git, paths).items() if values.filter == LFS]
    texts = {path: _pointer_text(repository, path) for path in mine}
    return {path: text for path, text in texts.items() if text}


def _pointer_text(repository: Repository, path: bytes) -> bytes:
    """Return the pointer to a file; empty for one that is empty, is a pointer, or cannot be read."""
    import hashlib

    oid, size = hashlib.sha256(), 0
    with suppress(OSError), open(_regular(os.path.join(os.fsencode(repository.git.top), path)), "rb") as file:
        while chunk := file.read(1 << 20):
            repository.git.deadline.left()
            if not size and len(chunk) < 1024 and chunk.startswith(POINTER_STARTS):
                return b""
            oid.update(chunk)
            size += len(chunk)
    return POINTER % (oid.hexdigest().encode(), size) if size else b""


def _regular(path: bytes) -> int:
    from rcs_hooks.files.bounded import READ_FLAGS

    fd = os.open(path, READ_FLAGS)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError("not a file")


def _link_text(path: bytes) -> bytes:
    if os.path.islink(path):
        return os.readlink(path)
    with open(_regular(path), "rb") as file:  # where links are files, as `core.symlinks` says
        return file.read(4096)


def _index(repository: Repository, git: Git, base: str, changed: dict[bytes, Entry | None]) -> None:
    """Write an index that has the files of the base, but for those that have changed since; None for what is gone."""
    git.output(GitCall(("read-tree", base) if base else ("read-tree", "--empty")))
    nothing = b"0", b"0" * ID_LENGTHS[repository.kind]
    gone = [path for path, entry in changed.items() if entry is None]  # first, as each may be a folder now
    there = [path for path, entry in changed.items() if entry is not None]
    lines = (b"%b %b\t%b\0" % (*(changed[path] or nothing), path) for path in (*gone, *there))
    git.output(GitCall(("update-index", "-z", "--index-info"), b"".join(lines)))


def _files(git: Git, prefix: bytes, files: dict[bytes, Entry]) -> tuple[ChangedFile, ...]:
    (out,) = git.output(GitCall(("cat-file", "--batch"), b"".join(id + b"\n" for _, id in files.values())))
    found: list[ChangedFile] = []
    at = 0
    for path, (mode, _) in files.items():
        head = out.index(b"\n", at)
        size = int(out[at:head].rpartition(b" ")[2])
        content = out[head + 1 : head + 1 + size]
        at = head + size + 2
        name = os.fsdecode(path.removeprefix(prefix))
        found.append(ChangedFile(name, content, mode not in (REGULAR, LINK), mode == LINK))
    return tuple(found)


def _named(paths: list[bytes]) -> str:
    more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    return ", ".join(clean(os.fsdecode(path), SHOWN) for path in paths[:MOST_NAMED]) + more
