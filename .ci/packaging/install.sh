#!/bin/sh
# Installs git-beads for this user: sh install.sh [--from FOLDER-OR-URL] [--to FOLDER]
# It takes the archive for this system from a folder or an address, and installs it only if its SHA-256 sum is the one of
# SHA256SUMS beside it, or of GIT_BEADS_SHA256 if that is set. It changes nothing outside of the folder, ~/.local if none is named.
set -eu
# It changes what `cd` means, and prints.
unset CDPATH
usage="sh install.sh [--from FOLDER-OR-URL] [--to FOLDER]"

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

# Prints the sum of a file.
sum() {
  if command -v sha256sum >/dev/null; then
    printed=$(sha256sum "$1")
  elif command -v shasum >/dev/null; then
    printed=$(shasum -a 256 "$1")
  else
    fail "there is neither sha256sum nor shasum, so the archive can't be checked; nothing was installed" "install one of them, from coreutils or perl"
  fi
  echo "${printed%% *}"
}

# Makes a folder, and prints its whole path.
folder() {
  # shellcheck disable=SC2174
  { mkdir -p -m 755 -- "$1" && cd -- "$1" >/dev/null && pwd; } ||
    fail "nothing can be installed into $1" "name a folder of yours: sh install.sh --to FOLDER"
}

main() {
  from=@URL@
  to=
  while [ $# -gt 0 ]; do
    case $1 in
      --from) from=${2:?"--from needs a folder or an address"} ;;
      --to) to=${2:?"--to needs a folder"} ;;
      *)
        echo "$usage" >&2
        case $1 in -h | --help) exit 0 ;; *) exit 2 ;; esac ;;
    esac
    shift 2
  done
  : "${to:=${HOME:?names no folder; name one by --to}/.local}"
  case $from in
    http://* | https://* | file://*) ;;
    *)
      from=$(cd -- "$from" >/dev/null && pwd) ||
        fail "there is no folder $from" "name the folder or the address that has the archive: sh install.sh --from FOLDER-OR-URL" ;;
  esac
  name=git-beads-$(target)
  command -v tar >/dev/null || fail "there is no tar, which takes the archive apart" "install tar"

  new=$(mktemp -d) next=
  trap 'rm -rf "$new" "$next"' EXIT
  before=$PWD
  cd "$new"
  get "$name.tar.gz"
  want=${GIT_BEADS_SHA256:-}
  if [ -z "$want" ]; then
    get SHA256SUMS
    want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\.tar\.gz\$/\1/p" SHA256SUMS)
  fi
  found=$(sum "$name.tar.gz")
  # Upper case is a form of the same number.
  case $(printf %s "$want" | tr A-F a-f) in
    "$found") ;;
    "") fail "SHA256SUMS does not name $name.tar.gz, so nothing was installed" "take both from the same release" ;;
    *) fail "$from/$name.tar.gz does not have the SHA-256 sum $want, so nothing was installed" "download it again" ;;
  esac
  tar -xzf "$name.tar.gz"
  cd "$before"

  to=$(folder "$to")
  bin=$(folder "$to/bin")
  share=$(folder "$to/share")
  [ ! -d "$bin/git-beads" ] || fail "$bin/git-beads is a folder, so nothing was installed" "name another folder: sh install.sh --to FOLDER"
  # Readable for all, as what is installed by other means.
  (umask 022 && cp -R "$new/$name/share/." "$share/")
  # A name of its own, then one step: at any time there is one whole file, also while the old one runs.
  next=$(mktemp "$bin/.git-beads.XXXXXX")
  cp "$new/$name/bin/git-beads" "$next"
  chmod 755 "$next"
  mv -f "$next" "$bin/git-beads"
  echo "installed $bin/git-beads"
  case :$PATH: in
    *:"$bin":*) ;;
    *) echo "add to the profile of your shell: export PATH=\"$bin:\$PATH\"" ;;
  esac
}

main "$@"
