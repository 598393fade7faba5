# git-beads for Claude Code on the web. Variables of the environment say what is installed: GIT_BEADS_URL, the address of
# a binary, and its GIT_BEADS_SHA256; else GIT_BEADS_SOURCE, a git repository that cargo builds, at GIT_BEADS_REV.
INSTALL
install_git_beads || true
