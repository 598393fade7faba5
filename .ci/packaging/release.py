"""What the scripts for packages share: facts of the project, the binaries that were built, and archives that are the same
wherever and whenever they are made."""

import gzip
import hashlib
import io
import os
import pathlib
import stat
import tarfile
import time
import tomllib
import zipfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARIES = ROOT / "target/release-binaries"
SHARE = ROOT / "target/release-share"
OUT = ROOT / "target/release-packages"
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])

PACKAGE = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
NAME, VERSION, LICENSE = PACKAGE["name"], PACKAGE["version"], PACKAGE["license"]
DESCRIPTION = PACKAGE["description"]
# Where what is in `OUT` can be downloaded once it is published; .ci/release says what it is.
URL = os.environ.get("GIT_BEADS_RELEASE_URL", "")
HOMEPAGE = PACKAGE.get("repository", URL)


# What is linked into the program and is no crate, in one target or another, with its licence.
SYSTEM = {
    "rust-std": "MIT OR Apache-2.0",
    "glibc": "LGPL-2.1-or-later",
    "musl": "MIT",
    "mingw-w64": "ZPL-2.1",
    "compiler-rt": "Apache-2.0 WITH LLVM-exception",
}
NOTICES = SHARE / f"doc/{NAME}/THIRD-PARTY-LICENSES.txt"


@dataclass(frozen=True)
class Entry:
    """A file of an archive, or a folder where there is no data."""

    name: str
    data: bytes | None
    mode: int = 0o644


@dataclass(frozen=True)
class Target:
    name: str
    npm: str
    wheel: str
    debian: str
    rpm: str

    @property
    def program(self):
        return NAME + (".exe" if "windows" in self.name else "")

    @property
    def archive(self):
        return f"{NAME}-{self.name}" + (".zip" if "windows" in self.name else ".tar.gz")

    def entry(self, name):
        """The binary, as a file of that name."""
        return Entry(name, (BINARIES / self.name / self.program).read_bytes(), 0o755)


def built():
    """The targets whose binary is there."""
    rows = (line.split() for line in (ROOT / ".ci/packaging/targets").read_text().splitlines() if line[:1] != "#")
    targets = [Target(*row) for row in rows]
    return [target for target in targets if (BINARIES / target.name / target.program).is_file()]


def licences(folder):
    """The licences of the program, and those of what is linked into it."""
    files = [ROOT / "LICENSE-APACHE", ROOT / "LICENSE-MIT", NOTICES]
    return [Entry(folder + file.name, file.read_bytes()) for file in files]


def write_tar(file, entries):
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.mtime, info.mode = EPOCH, entry.mode
            if entry.data is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(entry.data)
                archive.addfile(info, io.BytesIO(entry.data))


def tar(entries):
    buffer = io.BytesIO()
    write_tar(buffer, entries)
    return buffer.getvalue()


def compressed(data):
    return gzip.compress(data, 9, mtime=0)


def write_zip(path, entries):
    date = time.gmtime(max(EPOCH, 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, date)
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | entry.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.data)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def folder(name):
    """A folder of what is published."""
    (OUT / name).mkdir(parents=True, exist_ok=True)
    return OUT / name
