#compdef git-beads
#description issues in the git repository they are about
# Put it where zsh looks for completions: git beads completion zsh > "${fpath[1]}/_git-beads"

_git-beads() {
  local -a before lines values shown
  local line width=0
  before=("${(@Q)words[1,CURRENT-1]}")
  # Called by git's own completion, the words begin with `beads`; its options were read already.
  if [[ ${before[1]:t} != git-beads ]]; then
    before=(git ${opt_args[-C]:+-C} ${(Q)opt_args[-C]} "${before[@]}")
  fi
  lines=("${(@f)$(git-beads __complete -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $lines[1] == $'\tfiles' ]]; then
    _files
    return
  fi
  values=("${(@)lines%%$'\t'*}")
  [[ -n $values[1] ]] || return 1
  for line in "${values[@]}"; do (( width = $#line > width ? $#line : width )); done
  for line in "${lines[@]}"; do
    [[ $line == *$'\t'* ]] && shown+=("${(r:width:)line%%$'\t'*}  -- ${line#*$'\t'}") || shown+=("$line")
  done
  compadd -V git-beads -l -d shown -a -- values
}

if [[ $funcstack[1] == _git-beads ]]; then
  _git-beads "$@"
else
  compdef _git-beads git-beads
fi
