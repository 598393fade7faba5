"""What the program is made of, in CycloneDX's form: the crates that are linked or run while it is built, for all targets,
and the SQLite within one of them."""

import json
import pathlib
import re
import subprocess
import time
import tomllib

from release import DESCRIPTION, EPOCH, LICENSE, NAME, OUT, ROOT, VERSION

metadata = json.loads(subprocess.check_output(
    ["cargo", "metadata", "--locked", "--format-version", "1"], cwd=ROOT))
lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
sums = {(it["name"], it["version"]): it.get("checksum") for it in lock}
packages = {it["id"]: it for it in metadata["packages"]}
nodes = {it["id"]: it for it in metadata["resolve"]["nodes"]}


def below(node):
    """What a crate needs, without what only its tests do."""
    return sorted(it["pkg"] for it in node["deps"] if any(kind["kind"] != "dev" for kind in it["dep_kinds"]))


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package):
    found = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"],
             "purl": purl(package)}
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := sums.get((package["name"], package["version"])):
        found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return found


root = metadata["resolve"]["root"]
seen, rest = {root}, [root]
while rest:
    new = set(below(nodes[rest.pop()])) - seen
    seen |= new
    rest += new

used = sorted(seen - {root}, key=lambda it: purl(packages[it]))
components = [component(packages[it]) for it in used]
needs = {purl(packages[it]): [purl(packages[to]) for to in below(nodes[it])] for it in seen}
for it in used:
    header = pathlib.Path(packages[it]["manifest_path"]).parent / "sqlite3/sqlite3.h"
    if packages[it]["name"] == "libsqlite3-sys":
        version = re.search(r'#define SQLITE_VERSION +"([^"]+)"', header.read_text())[1]
        sqlite = f"pkg:generic/sqlite@{version}"
        components.append({"type": "library", "bom-ref": sqlite, "name": "sqlite", "version": version, "purl": sqlite,
                           "licenses": [{"license": {"id": "blessing"}}]})
        needs |= {sqlite: [], purl(packages[it]): needs[purl(packages[it])] + [sqlite]}

program = {"type": "application", "bom-ref": purl(packages[root]), "name": NAME, "version": VERSION,
           "description": DESCRIPTION, "purl": purl(packages[root]), "licenses": [{"expression": LICENSE}]}
bom = {
    "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "version": 1,
    "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)), "component": program},
    "components": components,
    "dependencies": [{"ref": ref, "dependsOn": sorted(to)} for ref, to in sorted(needs.items())],
}
(OUT / f"{NAME}.cdx.json").write_text(json.dumps(bom, indent=1) + "\n")
