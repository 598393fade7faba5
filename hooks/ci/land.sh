# On the branch that work lands on alone. A run that this push starts finds nothing to do.
git remote set-head origin --auto >/dev/null 2>&1 || exit 0
[ "$(git rev-parse --abbrev-ref origin/HEAD)" = "origin/$(git branch --show-current)" ] || exit 0
land() {
  git diff --cached --quiet || {
    git -c user.name=git-beads -c user.email=git-beads@localhost commit --quiet -m "$1 [skip ci]"
    git push --quiet origin HEAD || echo "others were faster: the next run does it" >&2
  }
}
