# Put it where fish looks at its start: git beads completion fish > ~/.config/fish/conf.d/git-beads.fish

function __git_beads_complete
    # Asked by git's own completion, which leaves out `git -C`; the last line below answers with it.
    if __git_beads_by_git
        set -q __git_beads_late; or return
        set -e __git_beads_late
    end
    set -l word (commandline -ct)
    # A quote that is still open is no part of the word.
    set -l plain (string unescape -- $word; or string replace -r '^[\'"]' '' -- $word)
    for line in (git-beads __complete -- (commandline -opc) "$plain" 2>/dev/null)
        switch $line
            case \tfiles
                __fish_complete_path $word
            case '?*'
                echo $line
        end
    end
end

function __git_beads_by_git
    string match -q '*__fish_git_complete_custom_command*' (status print-stack-trace)
end

# Loaded only now, the last line is too late for this time.
__git_beads_by_git; and set -g __git_beads_late
complete -c git-beads -f -k -a '(__git_beads_complete)'
complete -c git -n '__fish_git_using_command beads' -f -k -a '(__git_beads_complete)'
