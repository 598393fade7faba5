//! The command line: arguments in, an answer and an exit code out.

mod argv;
mod completion;
mod draft;
mod files;
mod follow;
mod globals;
mod hook_input;
mod import;
mod line_diff;
mod logging;
mod man;
mod options;
mod schema;
mod suggest;
mod template;
mod text;
mod ui;
mod verb;
mod verbs;

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::env::Env;
use crate::ops::answer::Failure;
use crate::ops::{self, Code, Command, Error, Intent, Result};
use crate::platform;
use argv::{Invocation, Program};
use globals::{GLOBAL, Globals};
use suggest::Mistake;
use ui::{Ui, talk};
use verb::{Cli, Exit};
use verbs::VERBS;

pub fn run(env: &Env, args: &[OsString]) -> u8 {
    if let Err(message) = logging::start(env) {
        // A warning: a log that can't be written is no reason to stop a command or one of git's hooks.
        talk(env, "warning", &message);
    }
    let program = Program::new(&VERBS);
    let words = args.get(1..).unwrap_or_default();
    let mistake = || Mistake::new(env, program.line(words));
    let checked = program.check_negated(words);
    let checked = checked.and_then(|()| suggest::check_git(words, mistake));
    let line = match checked.and_then(|()| program.with_ids(env, words)) {
        Ok(line) => line,
        Err(error) => return fail(env, &mistake().globals(), &error),
    };
    let invocation = match program.parse(line.as_deref().unwrap_or(words)) {
        Ok(invocation) => invocation,
        Err(error) => return usage(env, &mistake(), &error),
    };
    let globals = invocation.globals.clone();
    match execute(env, invocation) {
        Ok(exit) => exit.code(),
        Err(mut error) => {
            // Before a hint that repeats the line, which has these options already.
            globals.lead(&mut error);
            fail(env, &globals, &mistake().hinted(error))
        }
    }
}

fn execute(env: &Env, line: Invocation) -> Result<Exit> {
    let name = line.verb.as_ref().map_or("", |(verb, _)| verb.name);
    let _span = tracing::info_span!("verb", name, pid = std::process::id()).entered();
    let ui = Ui::new(env, &line.globals);
    let mut cli = Cli::new(line.globals, &VERBS, ui);
    let outcome = match line.verb {
        Some((verb, matches)) => (verb.run)(matches, &mut cli),
        None => verbs::unnamed(&mut cli),
    };
    let outcome = cli.finish(outcome);
    log_end(&outcome);
    outcome
}

/// Logs the end of a verb; never the message of an error, which quotes what was asked for.
fn log_end(outcome: &Result<Exit>) {
    match outcome {
        Ok(exit) => tracing::info!(
            exit = exit.code(),
            peak_kib = platform::most_memory(),
            "done"
        ),
        Err(error) => {
            let (exit, code) = (error.class().exit_code(), error.code);
            tracing::info!(exit, ?code, peak_kib = platform::most_memory(), "failed");
        }
    }
}

/// Prints an error: for people on standard error, for programs as an answer too.
fn fail(env: &Env, globals: &Globals, error: &Error) -> u8 {
    if error.is(Code::ClosedPipe) {
        return 0;
    }
    talk(env, "error", &error.message);
    if let Some(hint) = error.hint() {
        talk(env, "hint", &hint);
    }
    if globals.json.is_some() {
        let mut ui = Ui::new(env, globals);
        ui.answer(Failure::from(error), |_| Vec::new(), |_, _| {});
        // The exit code reports the error itself.
        let _ = ui.finish();
    }
    error.class().exit_code()
}

/// Prints help and version, which are answers; anything else from clap becomes a usage error with the right command.
fn usage(env: &Env, mistake: &Mistake<'_>, error: &clap::Error) -> u8 {
    let globals = mistake.globals();
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    ) {
        // Help is text, also where `--json` is on the line.
        let mut ui = Ui::new(
            env,
            &Globals {
                json: None,
                quiet: false,
                ..globals.clone()
            },
        );
        let text = error.render();
        // Clap's own text: it quotes nothing of other people.
        let text = if ui.is_coloured() {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        let text = without_globals(&text);
        // The user's pager may be that of a repository.
        let location = globals.location(env);
        let tracker = location.and_then(|location| ops::open(&location, None, Intent::Read));
        ui.page(&globals, tracker.ok().as_ref());
        ui.stream(str::to_owned, |out| {
            let _ = out.write_all(text.as_bytes());
        });
        return ui
            .finish()
            .map_or_else(|error| fail(env, &globals, &error), |()| 0);
    }
    fail(env, &globals, &mistake.explain(error))
}

/// Returns the help of a verb with one line in place of the options that every verb takes: the help of the program has them.
fn without_globals(help: &str) -> String {
    let is_heading = |line: &&str| line.contains(GLOBAL) && !line.starts_with(' ');
    let Some(heading) = help.lines().find(is_heading) else {
        return help.to_owned();
    };
    let (before, section) = help.split_once(heading).unwrap_or((help, ""));
    let is_option = |line: &&str| line.trim_end().is_empty() || line.starts_with(' ');
    let lines = section.split_inclusive('\n');
    let behind: Vec<&str> = lines.skip_while(is_option).collect();
    let gap = if behind.is_empty() { "" } else { "\n" };
    let instead = Command::of("help");
    format!("{before}{GLOBAL}: {instead}\n{gap}{}", behind.concat())
}
