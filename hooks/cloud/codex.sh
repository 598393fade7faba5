# git-beads for Codex in the cloud. Variables of the environment say what is installed: GIT_BEADS_URL, the address of a
# binary, and its GIT_BEADS_SHA256; else GIT_BEADS_SOURCE, a git repository that cargo builds, at GIT_BEADS_REV.
# BEADS_URL is the address of this repository, and the secret BEADS_TOKEN its password, where it wants one.
INSTALL
install_git_beads || true
if ! command -v git-beads >/dev/null 2>&1; then
  :
elif [ -z "${BEADS_URL:-}" ]; then
  echo "git-beads: set BEADS_URL to the address of this repository" >&2
else
  # Git asks a helper for the password of that host: it is in no address, no argument and no file.
  beads_host=${BEADS_URL#*://}
  GIT_TERMINAL_PROMPT=0 GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=credential.helper GIT_CONFIG_VALUE_0= \
    GIT_CONFIG_KEY_1="credential.${BEADS_URL%%://*}://${beads_host%%/*}.helper" \
    GIT_CONFIG_VALUE_1='!f() { echo username=x-access-token; echo "password=$BEADS_TOKEN"; }; f' \
    git beads init --from "$BEADS_URL" -q || true
  git config beads.carry true
fi
