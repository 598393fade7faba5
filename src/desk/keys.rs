//! The keys of the faces: one table, from which a key is looked up, and the line of keys and the list of them are drawn.

use serde::Serialize;
use serde_json::{Value, json};

use crate::ops::act::{ACTS, ActKind};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Does {
    Down,
    Up,
    First,
    Last,
    HalfDown,
    HalfUp,
    Mark,
    MarkRange,
    MarkAll,
    Inbox,
    Board,
    List,
    Graph,
    Log,
    Stats,
    NextScreen,
    ScreenBefore,
    Palette,
    News,
    Follow,
    Past,
    AllRepos,
    Open,
    Back,
    Quit,
    QuitNow,
    NextPane,
    PaneBefore,
    ToPanel,
    ToRows,
    Query,
    Saved,
    Arrange,
    Change,
    Answer,
    Resolve,
    Accept,
    SendBack,
    Done,
    State,
    Priority,
    Assign,
    Labels,
    Kind,
    MoveLeft,
    MoveRight,
    Title,
    Comment,
    New,
    Child,
    Link,
    ToMe,
    Delete,
    Sync,
    Copy,
    Narrow,
    Edit,
    CommentInEditor,
    SplitInEditor,
    Shell,
    InBrowser,
    Undo,
    Redo,
    Help,
    Mouse,
    Suspend,
    Redraw,
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct KeyLine {
    pub(crate) does: Does,
    /// The names of the keys; two with a space between are typed one after the other.
    pub(crate) keys: &'static [&'static str],
    /// As the list of keys says it; empty for an act, which has words of its own.
    words: &'static str,
    /// As the line of keys says it; empty for what everybody tries anyway.
    pub(crate) short: &'static str,
}

const fn line(
    does: Does,
    keys: &'static [&'static str],
    short: &'static str,
    words: &'static str,
) -> KeyLine {
    KeyLine {
        does,
        keys,
        words,
        short,
    }
}

