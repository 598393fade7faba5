//! Texts of hooks: the templates of `hooks/`, and the fence around the installed block in a file of
//! the user.
//!
//! A block is added and removed so that every other byte stays, which `git config` does not do for
//! a configuration without a final newline.

use crate::ops::{Error, Hint, Result};

const LINE: &str = include_str!("../../hooks/line.sh");
const BLOCK: &str = include_str!("../../hooks/block.sh");
const CONFIG: &str = include_str!("../../hooks/config");
const LEFTHOOK: &str = include_str!("../../hooks/lefthook.yml");
const PRE_COMMIT: &str = include_str!("../../hooks/pre-commit.yaml");

const START: &[u8] = b"# >>> git-beads hook v";
const END: &[u8] = b"# <<< git-beads hook v";
const SHEBANG: &str = "#!/bin/sh\n";
/// Beginning of the note in the block of a file that was created for it.
const MADE: &str = "It made this file";
/// Continuation of the note where the folder was created too.
const WITH_FOLDER: &str = " and its folder";
/// Number of lines of code in which a script may start another interpreter on itself.
const OPENING: usize = 5;
/// Shells that understand the block.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "zsh", "ksh"];

/// The call for an event of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HookCall {
    /// The name of the hook.
    pub(super) event: &'static str,
    /// True if it exchanges with a remote.
    pub(super) sync: bool,
}

impl HookCall {
    /// Returns the words after `git-beads hook`.
    fn words(self) -> String {
        if self.sync {
            format!("--sync {}", self.event)
        } else {
            self.event.to_owned()
        }
    }

    fn fill(self, template: &str) -> String {
        template
            .replace("hook EVENT", &format!("hook {}", self.words()))
            .replace("EVENT", self.event)
    }

    /// Returns a line of shell that starts git-beads in the background, and never fails.
    pub(super) fn line(self) -> String {
        self.fill(LINE).trim_end().to_owned()
    }

    /// Returns the line for a script that git runs for other events too.
    pub(super) fn own_line(self) -> String {
        format!(
            "case \"${{0##*/}}\" in {}) {};; esac",
            self.event,
            self.line()
        )
    }

    /// Returns the command itself, for a script in another language.
    pub(super) fn command(self) -> String {
        format!("git-beads hook {} ARGUMENTS", self.words())
    }

    /// Returns the part of the configuration of lefthook.
    pub(super) fn lefthook(self) -> String {
        self.fill(LEFTHOOK)
    }

    /// Describes the part of a configuration of lefthook that is not YAML.
    pub(super) fn lefthook_words(self) -> String {
        let yaml = self.lefthook();
        let run = yaml
            .lines()
            .find_map(|line| line.trim().strip_prefix("run: "))
            .unwrap_or_default();
        format!(
            "to the jobs of {}: one with the name git-beads that runs {run}",
            self.event
        )
    }

    /// Returns the part of the configuration of pre-commit.
    pub(super) fn pre_commit(self) -> String {
        self.fill(PRE_COMMIT)
    }

    /// Returns a section of git's configuration, enabled or disabled as in the text of an earlier
    /// one.
    fn section(self, earlier: &str) -> String {
        // git appends its arguments to the command: the function takes them where a bare line would not.
        let command = format!("beads() {{ {}; }}; beads", self.line());
        let quoted = format!("\"{}\"", command.replace('\\', "\\\\").replace('"', "\\\""));
        let section = CONFIG.replace("EVENT", self.event).replace("LINE", &quoted);
        let head = section.lines().next().unwrap_or_default();
        let old = earlier
            .lines()
            .skip_while(|line| *line != head)
            .skip(1)
            .take_while(|line| !line.starts_with('['));
        let switch = old.filter(|line| {
            line.trim_start()
                .to_ascii_lowercase()
                .starts_with("enabled")
        });
        section.clone() + &switch.map(|line| format!("{line}\n")).collect::<String>()
    }

    /// Returns whether a text has a call for this event, with or without an exchange.
    pub(super) fn is_in(self, text: &str) -> bool {
        ["", "--sync "]
            .iter()
            .any(|sync| calls(text, &format!("git-beads hook {sync}{}", self.event)))
    }

    /// Returns whether a text has exactly this call.
    pub(super) fn is_exactly_in(self, text: &str) -> bool {
        calls(text, &format!("git-beads hook {}", self.words()))
    }
}

/// Returns whether a text has a command outside of its comments.
fn calls(text: &str, command: &str) -> bool {
    without_comments(text, &["#", "//"]).any(|line| line.contains(command))
}

