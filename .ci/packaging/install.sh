#!/bin/sh
# Installs git-beads for this user: sh install.sh [--from FOLDER-OR-URL] [--to FOLDER]
# It takes the archive for this system from a folder or an address, and installs it only if its SHA-256 sum is the one of
# SHA256SUMS beside it, or of GIT_BEADS_SHA256 if that is set. It changes nothing outside of the folder, ~/.local if none is named.
set -eu

fail() {
  echo "error: $1" >&2
  echo "hint: $2" >&2
  exit 1
}

# Prints the target of this system.
target() {
  case "$(uname -s)/$(uname -m)" in
    Linux/x86_64 | Linux/amd64) echo x86_64-unknown-linux-gnu ;;
    Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-musl ;;
    Darwin/x86_64) echo x86_64-apple-darwin ;;
    Darwin/arm64) echo aarch64-apple-darwin ;;
    *) fail "there is no archive for $(uname -s) on $(uname -m)" "build it from its source: cargo install --locked --path ." ;;
  esac
}

# Copies a file from where everything is to this folder.
get() {
  case $from in
    http://* | https://*)
      if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$1" "$from/$1"
      else
        wget -q -O "$1" "$from/$1"
      fi
      ;;
    *) cp "${from#file://}/$1" "$1" ;;
  esac || fail "can't get $from/$1" "name a folder or an address that has it: sh install.sh --from FOLDER-OR-URL"
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

main() {
  from='@URL@'
  to=${HOME:?}/.local
  while [ $# -gt 0 ]; do
    case $1 in
      --from) from=${2:?"--from needs a folder or an address"} ;;
      --to) to=${2:?"--to needs a folder"} ;;
      *) fail "unknown argument: $1" "sh install.sh [--from FOLDER-OR-URL] [--to FOLDER]" ;;
    esac
    shift 2
  done
  case $from in http://* | https://* | file://*) ;; *) from=$(cd "$from" && pwd) ;; esac
  mkdir -p "$to"
  to=$(cd "$to" && pwd)

  name=git-beads-$(target)
  new=$(mktemp -d)
  trap 'rm -rf "$new"' EXIT
  cd "$new"
  get "$name.tar.gz"
  want=${GIT_BEADS_SHA256:-}
  if [ -z "$want" ]; then
    get SHA256SUMS
    want=$(sed -n "s/^\([0-9a-f]*\)  $name\.tar\.gz\$/\1/p" SHA256SUMS)
  fi
  [ "$(sum "$name.tar.gz")" = "$want" ] ||
    fail "$from/$name.tar.gz does not have the SHA-256 sum ${want:-of SHA256SUMS}, so nothing was installed" "download it again"

  tar -xzf "$name.tar.gz"
  mkdir -p "$to/bin"
  cp -R "$name/share" "$to/"
  # The name changes from one whole file to another, also while the old one runs.
  cp "$name/bin/git-beads" "$to/bin/.git-beads.new"
  mv "$to/bin/.git-beads.new" "$to/bin/git-beads"
  echo "installed $to/bin/git-beads"
  case :$PATH: in
    *:"$to/bin":*) ;;
    *) echo "add to the profile of your shell: export PATH=\"$to/bin:\$PATH\"" ;;
  esac
}

main "$@"