/// All keys, in the order of the line of keys.
pub(crate) static KEYS: &[KeyLine] = &[
    line(Does::Open, &["enter"], "open", "open the issue"),
    line(
        Does::NextPane,
        &["tab"],
        "next id",
        "other pane, or next id",
    ),
    line(
        Does::Change,
        &["v"],
        "change",
        "the change of the commit that the issue names",
    ),
    line(Does::Answer, &["A"], "answer", ""),
    line(Does::Resolve, &["R"], "resolve", ""),
    line(Does::Accept, &["Y"], "accept", ""),
    line(Does::SendBack, &["X"], "send back", ""),
    line(Does::Done, &["x"], "done", ""),
    line(
        Does::State,
        &["s"],
        "state",
        "start, let go, block, defer, close, reopen",
    ),
    line(
        Does::MoveRight,
        &["L"],
        "move right",
        "move the card to the column on the right",
    ),
    line(
        Does::MoveLeft,
        &["H"],
        "move left",
        "move the card to the column on the left",
    ),
    line(Does::Comment, &["c"], "comment", ""),
    line(Does::New, &["n"], "new", ""),
    line(Does::Undo, &["u"], "undo", ""),
    line(Does::Query, &["/"], "query", "list what a query finds"),
    line(
        Does::Saved,
        &["*"],
        "saved",
        "saved queries (beads.query.NAME)",
    ),
    line(
        Does::Palette,
        &[":", "ctrl-p"],
        "palette",
        "find anything, or run a verb",
    ),
    line(
        Does::AllRepos,
        &["0"],
        "all",
        "all repositories, or this one",
    ),
    line(Does::Help, &["?"], "keys", "the keys"),
    line(
        Does::Quit,
        &["q"],
        "back",
        "back; at the first screen, quit",
    ),
    line(Does::Redo, &["U", "ctrl-r"], "", ""),
    line(Does::Priority, &["p"], "", "priority"),
    line(Does::Assign, &["a"], "", "assign"),
    line(Does::Labels, &["#"], "", "add or remove a label"),
    line(Does::Kind, &["t"], "", "type"),
    line(Does::Title, &["r"], "", "title"),
    line(Does::Child, &["N"], "", "new part of this issue"),
    line(Does::ToMe, &["i"], "", "assign to me"),
    line(
        Does::Link,
        &["d"],
        "",
        "links: waits for, blocks, part of, related, remove",
    ),
    line(Does::Delete, &["D"], "", ""),
    line(
        Does::Arrange,
        &["O"],
        "",
        "order and groups of list and board",
    ),
    line(Does::Narrow, &["f"], "", "list by a value of this row"),
    line(
        Does::Copy,
        &["y"],
        "",
        "copy id, command, title, branch, line",
    ),
    line(Does::Edit, &["e"], "", "all fields in your editor"),
    line(Does::CommentInEditor, &["C"], "", "comment in your editor"),
    line(
        Does::SplitInEditor,
        &["P"],
        "",
        "split into parts in your editor",
    ),
    line(
        Does::Shell,
        &["!"],
        "",
        "a shell in the work tree, with $BEADS_ID",
    ),
    line(Does::InBrowser, &["o"], "", "this screen in your browser"),
    line(Does::Sync, &["Z"], "", "sync with the remote"),
    line(Does::Down, &["j", "down"], "", "next row, or a line down"),
    line(Does::Up, &["k", "up"], "", "row before, or a line up"),
    line(
        Does::HalfDown,
        &["ctrl-d", "pagedown"],
        "",
        "half a page down",
    ),
    line(Does::HalfUp, &["ctrl-u", "pageup"], "", "half a page up"),
    line(Does::First, &["g g", "home"], "", "first row"),
    line(Does::Last, &["G", "end"], "", "last row"),
    line(
        Does::Mark,
        &["space"],
        "",
        "mark the issue, or take its mark off",
    ),
    line(
        Does::MarkRange,
        &["V"],
        "",
        "mark from the last mark to here",
    ),
    line(
        Does::MarkAll,
        &["ctrl-a"],
        "",
        "mark all rows of this repository",
    ),
    line(Does::Inbox, &["1"], "", "inbox"),
    line(Does::Board, &["2"], "", "board"),
    line(Does::List, &["3"], "", "list"),
    line(Does::Graph, &["4"], "", "graph around the issue, or of all"),
    line(Does::Log, &["5"], "", "log, of the issue where one is open"),
    line(Does::Stats, &["6"], "", "statistics"),
    line(Does::NextScreen, &["]"], "", "next screen"),
    line(Does::ScreenBefore, &["["], "", "screen before"),
    line(Does::News, &["="], "", "what is new since you looked last"),
    line(Does::Follow, &["F"], "", "follow who works on the issue"),
    line(Does::Past, &["T"], "", "an earlier state"),
    line(
        Does::PaneBefore,
        &["backtab"],
        "",
        "other pane, or id before",
    ),
    line(
        Does::ToPanel,
        &["l", "right"],
        "",
        "to the issue; on the board, next column",
    ),
    line(
        Does::ToRows,
        &["h", "left"],
        "",
        "to the rows; on the board, column before",
    ),
    line(
        Does::Back,
        &["esc", "backspace"],
        "",
        "back, or leave what was begun",
    ),
    line(Does::QuitNow, &["Q", "ctrl-c"], "", "quit"),
    line(
        Does::Mouse,
        &["m"],
        "",
        "mouse: give it to the terminal, or take it",
    ),
    line(Does::Suspend, &["ctrl-z"], "", "suspend"),
    line(Does::Redraw, &["ctrl-l"], "", "draw again"),
];

/// A key that was typed, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Does(Does),
    /// It begins keys of two.
    Begins,
    Nothing,
}

/// Looks a key up, behind the one that was typed before it where that begins keys of two.
pub(crate) fn find(before: Option<&str>, key: &str) -> Found {
    let typed = before.map_or_else(|| key.to_owned(), |before| format!("{before} {key}"));
    for line in KEYS {
        if line.keys.contains(&typed.as_str()) {
            return Found::Does(line.does);
        }
    }
    let mut keys = KEYS.iter().flat_map(|line| line.keys);
    match keys.any(|other| {
        other
            .strip_prefix(&typed)
            .is_some_and(|rest| rest.starts_with(' '))
    }) {
        true => Found::Begins,
        false => Found::Nothing,
    }
}

