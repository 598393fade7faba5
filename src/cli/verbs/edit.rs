//! `edit`: an issue as a text in the user's editor.

use clap::Args;

use crate::cli::draft::{Draft, check_editor};
use crate::cli::text::issue::answer_updated;
use crate::cli::ui::dates::Dates;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::env::Env;
use crate::model::Field;
use crate::ops::answer::Detail;
use crate::ops::shared::current_branch;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::show::{Issues, Show, show};
use crate::ops::verbs::update::{Update, unchanged, update};
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};

/// The fields of one line.
const SHORT: [Field; 9] = [
    Field::Status,
    Field::Type,
    Field::Priority,
    Field::Assignee,
    Field::Labels,
    Field::Parent,
    Field::Due,
    Field::Defer,
    Field::ExternalRef,
];
const HELP: &str =
    "Lines in <!-- --> name the text below them: keep them. A field without a value is cleared.
Only what you change is written. An empty file changes nothing.
";

#[derive(Debug, Args)]
pub(super) struct EditArgs {
    /// Id [default: the issue of the current branch]
    id: Option<String>,
}

impl Verb for EditArgs {
    const NAME: &'static str = "edit";
    const ABOUT: &'static str = "Edit an issue in your editor";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"All fields of an issue:

$ git beads edit bd-a1b2
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let current = || current_branch::current(tracker, Self::NAME);
        let id = self.id.map_or_else(current, Ok)?;
        let answer = edit(tracker, &id)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

/// Opens an issue in the editor and stores what has changed.
pub(super) fn edit(tracker: &Tracker, id: &str) -> Result<Updated> {
    let instead = Command::of("update").id(id);
    check_editor(tracker, instead.flag("--description").placeholder("..."))?;
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
    let before = render(tracker.env(), &shown.issue);
    // Read as the editor's text is, so that what reading trims is no change; and before somebody has typed anything.
    let old = parse(&before)?;
    let draft = Draft::write(tracker, &before, HELP)?;
    // By identity: while the editor is open the issue may get another id.
    match store(tracker, &shown.issue.uid, &old, &draft.text) {
        Ok(updated) => Ok(updated),
        Err(error) => Err(draft.refused(error)),
    }
}

/// Stores what has changed in a text.
fn store(tracker: &Tracker, uid: &str, old: &[(Field, String)], text: &str) -> Result<Updated> {
    let mut change = Update {
        ids: vec![uid.to_owned()],
        ..Update::default()
    };
    for ((field, text), (_, old)) in parse(text)?.into_iter().zip(old) {
        // Only what was edited is written: others may have changed the rest meanwhile.
        if text == *old {
            continue;
        }
        match field {
            Field::Labels => relabel(&mut change, &text, old),
            _ => change.fields[field] = Some(text),
        }
    }
    if change.is_empty() {
        return unchanged(tracker, &change.ids);
    }
    update(tracker, &change)
}

/// Adds and removes the labels in which two lists differ.
fn relabel(change: &mut Update, new: &str, old: &str) {
    let labels = |text: &str| -> Vec<String> {
        let labels = text.split(',').map(|label| label.trim().to_owned());
        labels.filter(|label| !label.is_empty()).collect()
    };
    let (new, old) = (labels(new), labels(old));
    let without = |these: &[String], those: &[String]| {
        let rest: Vec<&str> = these
            .iter()
            .filter(|label| !those.contains(label))
            .map(String::as_str)
            .collect();
        (!rest.is_empty()).then(|| rest.join(","))
    };
    // Labels are a set: what somebody else has added meanwhile stays.
    change.fields[Field::Labels] = without(&new, &old);
    change.remove_labels = without(&old, &new);
}

/// Returns the fields that the text has, in its order.
fn edited() -> impl Iterator<Item = Field> {
    let texts = Field::long_texts();
    [Field::Title].into_iter().chain(SHORT).chain(texts)
}

fn render(env: &Env, detail: &Detail) -> String {
    let mut text = format!(
        "{}\n{}\n\n",
        heading("title"),
        detail.summary.title.trim_end()
    );
    text.push_str(&heading("fields"));
    text.push('\n');
    for field in SHORT {
        let line = format!(
            "{}: {}",
            field.key(),
            short(env, detail, field).replace('\n', " ")
        );
        text.extend([line.trim_end(), "\n"]);
    }
    for (name, value) in detail.fields.texts.named() {
        let value = value.unwrap_or_default().trim_end();
        text.push_str(&format!("\n{}\n{value}\n", heading(name)));
    }
    text
}

/// Returns a field of one line.
fn short(env: &Env, detail: &Detail, field: Field) -> String {
    let (summary, fields) = (&detail.summary, &detail.fields);
    // As they can be read back, whatever form the user likes to see.
    let date = |at: &Option<String>| {
        at.as_ref()
            .map(|at| Dates::new(env, None, None, false).limit(at))
    };
    let text = match field {
        Field::Status => Some(summary.status.clone()),
        Field::Type => Some(summary.kind.clone()),
        Field::Priority => Some(format!("P{}", summary.priority)),
        Field::Assignee => summary.assignee.clone(),
        Field::Labels => Some(summary.labels.join(", ")),
        Field::Parent => summary.parent.clone(),
        Field::ExternalRef => fields.external_ref.clone(),
        Field::Due => date(&fields.due),
        Field::Defer => date(&fields.defer),
        Field::Title | Field::Description | Field::Design | Field::Acceptance | Field::Notes => {
            None
        }
    };
    text.unwrap_or_default()
}

fn heading(name: &str) -> String {
    format!("<!-- {name} -->")
}

/// Reads the text back; what can't be assigned to a field is not dropped but refused.
fn parse(text: &str) -> Result<Vec<(Field, String)>> {
    let names = || {
        ["title", "fields"]
            .into_iter()
            .chain(Field::long_texts().map(Field::key))
    };
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = names().find(|name| line.trim() == heading(name)) {
            parts.push((name, String::new()));
        } else if let Some((_, value)) = parts.last_mut() {
            value.push_str(line);
            value.push('\n');
        } else if !line.trim().is_empty() {
            return Err(lost("there is text before the first heading"));
        }
    }
    // An emptied file is how a person gives up: nothing is changed.
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    if !parts.iter().map(|(name, _)| *name).eq(names()) {
        return Err(lost("a heading is missing or doubled"));
    }
    let texts = parts.iter().map(|(_, text)| text.trim().to_owned());
    let mut texts: Vec<String> = texts.collect();
    let fields = lines(&texts.remove(1))?;
    let title = texts.remove(0);
    let values = [title].into_iter().chain(fields).chain(texts);
    Ok(edited().zip(values).collect())
}

