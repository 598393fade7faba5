"""An image in OCI's layout with the program alone, for each processor that Linux has here. Another image copies the program
from it; what needs git, as `sync` does, needs an image that has git."""

import json
import time

from release import (DESCRIPTION, EPOCH, LICENSE, NAME, OUT, VERSION, Entry, built, compressed, licences, sha256, tar)

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
DATE = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
LABELS = {f"org.opencontainers.image.{name}": value for name, value in (
    ("title", NAME), ("description", DESCRIPTION), ("version", VERSION), ("licenses", LICENSE), ("created", DATE))}

blobs = {}


def blob(kind, data):
    """Adds a blob, and returns what describes it."""
    if not isinstance(data, bytes):
        data = json.dumps(data, separators=(",", ":")).encode()
    digest = sha256(data)
    blobs[digest] = data
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}


manifests = []
for target in built():
    if target.debian == "-":
        continue
    docs = f"usr/share/doc/{NAME}/"
    folders = ["tmp", "usr", "usr/bin", "usr/share", "usr/share/doc", docs[:-1]]
    entries = [Entry(name, None, 0o1777 if name == "tmp" else 0o755) for name in folders]
    layer = tar(entries + [target.entry(f"usr/bin/{NAME}")] + licences(docs))
    platform = {"os": "linux", "architecture": target.debian}
    config = platform | {
        "created": DATE,
        "config": {"Entrypoint": [f"/usr/bin/{NAME}"], "Env": ["PATH=/usr/bin"], "Labels": LABELS},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer)}"]},
    }
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": blob(CONFIG, config),
                "layers": [blob(LAYER, compressed(layer))]}
    manifests.append(blob(MANIFEST, manifest) | {"platform": platform})

index = blob(INDEX, {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": LABELS})
index["annotations"] = {"org.opencontainers.image.ref.name": VERSION}
entries = [Entry("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'),
           Entry("index.json", json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [index]}).encode()),
           Entry("blobs", None, 0o755), Entry("blobs/sha256", None, 0o755)]
entries += [Entry(f"blobs/sha256/{digest}", data) for digest, data in sorted(blobs.items())]
(OUT / f"{NAME}-image.tar").write_bytes(tar(entries))