impl Does {
    /// Returns the act that it begins, where that is one.
    pub(crate) fn act(self) -> Option<ActKind> {
        Some(match self {
            Self::Answer => ActKind::Answer,
            Self::Resolve => ActKind::Resolve,
            Self::Accept => ActKind::Accept,
            Self::SendBack => ActKind::Reopen,
            Self::Done => ActKind::Done,
            Self::Comment | Self::CommentInEditor => ActKind::Note,
            Self::SplitInEditor => ActKind::Split,
            Self::Labels => ActKind::Label,
            Self::New | Self::Child => ActKind::Create,
            Self::Undo => ActKind::Undo,
            Self::Redo => ActKind::Redo,
            Self::Link => ActKind::DepAdd,
            Self::Delete => ActKind::Delete,
            Self::Priority | Self::Assign | Self::Kind | Self::Title | Self::ToMe | Self::Edit => {
                ActKind::Update
            }
            _ => return None,
        })
    }
}

impl KeyLine {
    /// Returns what its keys do, as the list of keys says it.
    pub(crate) fn words(&self) -> &'static str {
        match (self.words, self.does.act()) {
            ("", Some(act)) => act.words(),
            (words, _) => words,
        }
    }
}

/// Returns the table for a face that is no part of this program: what each key does, and the keys that remarks name.
pub(crate) fn key_table() -> Value {
    let lines = KEYS
        .iter()
        .map(|line| json!({"does": line.does, "act": line.does.act(), "keys": line.keys, "words": line.words()}));
    let acts = ACTS.iter().map(|act| json!([act.kind, key_of(act.kind)]));
    json!({"lines": lines.collect::<Vec<_>>(), "acts": acts.collect::<Vec<_>>()})
}

/// Returns the key of an act, as a remark names it.
pub(crate) fn key_of(act: ActKind) -> &'static str {
    match act {
        ActKind::Answer => "A",
        ActKind::Resolve => "R",
        ActKind::Accept => "Y",
        ActKind::Start => "s s",
        ActKind::Stop | ActKind::Unblock => "s o",
        ActKind::Block => "s b",
        ActKind::Defer => "s d",
        ActKind::Done => "x",
        ActKind::Reopen => "X",
        ActKind::Update => "a",
        ActKind::Label => "#",
        ActKind::Note => "c",
        ActKind::Create => "n",
        ActKind::Undo => "u",
        ActKind::Redo => "U",
        ActKind::DepAdd => "d w",
        ActKind::DepRm => "d x",
        ActKind::Delete => "D",
        ActKind::Split => "P",
        // Not on a key here yet.
        ActKind::Ask => "git beads ask",
        ActKind::Restore => "git beads restore",
    }
}

/// Returns the key of an option of a question, by its number: none among options that are numbers themselves, where a digit
/// says nothing.
pub(crate) fn option_key(options: &[String], number: u32) -> Option<char> {
    let is_number = |option: &String| {
        let mut letters = option.trim_start().chars();
        letters.next().is_some_and(|c| c.is_ascii_digit())
    };
    char::from_digit(number, 10).filter(|_| !options.iter().any(is_number))
}

/// Returns the key that a person would type, as it is shown.
pub(crate) fn shown(key: &str) -> String {
    match key {
        "down" | "up" | "left" | "right" | "home" | "end" => key[..1].to_uppercase() + &key[1..],
        "enter" => "Enter".to_owned(),
        "esc" => "Esc".to_owned(),
        "tab" => "Tab".to_owned(),
        "backtab" => "S-Tab".to_owned(),
        "backspace" => "Backspace".to_owned(),
        "space" => "Space".to_owned(),
        "pageup" => "PgUp".to_owned(),
        "pagedown" => "PgDn".to_owned(),
        _ => key.replace("ctrl-", "Ctrl-"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_key_does_two_things() {
        let mut keys = BTreeSet::new();
        for line in KEYS {
            for key in line.keys {
                assert!(keys.insert(*key), "{key}");
                let mut before = None;
                for part in key.split(' ') {
                    let found = find(before, part);
                    before = Some(part);
                    assert_ne!(found, Found::Nothing, "{key}");
                }
            }
        }
        let begins: BTreeSet<_> = keys.iter().filter_map(|key| key.split_once(' ')).collect();
        assert!(begins.iter().all(|(first, _)| !keys.contains(first)));
    }
}
