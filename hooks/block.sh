# >>> git-beads hook v1 >>>
# Refreshes the index of git beads, beside git; `git beads hooks uninstall` removes it. NOTE
LINE
# <<< git-beads hook v1 <<<
