# Load it in each shell, from ~/.bashrc: eval "$(git beads completion bash)"
# Or once, on demand: git beads completion bash > ~/.local/share/bash-completion/completions/git-beads

__git_beads_complete() {
    local rest=${COMP_LINE:0:COMP_POINT} word='' line i
    local -a words=()
    rest=${COMP_WORDS[0]}${rest#*"${COMP_WORDS[0]}"}
    # Bash ends words at : = @ too; they are put together again.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        [[ $i -eq 0 || $rest == [[:space:]]* ]] && words+=('')
        rest=${rest#"${rest%%[![:space:]]*}"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$rest
        words[${#words[@]} - 1]+=$word
        rest=${rest#"$word"}
    done
    case $word in [:=@]*) word='' ;; esac
    # Git's own completion, which may be the caller, adds no space and falls back to files.
    compopt +o nospace +o default +o bashdefault 2>/dev/null
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            $'\tfiles') compopt -o default 2>/dev/null ;;
            ?*) COMPREPLY+=("$line") ;;
        esac
    done < <(git-beads __complete --bash="$word" -- "${words[@]}" 2>/dev/null)
}

# Git's own completion calls this for `git beads`.
_git_beads() { __git_beads_complete; }

complete -F __git_beads_complete git-beads
