"""install.sh, with the address or the folder where it finds the archives."""

import shlex
import urllib.parse

from release import OUT, ROOT, URL

place = urllib.parse.unquote(URL.removeprefix("file://")) if URL.startswith("file://") else URL
text = (ROOT / ".ci/packaging/install.sh").read_text()
(OUT / "install.sh").write_text(text.replace("@URL@", shlex.quote(place)))
