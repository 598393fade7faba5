//! `edit`: an issue as a text in the user's editor.

use std::io::Write;
use std::path::Path;

use clap::Args;
use tempfile::NamedTempFile;

use crate::cli::text::issue::answer_updated;
use crate::cli::ui::editor;
use crate::cli::ui::is_interactive;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::answer::Detail;
use crate::ops::shared::current_branch;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::show::{Issues, Show, show};
use crate::ops::verbs::update::{Update, unchanged, update};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};

#[derive(Debug, Args)]
pub(super) struct EditArgs {
    /// Id [default: the issue of the current branch]
    id: Option<String>,
}

impl Verb for EditArgs {
    const NAME: &'static str = "edit";
    const ABOUT: &'static str = "Edit an issue in your editor";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"Title, description and other texts of an issue:

$ git beads edit bd-a1b2
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let current = || current_branch::current(tracker);
        let id = self.id.map_or_else(current, Ok)?;
        let answer = edit(tracker, &id)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

/// Opens an issue in the editor and stores what has changed.
fn edit(tracker: &Tracker, id: &str) -> Result<Updated> {
    if !is_interactive() {
        let hint = Command::of("update")
            .id(id)
            .flag("--description")
            .placeholder("...");
        return Err(Error::new(Code::NoTerminal, "an editor needs a terminal").hinted(hint));
    }
    let request = Show {
        ids: vec![id.to_owned()],
        memory: Some(0),
        at: None,
    };
    let Issues::One(shown) = show(tracker, &request)? else {
        return Err(
            Error::new(Code::SharedId, format!("several issues have the id {id}"))
                .hinted(Command::of("show").id(id)),
        );
    };
    let before = render(&shown.issue);
    // Read as the editor's text is, so that what reading trims is no change; and before somebody has typed anything.
    let old = parse(&before)?;
    let file = in_editor(tracker, &before)?;
    // By identity: while the editor is open the issue may get another id.
    match store(tracker, &shown.issue.uid, &old, file.path()) {
        Ok(updated) => Ok(updated),
        Err(error) => Err(kept(error, file)),
    }
}

/// Stores what has changed in the file.
fn store(tracker: &Tracker, uid: &str, old: &[(Field, String)], file: &Path) -> Result<Updated> {
    let after = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    let mut change = Update {
        ids: vec![uid.to_owned()],
        ..Update::default()
    };
    for (field, text) in parse(&after)? {
        // Only what was edited is written: others may have changed the rest meanwhile.
        if !old.contains(&(field, text.clone())) {
            change.fields[field] = Some(text);
        }
    }
    if change.is_empty() {
        return unchanged(tracker, &change.ids);
    }
    update(tracker, &change)
}

/// Keeps the file of a text that was refused, and says where it is.
fn kept(error: Error, file: NamedTempFile) -> Error {
    match file.into_temp_path().keep() {
        Ok(path) => error.also(Hint::text(format!("your text is in {}", path.display()))),
        Err(_) => error,
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::io("can't edit", error)
}

/// Returns the fields that the text has, in its order.
fn edited() -> impl Iterator<Item = Field> {
    [Field::Title].into_iter().chain(Field::long_texts())
}

/// Lets the user edit a text; returns the file that has it.
fn in_editor(tracker: &Tracker, text: &str) -> Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("git-beads-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes())
        .map_err(|error| failed(&error))?;
    if !editor::edit(tracker, file.path()).map_err(|error| failed(&error))? {
        return Err(
            Error::new(Code::Editor, "the editor failed; nothing was changed")
                .hinted(Hint::git("git var GIT_EDITOR")),
        );
    }
    Ok(file)
}

fn render(detail: &Detail) -> String {
    let title = ("title", Some(detail.summary.title.as_str()));
    let fields = [title].into_iter().chain(detail.fields.texts.named());
    let part = |(name, text): (&str, Option<&str>)| {
        format!(
            "{}\n{}\n\n",
            heading(name),
            text.unwrap_or_default().trim_end()
        )
    };
    fields.map(part).collect()
}

fn heading(name: &str) -> String {
    format!("<!-- {name} -->")
}

/// Reads the text back; what can't be assigned to a field is not dropped but refused.
fn parse(text: &str) -> Result<Vec<(Field, String)>> {
    let mut parts: Vec<(Field, String)> = Vec::new();
    for line in text.lines() {
        if let Some(field) = edited().find(|field| line.trim() == heading(field.key())) {
            parts.push((field, String::new()));
        } else if let Some((_, value)) = parts.last_mut() {
            value.push_str(line);
            value.push('\n');
        } else if !line.trim().is_empty() {
            return Err(lost("there is text before the first heading"));
        }
    }
    let complete = parts.iter().map(|(field, _)| *field).eq(edited());
    // An emptied file is how a person gives up: nothing is changed.
    if !text.trim().is_empty() && !complete {
        return Err(lost("a heading is missing or doubled"));
    }
    Ok(parts
        .into_iter()
        .map(|(field, value)| (field, value.trim().to_owned()))
        .collect())
}

fn lost(what: &str) -> Error {
    Error::invalid(format!("{what}; nothing was changed")).hinted(Hint::text(
        "keep the lines <!-- title -->, <!-- description -->, ... as they are",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_by_its_headings() {
        let mut detail = Detail::default();
        detail.fields.texts.description = Some("a\n\nb".into());
        let parsed = parse(&render(&detail)).unwrap();
        assert_eq!(parsed.len(), 5);
        assert_eq!(parsed[1], (Field::Description, "a\n\nb".to_owned()));
        assert_eq!(parsed[2], (Field::Design, String::new()));
    }
}