/// Returns the lines of a text that are neither empty nor begin with a mark of comments.
fn without_comments<'a>(
    text: &'a str,
    marks: &'static [&'static str],
) -> impl Iterator<Item = &'a str> {
    let is_code = |line: &str| !line.is_empty() && !marks.iter().any(|mark| line.starts_with(mark));
    text.lines().filter(move |line| is_code(line.trim_start()))
}

/// Returns a fenced block with this content.
fn block(content: &str, note: &str) -> String {
    BLOCK
        .replace(" NOTE", &format!(" {note}"))
        // Without a note a blank would be left at the end of its line.
        .replace(" \n", "\n")
        .replace("LINE", content.trim_end())
}

/// Interpreter of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Runner {
    /// A shell that understands the block.
    Shell,
    /// Another interpreter, by name.
    Other(String),
    /// None: it is a binary program.
    Program,
    /// None: the first line ends with CRLF.
    Nothing,
}

impl Runner {
    /// Describes a script that no shell runs.
    pub(super) fn foreign(&self) -> Option<String> {
        match self {
            Self::Shell => None,
            Self::Other(what) => Some(what.clone()),
            Self::Program => Some("a program".to_owned()),
            Self::Nothing => {
                Some("a script that no system runs: its first line ends with CRLF".to_owned())
            }
        }
    }
}

/// Returns the interpreter of a script, by its first lines; git runs one without `#!` with `sh`.
pub(super) fn runner(text: &[u8]) -> Runner {
    match first_runner(text) {
        // A shell runs its first lines, and then the other interpreter reads the whole file, our block as well.
        Runner::Shell if starts_interpreter(&String::from_utf8_lossy(text)) => {
            Runner::Other("a script of another language, which its first lines start".to_owned())
        }
        runner => runner,
    }
}

/// Returns whether a shell script starts another interpreter on itself first: `exec tclsh "$0"`.
fn starts_interpreter(text: &str) -> bool {
    let code: String = without_comments(text, &["#"])
        .map(|line| format!("{line}\n"))
        .collect();
    // A line may go on after a backslash.
    code.replace("\\\n", " ").lines().take(OPENING).any(|line| {
        let mut words = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', ';']));
        words.any(|word| matches!(word, "exec" | "perl"))
            && words.any(|word| matches!(word, "$0" | "${0}"))
    })
}

fn first_runner(text: &[u8]) -> Runner {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(line) = first.strip_prefix(b"#!") else {
        return if text.contains(&0) {
            Runner::Program
        } else {
            Runner::Shell
        };
    };
    if line.ends_with(b"\r") {
        return Runner::Nothing;
    }
    let line = String::from_utf8_lossy(line).into_owned();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = line.split_whitespace().map(base);
    let first = words.next().unwrap_or_default();
    let name = match first.as_str() {
        // Options of `env`, and variables that it sets, come before the program.
        "env" => words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .unwrap_or_default(),
        _ => first,
    };
    if SHELLS.contains(&name.as_str()) {
        Runner::Shell
    } else {
        Runner::Other(format!("a script of {name}"))
    }
}

/// Adds a call to a script, directly after its first line: a call after an `exit` would never run.
/// A new script notes whether its folder is created with it.
pub(super) fn into_script(text: Option<&[u8]>, call: HookCall, with_folder: bool) -> Vec<u8> {
    let Some(text) = text else {
        let note = format!("{MADE}{}.", if with_folder { WITH_FOLDER } else { "" });
        return format!("{SHEBANG}{}", block(&call.line(), &note)).into_bytes();
    };
    let block = block(&call.line(), "");
    // git runs it with `sh`: there is no first line to stay behind.
    if !text.starts_with(b"#!") {
        return [block.as_bytes(), text].concat();
    }
    let end = text
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(text.len(), |at| at + 1);
    let (first, rest) = text.split_at(end);
    if rest.is_empty() {
        at_end(first, &block)
    } else {
        [first, block.as_bytes(), rest].concat()
    }
}

/// Adds calls at the end of git's configuration; a hook that was disabled in the earlier block
/// stays disabled.
pub(super) fn into_config(text: &[u8], calls: &[HookCall], earlier: &str) -> Vec<u8> {
    let sections: String = calls.iter().map(|call| call.section(earlier)).collect();
    if sections.is_empty() {
        text.to_owned()
    } else {
        at_end(text, &block(&sections, ""))
    }
}

/// Appends a block. A text without a final newline has none after the block either, so that
/// removing the block restores it.
fn at_end(text: &[u8], block: &str) -> Vec<u8> {
    if text.is_empty() || text.ends_with(b"\n") {
        return [text, block.as_bytes()].concat();
    }
    [text, b"\n", block.trim_end().as_bytes()].concat()
}

