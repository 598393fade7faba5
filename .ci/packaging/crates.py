"""The crates that are linked into the program or run while it is built, for all targets."""

import json
import subprocess

from release import ROOT

metadata = json.loads(subprocess.check_output(
    ["cargo", "metadata", "--locked", "--format-version", "1"], cwd=ROOT))
PACKAGES = {it["id"]: it for it in metadata["packages"]}
NODES = {it["id"]: it for it in metadata["resolve"]["nodes"]}
TOP = metadata["resolve"]["root"]


def below(node):
    """What a crate needs, without what only its tests do."""
    return sorted(it["pkg"] for it in node["deps"] if any(kind["kind"] != "dev" for kind in it["dep_kinds"]))


def used():
    """Their ids, without the one of the program."""
    seen, rest = {TOP}, [TOP]
    while rest:
        new = set(below(NODES[rest.pop()])) - seen
        seen |= new
        rest += new
    return sorted(seen - {TOP}, key=lambda it: (PACKAGES[it]["name"], PACKAGES[it]["version"]))
