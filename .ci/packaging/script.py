"""install.sh, with the address where it finds the archives; without one, they are beside it."""

import shlex

from release import OUT, ROOT, URL

place = '$(dirname -- "$0")' if URL.startswith("file:") else shlex.quote(URL)
text = (ROOT / ".ci/packaging/install.sh").read_text()
(OUT / "install.sh").write_text(text.replace("@URL@", place))
