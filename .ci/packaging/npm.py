"""Packages for npm: `git-beads`, which starts the program, and for each target a package that holds it. npm installs the
one that fits the system, and nothing runs while it does so."""

import json

from release import (DESCRIPTION, LICENSE, NAME, PACKAGE, ROOT, VERSION, Entry, built, compressed, folder, licences, tar)


def write(name, about, entries):
    about = {"name": name, "version": VERSION, "description": DESCRIPTION, "license": LICENSE} | about
    if "repository" in PACKAGE:
        about["repository"] = {"type": "git", "url": "git+" + PACKAGE["repository"] + ".git"}
    text = json.dumps(about, indent=2) + "\n"
    entries = [Entry("package/package.json", text.encode())] + entries + licences("package/")
    (folder("npm") / f"{name}.tgz").write_bytes(compressed(tar(entries)))


optional = {}
for target in built():
    name = f"{NAME}-{target.npm}"
    system, processor = target.npm.split("-")
    optional[name] = VERSION
    write(name, {"os": [system], "cpu": [processor], "preferUnplugged": True},
          [target.entry(f"package/bin/{target.program}")])
about = {"keywords": PACKAGE["keywords"], "mcpName": "io.github.git-beads/git-beads", "bin": {NAME: "launcher.js"},
         "engines": {"node": ">=18"}, "optionalDependencies": optional}
write(NAME, about, [Entry("package/launcher.js", (ROOT / ".ci/packaging/launcher.js").read_bytes(), 0o755),
                    Entry("package/README.md", (ROOT / ".ci/packaging/about.md").read_bytes())])
