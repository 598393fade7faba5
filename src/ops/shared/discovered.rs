//! Work that was found during other work: an issue made of a title alone, linked to the one it was found at.

use super::dependency::add_all;
use super::new_issue::{build, kind_of};
use crate::model::{Field, Issue, Uid};
use crate::ops::{Error, Result, Tx};

/// Design and acceptance of an issue whose author has not said them yet.
pub(crate) const PENDING: &str = "PENDING";
/// Characters of a title that is made of a longer text.
const TITLE_CHARS: usize = 80;

/// Files one issue for each text, in the change that is being made; returns them.
pub(crate) fn file(tx: &mut Tx<'_>, from: Uid, texts: &[String]) -> Result<Vec<Uid>> {
    // Else an undo of what was last done there would take back something older.
    tx.is_about(from);
    let from = tx.issue(from)?.id().to_owned();
    let mut filed = Vec::new();
    for text in texts {
        let issue = discovered(tx, text)?;
        let issue = add_all(tx, issue, std::slice::from_ref(&from), "discovered-from")?.0;
        filed.push(issue.uid());
        tx.put(issue);
    }
    Ok(filed)
}

fn discovered(tx: &mut Tx<'_>, text: &str) -> Result<Issue> {
    let (kind, text) = kind_of(text.trim());
    if text.is_empty() {
        return Err(Error::invalid("an empty discovered"));
    }
    let pending = || Some(PENDING.to_owned());
    let fields = [
        (Field::Title, Some(title_of(text))),
        (Field::Type, Some(kind.to_owned())),
        (Field::Description, Some(text.to_owned())),
        (Field::Design, pending()),
        (Field::Acceptance, pending()),
    ];
    build(tx, &fields.into(), None)
}

/// Returns a title of one line and at most 80 characters, cut between words where that is possible.
pub(crate) fn title_of(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let kept: String = line.chars().take(TITLE_CHARS - 3).collect();
    // A first word that is as long as a title is cut itself.
    let whole = match kept.rfind(char::is_whitespace) {
        Some(end) => kept[..end].trim_end(),
        None => &kept,
    };
    format!("{whole}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_short_and_of_one_line() {
        assert_eq!(title_of(" One \nTwo"), "One");
        let long = title_of(&"word ".repeat(40));
        assert!(
            long.chars().count() <= TITLE_CHARS && long.ends_with("word..."),
            "{long}"
        );
        assert_eq!(title_of(&"\u{e9}".repeat(80)).chars().count(), 80);
        assert_eq!(title_of(&"\u{e9}".repeat(81)).chars().count(), 80);
    }
}
