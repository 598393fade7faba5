//! `ui`: all that is going on, on the screen.

use clap::Args;

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::desk::recent::remember;
use crate::model::Party;
use crate::ops::verbs::note::Note;
use crate::ops::{Code, Error, Result, Tracker, joined};
use crate::ui::{Start, Written, run};

use super::edit::edit;
use super::note::note_in_editor;
use super::split::split_in_editor;

/// Opens with your inbox, for the repository that you are in; `0` shows all your repositories:
/// those that `beads.repository` of your global git configuration names, and those you used lately. What others change appears by itself. `?` lists the keys, `q` leaves.
#[derive(Debug, Args)]
pub(super) struct UiArgs {
    /// Begin with all your repositories
    #[arg(long)]
    all: bool,

    /// Without a screen: numbered rows, and the same keys in lines, such as `2 A 1`; also without a terminal that takes escapes
    #[arg(long)]
    plain: bool,
}

impl Verb for UiArgs {
    const NAME: &'static str = "ui";
    const ABOUT: &'static str = "Show inbox, lists and issues on the screen, live";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"This repository; all of yours:

$ git beads ui
$ git config --global --add beads.repository ~/work/app
$ git beads ui --all
";
    type Answer = NoAnswer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let begin = BeginUi {
            is_all: self.all,
            is_plain: self.plain,
            board: None,
        };
        show_ui(cli, begin)
    }
}

/// How it begins.
#[derive(Default)]
pub(super) struct BeginUi {
    pub(super) is_all: bool,
    pub(super) is_plain: bool,
    /// The query of the board, where that is the first screen.
    pub(super) board: Option<String>,
}

/// Shows the issues until the user leaves.
pub(super) fn show_ui(cli: &mut Cli, begin: BeginUi) -> Result<Exit> {
    // For the colours that it configures, and the name that it knows the caller by; there may well be none.
    let actor = match cli.tracker() {
        Ok(tracker) => {
            if tracker.store().tip()?.is_some() {
                remember(tracker);
            }
            tracker.party()
        }
        Err(error) if error.is(Code::NotARepository) => Party::default(),
        Err(error) => return Err(error),
    };
    let start = Start {
        env: cli.env().clone(),
        here: cli.location()?,
        is_all: begin.is_all,
        is_plain: begin.is_plain,
        board: begin.board,
        is_coloured: cli.ui.is_coloured(),
        actor,
        write,
        verbs: verbs(cli),
        lead: lead(cli),
    };
    run(&start, cli.opener())?;
    Ok(Exit::OK)
}

/// Lets the user write something of an issue in the editor, as the verbs do, and saves it; returns what that was.
fn write(tracker: &Tracker, what: Written, id: &str) -> Result<String> {
    let done = match what {
        Written::Fields => edit(tracker, id).map(|_| "edited"),
        Written::Comment => {
            let request = Note {
                id: id.to_owned(),
                ..Note::default()
            };
            note_in_editor(tracker, request).map(|_| "noted")
        }
        Written::Parts => split_in_editor(tracker, id).map(|_| "split into parts"),
    };
    done.map(str::to_owned).map_err(in_a_sentence)
}

/// Returns an error with all that its hints say in its message: a face shows that, and the place of a text that was kept is
/// not to be lost.
fn in_a_sentence(mut error: Error) -> Error {
    let message = error.message.lines().next().unwrap_or_default().to_owned();
    let hints = joined(error.hints.drain(..).map(|hint| hint.to_string()));
    error.message = [Some(message), hints]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ");
    error
}

fn verbs(cli: &Cli) -> Vec<&'static str> {
    let shown = cli.verbs.iter().filter(|verb| !verb.hidden);
    let names = shown.flat_map(|verb| [verb.name].into_iter().chain(verb.aliases.iter().copied()));
    names.chain(["help"]).collect()
}

/// Returns the options that say as whom the caller acts.
fn lead(cli: &Cli) -> Vec<String> {
    let mut words = Vec::new();
    for (flag, value) in cli.globals.leading() {
        // Where is another question: each repository has its own place.
        if flag != "-C" {
            words.push(format!("{flag}={value}"));
        }
    }
    words
}
