"""Compares what git reads of a repository with what libgit2 and dulwich read: objects, packs, refs, reflogs.

Usage: others.py REPOSITORY. Prints counts, or each difference and exits with 1.
"""

import subprocess
import sys
from pathlib import Path

import pygit2
from dulwich.reflog import read_reflog
from dulwich.repo import Repo

REPOSITORY = sys.argv[1]
KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
differences = []



def git(*args, text=None):
    done = subprocess.run(["git", "-C", REPOSITORY, *args], input=text, capture_output=True, check=True)
    return done.stdout


def differ(what):
    differences.append(what)


def objects_of_git():
    listed = git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    stream = git("cat-file", "--batch", text=b"\n".join(listed) + b"\n")
    found, at = {}, 0
    while at < len(stream):
        end = stream.index(b"\n", at)
        oid, kind, size = stream[at:end].decode().split()
        found[oid] = (kind, stream[end + 1 : end + 1 + int(size)])
        at = end + 1 + int(size) + 1
    return found


def refs_of_git():
    lines = git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    return dict(line.split() for line in lines)


def reflog_of_git(name):
    lines = git("log", "--walk-reflogs", "--format=%H %gs", name).decode().splitlines()
    return [tuple(line.split(" ", 1)) for line in lines]


def compare_with_libgit2(objects, refs, logs):
    repo = pygit2.Repository(REPOSITORY)
    for oid, (kind, content) in objects.items():
        number, data = repo.read(oid)
        if (KINDS[int(number)], data) != (kind, content):
            differ(f"libgit2: {kind} {oid}")
    if {str(oid) for oid in repo.odb} != set(objects):
        differ("libgit2: lists other objects")
    for name, oid in refs.items():
        if str(repo.references[name].resolve().target) != oid:
            differ(f"libgit2: {name}")
    for name, entries in logs.items():
        read = [(str(entry.oid_new), entry.message or "") for entry in repo.references[name].log()]
        if read != entries:
            differ(f"libgit2: reflog of {name}")


def compare_with_dulwich(objects, refs, logs):
    repo = Repo(REPOSITORY)
    for oid, (kind, content) in objects.items():
        read = repo.object_store[oid.encode()]
        read.check()
        if (read.type_name.decode(), read.as_raw_string()) != (kind, content):
            differ(f"dulwich: {kind} {oid}")
    for pack in repo.object_store.packs:
        pack.check()
    known = repo.refs.as_dict()
    for name, oid in refs.items():
        if known.get(name.encode()) != oid.encode():
            differ(f"dulwich: {name}")
    for name, entries in logs.items():
        with open(COMMON / "logs" / name, "rb") as file:
            read = [(entry.new_sha.decode(), entry.message.decode()) for entry in read_reflog(file)]
        if read[::-1] != entries:
            differ(f"dulwich: reflog of {name}")
    repo.close()


COMMON = Path(REPOSITORY, git("rev-parse", "--git-common-dir").decode().strip())


def main():
    objects, refs = objects_of_git(), refs_of_git()
    logged = [name for name in refs if (COMMON / "logs" / name).is_file() and name.startswith("refs/beads/")]
    logs = {name: reflog_of_git(name) for name in logged}
    compare_with_libgit2(objects, refs, logs)
    compare_with_dulwich(objects, refs, logs)
    if differences:
        sys.exit("\n".join(differences))
    entries = sum(map(len, logs.values()))
    print(f"{len(objects)} objects, {len(refs)} refs, {entries} reflog entries: 0 differences")


main()
