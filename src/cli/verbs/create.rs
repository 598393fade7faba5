//! `create`: an issue.

use std::path::PathBuf;

use clap::Args;

use crate::cli::draft::{Draft, check_editor, may_ask};
use crate::cli::files::read_text;
use crate::cli::options::fields::{CreateFields, FieldOptions, WaitOptions};
use crate::cli::template::IssueTemplate;
use crate::cli::text::issue::{created, created_ids};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::shared::unknown_words::type_like;
use crate::ops::verbs::create::{Created, create};
use crate::ops::{Command, Result, Tracker};

const HELP: &str =
    "The first line is the title, the rest is the description. An empty text creates nothing.\n";

#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    /// What is to be done
    title: Option<String>,
    #[command(flatten)]
    options: FieldOptions<CreateFields>,
    #[command(flatten)]
    waits: WaitOptions,
    /// Read the description from a file (without TITLE its first line is the title; `-` is standard input)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "description")]
    file: Option<PathBuf>,
    /// Begin with a template: the file that beads.template.NAME names, or .github/ISSUE_TEMPLATE/NAME.md
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
    /// Write it in your editor (as without TITLE on a terminal)
    #[arg(short, long)]
    edit: bool,
    /// Idempotency key: reusing it returns the existing issue
    #[arg(long, allow_hyphen_values = true)]
    key: Option<String>,
    /// Start the issue, too
    #[arg(long)]
    start: bool,
    /// Validate everything, write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Verb for CreateArgs {
    const NAME: &'static str = "create";
    const ABOUT: &'static str = "Create an issue";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["new", "add"];
    const EXAMPLES: &'static str = r#"A bug that is urgent; the description from standard input; a child that waits for another issue;
title and description as gh has them, where -t names no type:

$ git beads create "Uploads time out" -t bug -p 1 -l proxy
$ echo "Seen with HTTP/1.1 too." | git beads create "Uploads hang" -F -
$ git beads create "Write the test" --parent bd-a1b2 --on bd-c3d4
$ git beads create -t "Uploads hang" -b "Seen with HTTP/1.1 too."
"#;
    type Answer = Created;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let mut title = self.title.unwrap_or_default();
        let mut options = self.options;
        if title.is_empty() {
            title = title_as_type(tracker, &mut options)?;
        }
        if let Some(file) = &self.file {
            let text = read_text(cli.env(), &cli.ui.path(file))?;
            match title.is_empty() {
                true => take_text(&text, &mut title, &mut options),
                false => options.fields[Field::Description] = Some(text.trim_end().to_owned()),
            }
        }
        let tracker = cli.tracker()?;
        let is_untitled = title.trim().is_empty();
        let template = match &self.template {
            Some(name) => IssueTemplate::read(tracker, name)?,
            None => IssueTemplate::default(),
        };
        begin(&template, &mut title, &mut options);
        let is_asked = self.file.is_none() && is_untitled && may_ask(tracker);
        // Last, so that a person sees all that the issue begins with.
        let draft = match self.edit || is_asked {
            true => Some(written(tracker, &mut title, &mut options)?),
            false => None,
        };
        // The beginning of a title is none.
        if is_untitled && title.trim() == template.title.trim() {
            title.clear();
        }
        let mut request = options.create(title, self.waits);
        (request.key, request.start, request.dry_run) = (self.key, self.start, self.dry_run);
        let answer = create(tracker, &request).map_err(|error| match draft {
            Some(draft) => draft.refused(error),
            None => error,
        })?;
        cli.answer(answer, created_ids, created);
        Ok(Exit::OK)
    }
}

/// Takes the type as the title where it is none, as `gh issue create -t TITLE` means it; empty where it is one.
fn title_as_type(tracker: &Tracker, options: &mut FieldOptions<CreateFields>) -> Result<String> {
    let kind = &mut options.fields[Field::Type];
    let is_type = match kind {
        Some(word) => tracker.read(|view| Ok(type_like(view, word)?.is_some()))?,
        None => true,
    };
    Ok(kind.take_if(|_| !is_type).unwrap_or_default())
}

/// Takes the first line of a text as the title, and the rest as the description.
fn take_text(text: &str, title: &mut String, options: &mut FieldOptions<CreateFields>) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    first.trim_start_matches('#').trim().clone_into(title);
    options.fields[Field::Description] = Some(rest.trim().to_owned());
}

/// Begins an issue with a template: what was given on the command line counts more.
fn begin(template: &IssueTemplate, title: &mut String, options: &mut FieldOptions<CreateFields>) {
    // GitHub's are beginnings, such as `[bug] `.
    title.insert_str(0, &template.title);
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let fields = &mut options.fields;
    for (field, text) in [
        (Field::Description, &template.description),
        (Field::Type, &template.kind),
    ] {
        if fields[field].is_none() {
            fields[field] = given(text);
        }
    }
    let own = fields[Field::Labels].take().unwrap_or_default();
    let labels = [own.as_str(), &template.labels]
        .into_iter()
        .filter_map(given);
    fields[Field::Labels] = given(&labels.collect::<Vec<_>>().join(","));
}

/// Lets the user write title and description in the editor.
fn written(
    tracker: &Tracker,
    title: &mut String,
    options: &mut FieldOptions<CreateFields>,
) -> Result<Draft> {
    check_editor(tracker, Command::of("create").placeholder("TITLE"))?;
    let description = options.fields[Field::Description].as_deref();
    let text = format!("{title}\n\n{}\n", description.unwrap_or_default());
    let draft = Draft::write(tracker, &text, HELP)?;
    take_text(draft.text.trim_start(), title, options);
    Ok(draft)
}
