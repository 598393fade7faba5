"""What the program is made of, in CycloneDX's form: the crates that are linked or run while it is built, for all targets,
and the SQLite within one of them."""

import json
import pathlib
import re
import time
import tomllib

from crates import NODES, PACKAGES, TOP, below, used
from release import DESCRIPTION, EPOCH, LICENSE, NAME, OUT, ROOT, SYSTEM, VERSION

lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
sums = {(it["name"], it["version"]): it.get("checksum") for it in lock}


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


linked = used()
components = [component(PACKAGES[it]) for it in linked]
needs = {purl(PACKAGES[it]): [purl(PACKAGES[to]) for to in below(NODES[it])] for it in linked + [TOP]}
for it in linked:
    header = pathlib.Path(PACKAGES[it]["manifest_path"]).parent / "sqlite3/sqlite3.h"
    if PACKAGES[it]["name"] == "libsqlite3-sys":
        version = re.search(r'#define SQLITE_VERSION +"([^"]+)"', header.read_text())[1]
        sqlite = f"pkg:generic/sqlite@{version}"
        components.append({"type": "library", "bom-ref": sqlite, "name": "sqlite", "version": version, "purl": sqlite,
                           "licenses": [{"license": {"id": "blessing"}}]})
        needs |= {sqlite: [], purl(PACKAGES[it]): needs[purl(PACKAGES[it])] + [sqlite]}

# What is linked and is no crate, without versions: they are those of the machine that links.
for name, licence in SYSTEM.items():
    component_ref = f"pkg:generic/{name}"
    components.append({"type": "library", "bom-ref": component_ref, "name": name, "purl": component_ref,
                       "licenses": [{"expression": licence}]})
    needs |= {component_ref: [], purl(PACKAGES[TOP]): needs[purl(PACKAGES[TOP])] + [component_ref]}

program = {"type": "application", "bom-ref": purl(PACKAGES[TOP]), "name": NAME, "version": VERSION,
           "description": DESCRIPTION, "purl": purl(PACKAGES[TOP]), "licenses": [{"expression": LICENSE}]}
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
