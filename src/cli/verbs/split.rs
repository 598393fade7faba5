//! `split`: an epic into children.

use std::path::PathBuf;

use clap::Args;

use crate::cli::draft::{Draft, check_editor};
use crate::cli::files::read_text;
use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::split::{Child, Children, Split, plan, split};
use crate::ops::{Command, Result, Tracker};

const HELP: &str = "A line `- Title` or a section `## Title` with its text is a child. An empty file changes nothing.\n";

#[derive(Debug, Args)]
pub(super) struct SplitArgs {
    /// The epic
    epic: String,
    /// Titles of the children
    #[arg(value_name = "TITLE", required_unless_present = "file")]
    titles: Vec<String>,
    /// The plan, JSON or Markdown (`-` is standard input)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "titles")]
    file: Option<PathBuf>,
}

impl Verb for SplitArgs {
    const NAME: &'static str = "split";
    const ABOUT: &'static str = "Split an epic into children; a single one is started";
    const GROUP: Group = Group::Change;
    const ALIASES: &'static [&'static str] = &["decompose"];
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"An epic into children, by their titles or from a plan:

$ git beads split bd-a1b2 "Write the test" "Fix the parser"
$ printf '## First\n## Second\n' | git beads split bd-a1b2 -F -
"#;
    type Answer = Children;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.tracker()?;
        let children = match &self.file {
            Some(file) => plan::parse(&read_text(cli.env(), &cli.ui.path(file))?)?,
            None => self.titles.into_iter().map(Child::titled).collect(),
        };
        let request = Split {
            children,
            epic: self.epic,
        };
        let answer = split(cli.tracker()?, &request)?;
        cli.answer(answer, |children| children.ids.clone(), text);
        Ok(Exit::OK)
    }
}

/// Lets the user write the children of an issue in the editor, and makes them; none of an empty text.
pub(super) fn split_in_editor(tracker: &Tracker, epic: &str) -> Result<Option<Children>> {
    check_editor(tracker, Command::of("split").id(epic).placeholder("TITLE"))?;
    let draft = Draft::write(tracker, "\n", HELP)?;
    if draft.text.trim().is_empty() {
        return Ok(None);
    }
    let made = plan::parse(&draft.text).and_then(|children| {
        let epic = epic.to_owned();
        split(tracker, &Split { children, epic })
    });
    made.map(Some).map_err(|error| draft.refused(error))
}

fn text(ui: &mut Ui, children: &Children) {
    let ids = children.ids.join(" ");
    ui.line(&format!("{} split into {ids}", children.epic_id));
    match &children.started_child_id {
        Some(id) => {
            ui.line(&format!("{id} is started"));
            let done = Command::of("done").id(id);
            next(ui, done.flag("-r").placeholder("..."));
        }
        None => next(ui, Command::of("ready")),
    }
}
