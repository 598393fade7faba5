//! Templates of issues: files of the repository, such as those that GitHub reads from `.github/ISSUE_TEMPLATE`.

use std::path::{Path, PathBuf};

use super::files::read_text;
use crate::ops::shared::words::plain;
use crate::ops::{Error, Hint, Result, Tracker};
use crate::platform;

/// The key of git's configuration under which the path of a template is.
const KEY: &str = "beads.template";
/// Where the templates of GitHub are.
const FOLDER: &str = ".github/ISSUE_TEMPLATE";

/// The beginning of an issue.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IssueTemplate {
    pub(super) title: String,
    pub(super) kind: String,
    /// Separated by commas.
    pub(super) labels: String,
    pub(super) description: String,
}

impl IssueTemplate {
    /// Reads the template of a name: the file that `beads.template.NAME` names, else that of GitHub.
    /// Errors: no such template, or a file that can't be read.
    pub(super) fn read(tracker: &Tracker, name: &str) -> Result<Self> {
        let top = tracker.work_tree();
        // What is no name of a key is no name of a file either.
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let path = is_name.then(|| path(tracker, top.as_deref(), name));
        let path = path
            .flatten()
            .ok_or_else(|| unknown(top.as_deref(), name))?;
        Ok(Self::parse(&read_text(tracker.env(), &path)?))
    }

    /// Reads a text that may begin with a block of settings between lines of dashes.
    fn parse(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let block = text
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---"));
        let Some((settings, rest)) = block else {
            return Self {
                description: text.trim().to_owned(),
                ..Self::default()
            };
        };
        let mut template = Self {
            description: rest.trim_start_matches('-').trim().to_owned(),
            ..Self::default()
        };
        let mut list = String::new();
        for line in settings.lines() {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                // Of a list below its key.
                if list == "labels" {
                    add(&mut template.labels, item);
                }
            } else if let Some((key, value)) = line.split_once(':') {
                key.trim().clone_into(&mut list);
                match list.as_str() {
                    "title" => template.title = bare(value).trim_start().to_owned(),
                    // GitHub begins it with a capital letter.
                    "type" => template.kind = bare(value).to_lowercase(),
                    "labels" => value
                        .trim()
                        .trim_start_matches('[')
                        .trim_end_matches(']')
                        .split(',')
                        .for_each(|label| add(&mut template.labels, label)),
                    _ => {}
                }
            }
        }
        template
    }
}

/// Returns the file of a template; a configured one even if it is not there, so that this is said.
fn path(tracker: &Tracker, top: Option<&Path>, name: &str) -> Option<PathBuf> {
    if let Some(path) = tracker.config(&format!("{KEY}.{name}")) {
        let path = PathBuf::from(path);
        // A bare repository has no files that a relative path could lead to.
        return if path.is_absolute() {
            Some(path)
        } else {
            Some(top?.join(path))
        };
    }
    let top = platform::canonicalize(top?).ok()?;
    let path = platform::canonicalize(&top.join(FOLDER).join(format!("{name}.md"))).ok()?;
    // Whoever has written the repository must not choose another file of the user by a link: it would be sent with the issue.
    (path.starts_with(&top) && path.is_file()).then_some(path)
}

/// Returns the error for a name without a template, with those that GitHub has.
fn unknown(top: Option<&Path>, name: &str) -> Error {
    let folder = top.and_then(|top| std::fs::read_dir(top.join(FOLDER)).ok());
    let mut known = Vec::new();
    for entry in folder.into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let is_text = path.extension().is_some_and(|end| end == "md");
        known.extend(stem.filter(|_| is_text).map(plain));
    }
    // In an order that no file system decides.
    known.sort();
    let others = match known.is_empty() {
        true => String::new(),
        false => format!("; there are: {}", known.join(", ")),
    };
    Error::invalid(format!("no template `{name}`{others}"))
        .hinted(Hint::text("git config beads.template.NAME FILE adds one"))
}

fn add(labels: &mut String, label: &str) {
    let label = bare(label);
    if !label.is_empty() {
        if !labels.is_empty() {
            labels.push(',');
        }
        labels.push_str(label);
    }
}

/// Returns a value without blanks and quotes around it.
fn bare(value: &str) -> &str {
    let value = value.trim();
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_github_are_read() {
        let text = "---\nname: Bug\nabout: A fault\ntitle: '[bug] '\nlabels: bug, \"needs triage\"\ntype: Bug\n---\n\n## What\n";
        let template = IssueTemplate::parse(text);
        assert_eq!(template.title, "[bug] ");
        assert_eq!(template.labels, "bug,needs triage");
        assert_eq!(template.kind, "bug");
        assert_eq!(template.description, "## What");
        let list =
            IssueTemplate::parse("---\nlabels:\n  - a\n  - b\nassignees:\n  - eve\n---\ntext");
        assert_eq!(
            (list.labels.as_str(), list.description.as_str()),
            ("a,b", "text")
        );
        let inline = IssueTemplate::parse("---\nlabels: [\"a\", b]\n---\n");
        assert_eq!(inline.labels, "a,b");
        assert_eq!(IssueTemplate::parse("## What\n").description, "## What");
        let windows = IssueTemplate::parse("---\r\ntitle: a\r\n---\r\nb\r\nc\r\n");
        assert_eq!(
            (windows.title.as_str(), windows.description.as_str()),
            ("a", "b\nc")
        );
        assert_eq!(
            IssueTemplate::parse("--- not settings").description,
            "--- not settings"
        );
    }
}
