//! The block in `AGENTS.md`, between two markers. All agents share it, so it has two lengths:
//! agents whose session begins with `prime` need one sentence, all others need the commands.

use std::ops::Range;

use super::{EditError, Result, SetupState, text_block};
use crate::ops::digest;

/// The version of the block that this program writes.
const VERSION: u32 = 2;
const BEGIN: &str = "<!-- git-beads v";
const END: &str = "<!-- /git-beads -->";
/// The first marker of the block that `bd` writes.
const FOREIGN: &str = "<!-- BEGIN BEADS INTEGRATION";

const FULL: &str = r#"<!-- git-beads v2 -->
## Tasks: git beads
Work is tracked in this repo with `git beads` (in refs/beads, no files).
- `git beads ready` what is next; `git beads show <id>` read it; `git beads start <id>` claim it
- `git beads note <id> --finding "..." --decision "..."` record what you learn
- `git beads create "title" -d what -D how -A "done when"` work you discover
- `git beads done <id> -r why` when finished
No such command? Suggest installing git-beads from its own repository, and work without it.
Your user's and repo's instructions win over this block.
<!-- /git-beads -->"#;

const SHORT: &str = "<!-- git-beads v2 -->
Tasks are kept with `git beads`; sessions begin with `git beads prime`. No such command? Suggest installing \
git-beads from its own repository, and work without it. Your user's and repo's instructions win over this block.
<!-- /git-beads -->";

/// The SHA-256 of the blocks that earlier versions wrote: their texts, which name a package, are not kept in the program.
const FORMER: [&str; 2] = [
    "1c3c6ca3159a1b5e745ef3486a6b86e7ffe6b1d0caf88b3031782c84752f341a",
    "0c99c0cc9d346140e4d12569a542bc6048217d39375cce76a59de0d8e38d83fa",
];

/// The line for agents whose sandbox goes with the session.
const CLOUD: &str =
    "- At the end: `git beads sync`; if it names a file, commit it with your work.\n";

/// Length of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Length {
    /// One sentence, without commands.
    Short,
    /// All commands for daily work.
    Full,
}

/// The texts that the block can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) length: Length,
    /// True if it says how a session in the cloud ends.
    pub(super) is_for_cloud: bool,
}

impl Block {
    /// All texts.
    pub(super) const ALL: [Self; 4] = [
        Self::of(Length::Full),
        Self::of(Length::Full).in_cloud(true),
        Self::of(Length::Short),
        Self::of(Length::Short).in_cloud(true),
    ];

    /// Returns the block of a length, for sessions on machines that stay.
    pub(super) const fn of(length: Length) -> Self {
        Self {
            length,
            is_for_cloud: false,
        }
    }

    pub(super) const fn in_cloud(self, is_for_cloud: bool) -> Self {
        Self {
            is_for_cloud,
            ..self
        }
    }

    /// Returns the block that says what both say.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            length: self.length.max(other.length),
            is_for_cloud: self.is_for_cloud || other.is_for_cloud,
        }
    }

    /// Returns the block without a final line ending.
    pub(super) fn text(self) -> String {
        let (text, next) = match self.length {
            Length::Full => (FULL, "No such command?"),
            Length::Short => (SHORT, END),
        };
        let at = text.find(next).unwrap_or_default();
        let cloud = if self.is_for_cloud { CLOUD } else { "" };
        format!("{}{cloud}{}", &text[..at], &text[at..])
    }
}

/// Returns whether a text has the block that `bd` writes, which is not touched.
pub(super) fn has_foreign(text: &str) -> bool {
    lines(text)
        .iter()
        .any(|(_, line)| line.starts_with(FOREIGN))
}

/// Returns the block of this version that a text has.
pub(super) fn present(text: &str) -> Option<Block> {
    let (place, _) = find(text).ok()??;
    known(&text[place])
}

fn known(found: &str) -> Option<Block> {
    // A checkout on Windows may have changed the newlines and nothing else.
    let found = found.replace("\r\n", "\n");
    Block::ALL.into_iter().find(|block| block.text() == found)
}

/// Returns the state of the block in a text, where at least so much is needed.
pub(super) fn state(text: &str, needed: Block) -> Result<SetupState> {
    let Some((place, version)) = find(text)? else {
        return Ok(SetupState::Missing);
    };
    let found = &text[place];
    if version < VERSION {
        // What a person has written into it must not be replaced.
        let digest = digest(&found.replace("\r\n", "\n"));
        return Ok(match FORMER.contains(&&*digest) {
            true => SetupState::Outdated,
            false => SetupState::Changed,
        });
    }
    Ok(match known(found) {
        None => SetupState::Changed,
        // One that says more than is needed will do: another agent may need it.
        Some(block) if block.with(needed) != block => SetupState::Outdated,
        Some(_) => SetupState::Current,
    })
}

