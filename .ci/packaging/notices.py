"""The licences of all that is linked into the program, each text once, with the crates that have it."""

import pathlib
import re

from crates import PACKAGES, used
from release import NAME, NOTICES, SYSTEM

FILE = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
RULE = "-" * 78 + "\n"

texts, without = {}, []
for id in used():
    package = PACKAGES[id]
    crate = f"{package['name']} {package['version']}"
    files = sorted(path for path in pathlib.Path(package["manifest_path"]).parent.iterdir()
                   if path.is_file() and FILE.match(path.name))
    for path in files:
        text = path.read_text(errors="replace").replace("\r\n", "\n").strip() + "\n"
        texts.setdefault(text, []).append(crate)
    if not files:
        authors = ", ".join(package["authors"]) or "its authors"
        without.append(f"{crate}: {package['license']}, by {authors}")

about = f"""{NAME} is linked with these libraries. Below are the licences that they come with.

Of the system, in one build or another:
"""
about += "".join(f"  {name}: {licence}\n" for name, licence in SYSTEM.items())
about += f"""
The program for Linux on x86_64 has the GNU C library within it. Its source is at https://www.gnu.org/software/libc/, and the
source of {NAME} links it again with any other version of that library.

Crates without a file of their licence:
"""
about += "".join(f"  {line}\n" for line in without)
for text, crates in sorted(texts.items(), key=lambda it: it[1]):
    about += f"\n{RULE}{', '.join(dict.fromkeys(crates))}\n{RULE}\n{text}"
NOTICES.parent.mkdir(parents=True, exist_ok=True)
NOTICES.write_text(about)
