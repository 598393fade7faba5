"""Wheels: one for each target, with the program as a script of it (PEP 427, PEP 639)."""

import base64
import hashlib

from release import DESCRIPTION, LICENSE, NAME, ROOT, VERSION, Entry, built, folder, licences, write_zip

stem = f"{NAME.replace('-', '_')}-{VERSION}"
info = f"{stem}.dist-info/"
about = f"""Metadata-Version: 2.4
Name: {NAME}
Version: {VERSION}
Summary: {DESCRIPTION}
License-Expression: {LICENSE}
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: THIRD-PARTY-LICENSES.txt
Requires-Python: >=3.8
Description-Content-Type: text/markdown

""" + (ROOT / ".ci/packaging/about.md").read_text()

for target in built():
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel.split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: {NAME} {VERSION}\nRoot-Is-Purelib: false\n{tags}"
    entries = [target.entry(f"{stem}.data/scripts/{target.program}")] + licences(f"{info}licenses/")
    entries += [Entry(f"{info}METADATA", about.encode()), Entry(f"{info}WHEEL", wheel.encode())]
    record = ""
    for entry in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b"=").decode()
        record += f"{entry.name},sha256={digest},{len(entry.data)}\n"
    entries.append(Entry(f"{info}RECORD", f"{record}{info}RECORD,,\n".encode()))
    write_zip(folder("pypi") / f"{stem}-py3-none-{target.wheel}.whl", entries)