/// Adds the block, or adds to the one that is there what is needed.
pub(super) fn put(text: &str, needed: Block) -> Result<String> {
    let Some((place, _)) = find(text)? else {
        return Ok(text_block::put(text, &needed.text()));
    };
    let known = known(&text[place.clone()]);
    let block = known.map_or(needed, |block| block.with(needed));
    Ok(replaced(text, &place, block))
}

fn replaced(text: &str, place: &Range<usize>, block: Block) -> String {
    let newline = text_block::newline(&text[place.clone()]);
    let block = block.text().replace('\n', newline);
    format!("{}{block}{}", &text[..place.start], &text[place.end..])
}

/// Returns the text with a shorter block, where the present one says more than is needed.
pub(super) fn shortened(text: &str, needed: Block) -> Option<String> {
    let (place, _) = find(text).ok()??;
    let block = known(&text[place.clone()])?;
    let says_more = block != needed && block.with(needed) == block;
    says_more.then(|| replaced(text, &place, needed))
}

/// Removes the block; returns none where the file was created for it.
pub(super) fn take(text: &str) -> Result<Option<String>> {
    Ok(find(text)?.map_or_else(
        || Some(text.to_owned()),
        |(place, _)| text_block::take(text, &place),
    ))
}

/// Returns the range of the block, without its final line ending, and its version.
fn find(text: &str) -> Result<Option<(Range<usize>, u32)>> {
    let mut found = None;
    let mut open = None;
    for (place, bare) in lines(text) {
        let version = bare
            .strip_prefix(BEGIN)
            .and_then(|rest| rest.strip_suffix(" -->")?.parse::<u32>().ok());
        match (version, open) {
            // Which of the two to change is not certain.
            (Some(_), None) if found.is_some() => {
                return Err(EditError("it holds the block twice".to_owned()));
            }
            (Some(_), Some(_)) => return Err(EditError(format!("the block has no end: {END}"))),
            (Some(version), None) => open = Some((place, version)),
            (None, Some((start, version))) if bare == END => {
                found = Some((start..place + bare.len(), version));
                open = None;
            }
            _ => {}
        }
    }
    match open {
        Some(_) => Err(EditError(format!("the block has no end: {END}"))),
        None => Ok(found),
    }
}

/// Returns the lines with their offsets, without those in code fences, which only quote.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut fence: Option<(usize, &str)> = None;
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let (marks, rest) = fence_marks(bare);
        match fence {
            // The fence is closed: what was in it is an example, and no installed block.
            Some((above, opening)) if marks.starts_with(opening) && rest.is_empty() => {
                lines.truncate(above);
                fence = None;
            }
            None if marks.len() >= 3 && !(marks.starts_with('`') && rest.contains('`')) => {
                fence = Some((lines.len(), marks));
                lines.push((place, bare));
            }
            _ => lines.push((place, bare)),
        }
        place += line.len();
    }
    lines
}

/// Splits a line into the marks of a fence at its beginning, in a list or a quotation too, and the
/// rest.
fn fence_marks(line: &str) -> (&str, &str) {
    let text = line.trim_start_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || ">-*+.)".contains(c)
    });
    let mark = if text.starts_with('~') { '~' } else { '`' };
    text.split_at(text.len() - text.trim_start_matches(mark).len())
}

#[cfg(test)]
mod tests {
    use super::{Block, Length};

    #[test]
    fn the_block_never_speaks_of_commits_and_lets_others_win() {
        for length in [Length::Short, Length::Full] {
            let text = Block::of(length).text().to_lowercase();
            for word in ["commit", "push", "never", "don't", "do not", "must", "todo"] {
                assert!(!text.contains(word), "{word}");
            }
            let last = text.lines().rev().nth(1).unwrap();
            assert!(last.ends_with("your user's and repo's instructions win over this block."));
            assert!(text.contains(
                "no such command? suggest installing git-beads from its own repository, and work without it."
            ));
        }
    }

    #[test]
    fn the_block_costs_at_most_160_tokens() {
        let tokens = |block: Block| {
            tiktoken_rs::o200k_base_singleton()
                .encode_ordinary(&block.text())
                .len()
        };
        let [full, full_in_cloud, short, short_in_cloud] = Block::ALL.map(tokens);
        assert!(full <= 160 && short <= 80, "{full} {short}");
        let more = full_in_cloud - full;
        assert!(more <= 24 && short_in_cloud - short <= 24, "{more}");
    }
}