/// Reads the fields of one line each, in the order of [`SHORT`].
fn lines(text: &str) -> Result<Vec<String>> {
    let mut values: [Option<String>; SHORT.len()] = Default::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let at = SHORT.iter().position(|field| field.key() == name.trim());
        let at = at.ok_or_else(|| lost(&format!("`{}` is no field", name.trim())))?;
        if values[at].replace(value.trim().to_owned()).is_some() {
            return Err(lost(&format!("`{}` is there twice", name.trim())));
        }
    }
    let missing = SHORT.iter().zip(&values).find(|(_, value)| value.is_none());
    match missing {
        Some((field, _)) => Err(lost(&format!("the line of `{}` is missing", field.key()))),
        None => Ok(values.into_iter().flatten().collect()),
    }
}

fn lost(what: &str) -> Error {
    Error::invalid(format!("{what}; nothing was changed")).hinted(Hint::text(
        "keep the lines <!-- title -->, <!-- fields -->, ... and the names of the fields as they are",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_by_its_headings() {
        let mut detail = Detail::default();
        detail.fields.texts.description = Some("# a\n\nb: c".into());
        detail.summary.labels = vec!["x".into(), "y".into()];
        let parsed = parse(&render(&Env::of_process(), &detail)).unwrap();
        assert!(parsed.iter().map(|(field, _)| *field).eq(edited()));
        assert_eq!(parsed.len(), Field::ALL.len());
        assert!(parsed.contains(&(Field::Description, "# a\n\nb: c".to_owned())));
        assert!(parsed.contains(&(Field::Labels, "x, y".to_owned())));
        assert!(parsed.contains(&(Field::Design, String::new())));
    }
}