/// Returns the text without the installed block; none if nothing is left of a file that was created
/// for it.
pub(super) fn without(text: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut text = text.to_owned();
    let mut made = false;
    // Every block: two versions, or a merge by hand, may have left several.
    while let Some(start) = line_with(&text, START, 0) {
        let broken = || {
            Error::invalid(
                "the end of the block that begins with `# >>> git-beads hook` is missing",
            )
            .hinted(Hint::again("remove what is left of it by hand, and ", ""))
        };
        let last = line_with(&text, END, start).ok_or_else(broken)?;
        let end = text[last..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |at| last + at + 1);
        made |= String::from_utf8_lossy(&text[start..end]).contains(MADE);
        // `at_end` puts a newline before a block that ends without one; it goes with the block.
        let from = if text[start..end].ends_with(b"\n") {
            start
        } else {
            start.saturating_sub(1)
        };
        text.drain(from..end);
    }
    Ok((!made || text != SHEBANG.as_bytes()).then_some(text))
}

/// Returns whether the block in a script notes that its folder was created with it.
pub(super) fn is_with_folder(text: &[u8]) -> bool {
    fenced(text).is_some_and(|block| block.contains(&format!("{MADE}{WITH_FOLDER}")))
}

/// Returns the installed block in a text.
pub(super) fn fenced(text: &[u8]) -> Option<String> {
    let start = line_with(text, START, 0)?;
    let end = line_with(text, END, start)?;
    Some(String::from_utf8_lossy(&text[start..end]).into_owned())
}

/// Returns the start of the first line with a prefix, from a place on.
fn line_with(text: &[u8], prefix: &[u8], from: usize) -> Option<usize> {
    let begins =
        |at: &usize| text[*at..].starts_with(prefix) && (*at == 0 || text[at - 1] == b'\n');
    (from..text.len()).find(begins)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CALL: HookCall = HookCall {
        event: "post-merge",
        sync: false,
    };

    #[test]
    fn runners_are_told_by_the_first_line() {
        let shells = [
            "#!/bin/sh\n",
            "#! /bin/bash -e\n",
            "#!/usr/bin/env bash\n",
            "#!/usr/bin/env -S zsh -f\n",
            "",
            "ls",
        ];
        for text in shells {
            assert_eq!(runner(text.as_bytes()), Runner::Shell, "{text:?}");
        }
        for (text, other) in [
            ("#!/usr/bin/env python3\n", "a script of python3"),
            ("#!/usr/bin/perl -w\n", "a script of perl"),
            ("#!/usr/bin/fish\n", "a script of fish"),
        ] {
            assert_eq!(
                runner(text.as_bytes()),
                Runner::Other(other.into()),
                "{text:?}"
            );
        }
        assert_eq!(runner(b"\x7fELF\0"), Runner::Program);
        assert_eq!(runner(b"#!/bin/sh\r\n"), Runner::Nothing);
    }

    #[test]
    fn a_block_stands_after_the_first_line() {
        let text =
            String::from_utf8(into_script(Some(b"#!/bin/sh -e\nexit 0\n"), CALL, false)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            (lines[0], lines[1], lines[5]),
            ("#!/bin/sh -e", "# >>> git-beads hook v1 >>>", "exit 0")
        );
        assert!(!text.contains("  ") && !text.contains(" \n"), "{text}");
    }

    #[test]
    fn a_block_without_an_end_is_an_error() {
        assert!(without(b"#!/bin/sh\n# >>> git-beads hook v1 >>>\n").is_err());
    }

    #[test]
    fn what_was_made_for_the_block_goes_with_it() {
        assert_eq!(without(&into_script(None, CALL, false)).unwrap(), None);
        let edited = [into_script(None, CALL, false), b"echo mine\n".to_vec()].concat();
        assert_eq!(
            without(&edited).unwrap(),
            Some(b"#!/bin/sh\necho mine\n".to_vec())
        );
    }

    proptest! {
        #[test]
        fn every_byte_comes_back(text in "(#!/bin/sh(\r?\n)?)?[a-z#\\[\\]\r\n ]{0,40}") {
            let text = text.as_bytes();
            prop_assert_eq!(without(&into_script(Some(text), CALL, false)).unwrap().unwrap(), text);
            prop_assert_eq!(without(&into_config(text, &[CALL], "")).unwrap().unwrap(), text);
            let twice = into_script(Some(&into_script(Some(text), CALL, false)), CALL, false);
            prop_assert_eq!(without(&twice).unwrap().unwrap(), text);
        }
    }
}
