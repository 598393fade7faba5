"""An archive for each target: the program, manual pages, completions and licences, as they are below a prefix such as
/usr/local."""

from release import NOTICES, OUT, SHARE, Entry, built, compressed, licences, tar, write_zip

pages = [path for path in sorted(SHARE.rglob("*")) if path.is_file() and path != NOTICES]
for target in built():
    top = target.archive.split(".")[0] + "/"
    entries = licences(top) + [target.entry(f"{top}bin/{target.program}")]
    entries += [Entry(f"{top}share/{path.relative_to(SHARE)}", path.read_bytes()) for path in pages]
    if target.archive.endswith(".zip"):
        write_zip(OUT / target.archive, entries)
    else:
        (OUT / target.archive).write_bytes(compressed(tar(entries)))
