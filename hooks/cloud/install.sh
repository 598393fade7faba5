install_git_beads() {
  bin=${GIT_BEADS_BIN:-/usr/local/bin}
  [ -n "${GIT_BEADS_BIN:-}" ] || [ -w "$bin" ] || bin=$HOME/.local/bin
  PATH=$bin:$PATH
  [ -z "${GITHUB_PATH:-}" ] || echo "$bin" >> "$GITHUB_PATH"
  if command -v git-beads >/dev/null 2>&1; then return 0; fi
  if [ -z "${GIT_BEADS_URL:-}${GIT_BEADS_SOURCE:-}" ]; then
    echo "git-beads is not installed: set GIT_BEADS_URL and GIT_BEADS_SHA256, or GIT_BEADS_SOURCE" >&2
    return 0
  fi
  new=$(mktemp -d) && mkdir "$new/bin" || return 1
  if [ -n "${GIT_BEADS_URL:-}" ]; then
    curl --fail --silent --show-error --location --output "$new/bin/git-beads" --url "$GIT_BEADS_URL" &&
      echo "${GIT_BEADS_SHA256:-none}  $new/bin/git-beads" | sha256sum -c - >/dev/null &&
      chmod 755 "$new/bin/git-beads"
  else
    # Elsewhere than in the checkout: cargo and rustup would obey its files.
    (cd / && cargo install --quiet --locked --root "$new" --git "$GIT_BEADS_SOURCE" ${GIT_BEADS_REV:+--rev "$GIT_BEADS_REV"})
  fi && mkdir -p "$bin" && mv "$new/bin/git-beads" "$bin/git-beads" || {
    rm -rf "$new"
    echo "git-beads is not installed: no binary with that SHA-256, and none that could be built" >&2
    return 1
  }
  rm -rf "$new"
}
