"""Writes the time of the commit into a program for Windows, where its linker writes the time of the build."""

import struct
import sys

from release import EPOCH

with open(sys.argv[1], "r+b") as file:
    file.seek(60)
    header = struct.unpack("<I", file.read(4))[0]
    file.seek(header)
    assert file.read(4) == b"PE\0\0"
    file.seek(header + 8)
    file.write(struct.pack("<I", EPOCH))
