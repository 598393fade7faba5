//! The command line: arguments in, an answer and an exit code out.

mod args;
mod board;
mod columns;
mod commands;
mod complete;
mod demo;
mod edit;
mod exchange;
mod files;
mod follow;
mod graph;
mod guess;
mod guests;
mod history;
mod lines;
mod man;
mod page;
mod query;
mod render;
mod schema;
mod session;
mod setup;
mod stats;
mod status;
mod ui;
mod uninstall;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use super::ops::answer::Failure;
use crate::env;
use crate::ops::{Code, Error, Tracker};
use crate::store::Location;
use args::{Alone, Cli, Global, Verb};
use ui::{Ui, Versioned, talk};

/// Runs the program and returns its exit code.
pub fn run(args: &[OsString]) -> ExitCode {
    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(error) => return usage(args, &error),
    };
    let global = cli.global.clone();
    match commands::dispatch(cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) => fail(&global, &guess::hinted(args, error)),
    }
}

/// Clap builds all verbs that it might meet, which takes longer than most of them do: the one that is named is tried
/// alone first, and what it does not take is put to all of them.
fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let words = args
        .iter()
        .skip(1)
        .filter(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
    let alone = match words.clone().find_map(|word| Verb::named(word)) {
        Some(verb) => Some(Alone::command().subcommand(verb)),
        None => words.clone().next().is_none().then(Alone::command),
    };
    let parsed = alone.and_then(|command| {
        let matches = Box::leak(Box::new(command))
            .try_get_matches_from_mut(args)
            .ok()?;
        Cli::from_arg_matches(&matches).ok()
    });
    parsed.map_or_else(|| parse_all(args), Ok)
}

fn parse_all(args: &[OsString]) -> Result<Cli, clap::Error> {
    let parse = |args: &[OsString]| {
        let command = Box::leak(Box::new(Cli::command()));
        Cli::from_arg_matches(&command.try_get_matches_from_mut(args)?)
    };
    parse(args).or_else(|error| {
        let is_unknown = error.kind() == clap::error::ErrorKind::UnknownArgument;
        match is_unknown.then(|| guess::with_list_items(args)).flatten() {
            Some(args) => parse(&args),
            None => Err(error),
        }
    })
}

/// Where the user stands: `-C`, else the current directory, with git's own variables.
fn location(global: &Global) -> Result<Location, Error> {
    let here = here()?;
    match &global.dir {
        Some(dir) => Ok(Location {
            dir: here.join(dir),
            explicit: true,
        }),
        None => Ok(Location {
            dir: here,
            explicit: false,
        }),
    }
}

/// The current directory.
fn here() -> Result<PathBuf, Error> {
    let unreadable = |error: std::io::Error| {
        Error::new(
            Code::Io,
            format!("can't read the current directory: {error}"),
        )
    };
    env::current_dir().map_err(unreadable)
}

fn open(global: &Global) -> Result<Tracker, Error> {
    Tracker::open(&location(global)?, global.actor.as_deref())
}

/// Prints an error: for people on standard error, for programs as an answer too.
fn fail(global: &Global, error: &Error) -> ExitCode {
    if error.code == Code::ClosedPipe {
        return ExitCode::SUCCESS;
    }
    talk("error", &error.message);
    if let Some(hint) = error.hint() {
        talk("hint", &hint);
    }
    if global.json.is_some() {
        let mut ui = Ui::new(global, None);
        ui.answer(Failure::from(error), |_| Vec::new(), |_, _| {});
        // The exit code tells of the error itself.
        let _ = ui.finish();
    }
    ExitCode::from(error.code.class().exit_code())
}

/// Help and version are answers; anything else clap says is a usage error with the right command.
fn usage(args: &[OsString], error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let global = guess::globals(args);
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        let mut ui = Ui::new(
            &Global {
                json: None,
                quiet: false,
                ..global.clone()
            },
            None,
        );
        let text = error.render();
        // Clap's own text, which nobody else can have written into.
        let text = if ui.is_coloured() {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        ui.stream(|out| {
            let _ = out.write_all(text.as_bytes());
        });
        return ui
            .finish()
            .map_or_else(|error| fail(&global, &error), |()| ExitCode::SUCCESS);
    }
    fail(&global, &guess::explain(args, error))
}

/// The verbs and options as clap knows them, for references and completions.
fn command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// Runs a command line of the demonstration into a buffer; returns what it printed.
fn invoke(args: &[&str], colour: bool) -> Result<String, Error> {
    let matches = Cli::command()
        .try_get_matches_from(args)
        .map_err(|error| Error::new(Code::Usage, error.to_string()))?;
    let cli = Cli::from_arg_matches(&matches)
        .map_err(|error| Error::new(Code::Usage, error.to_string()))?;
    let buffer = demo::Buffer::default();
    let ui = Ui::to_writer(Box::new(buffer.clone()), &cli.global, colour);
    commands::with_ui(cli, ui)?;
    Ok(buffer.text())
}

/// The envelope of an error, for the schema.
type ErrorShape = Versioned<super::ops::answer::Envelope<Failure>>;
