//! Usage errors that answer with the right command, the user's own arguments filled in.
//!
//! Agents and people guess verbs and options from other trackers: those have tables ([`words`]). A word that is none of these
//! and no misspelling is answered with help: a guess that does something else would be worse.

mod form;
mod line;
mod parts;
mod their_options;
mod values;
mod words;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::argv::{Line, verb_at};
use super::completion::line::Part;
use super::globals::{Globals, JsonStyle, When};
use crate::env::Env;
use crate::env::time_zone::time_zone;
use crate::model::{Clock, Status};
use crate::ops::shared::query::query_meant;
use crate::ops::shared::words::nearest;
use crate::ops::{self, Code, Command, Error, ExitClass, Hint, Intent, Location, Result, Tracker};

/// Options of `git add`.
const GIT_ADD: [&str; 9] = [
    "-A", "--all", "-u", "--update", "-p", "--patch", "-N", "-i", "-f",
];
/// So many words of a line are replaced at most.
const MOST_MISTAKES: usize = 5;

/// A command line that was not understood, or whose verb has failed.
pub(super) struct Mistake<'e> {
    env: &'e Env,
    line: Line<'e>,
}

/// Errors: `add .` and the like, which is git's: here `add` is a name of `create`.
pub(super) fn check_git<'e>(words: &[OsString], mistake: impl Fn() -> Mistake<'e>) -> Result<()> {
    // Nearly every line has no such word, and is not read.
    if !words.iter().any(|word| word == "add") {
        return Ok(());
    }
    mistake().of_git().map_or(Ok(()), Err)
}

impl<'e> Mistake<'e> {
    pub(super) fn new(env: &'e Env, line: Line<'e>) -> Self {
        Self { env, line }
    }

    fn with(&self, line: Vec<String>) -> Self {
        Self::new(self.env, self.line.with(line))
    }

    fn of_git(&self) -> Option<Error> {
        let verb = verb_at(&self.line).filter(|at| self.line[*at] == "add")?;
        let words = &self.line[verb + 1..];
        let dir = self.location()?.dir;
        let is_option = |word: &&String| GIT_ADD.contains(&word.as_str());
        let is_path = |word: &String| {
            let is_glob = word.contains('*') && !word.contains(char::is_whitespace);
            !word.is_empty() && (is_glob || dir.join(word).exists())
        };
        if words.is_empty() || !words.iter().all(|word| is_option(&word) || is_path(word)) {
            return None;
        }
        let git = words.iter().fold(Command::line("git add"), Command::text);
        let error = usage("`add` creates an issue; files are added by git itself".to_owned());
        let titles: Vec<&String> = words.iter().filter(|word| !is_option(word)).collect();
        Some(match titles[..] {
            [title] if title != "." => error.hinted(git).also(Command::of("create").text(title)),
            _ => error.hinted(git),
        })
    }

    /// Turns what clap says into an error with the exact next command.
    pub(super) fn explain(&self, error: &clap::Error) -> Error {
        let said = self.explained(error);
        match self.told() {
            Some(hints) => Error { hints, ..said },
            None => said,
        }
    }

    fn explained(&self, error: &clap::Error) -> Error {
        match error.kind() {
            ErrorKind::InvalidSubcommand => {
                let word = context(error, ContextKind::InvalidSubcommand).unwrap_or_default();
                self.unknown_verb(&word, error)
            }
            ErrorKind::UnknownArgument => self.unknown_argument(error),
            ErrorKind::MissingRequiredArgument => {
                let missing = context(error, ContextKind::InvalidArg).unwrap_or_default();
                let (missing, verb) = (missing.replace(['<', '>'], ""), self.line.verb());
                usage(format!("{missing} is missing{}", of(verb))).hinted(self.corrected(error))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                self.missing_verb()
            }
            _ => {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                let first = first.trim_start_matches("error: ").to_owned();
                usage(first).hinted(self.corrected(error))
            }
        }
    }

    fn unknown_verb(&self, word: &str, error: &clap::Error) -> Error {
        usage(format!("unknown verb `{word}`")).hinted(self.corrected(error))
    }

    fn unknown_argument(&self, error: &clap::Error) -> Error {
        let word = context(error, ContextKind::InvalidArg).unwrap_or_default();
        let bare = word.split('=').next().unwrap_or(&word).to_owned();
        let what = if word.starts_with('-') {
            "option"
        } else {
            "argument"
        };
        // A text that begins with a dash has no option that is near it.
        let text = self.as_text(|text| text.starts_with(&bare));
        let hint = text.map_or_else(|| self.corrected(error), Hint::from);
        usage(format!("unknown {what} `{bare}`{}", of(self.line.verb()))).hinted(hint)
    }

    /// Returns the line with all words replaced that clap does not know, once it takes the whole of it;
    /// else the help of the verb that was probably meant.
    fn corrected(&self, error: &clap::Error) -> Hint {
        let Some(mut line) = self.replaced(error) else {
            return self.nearest(error);
        };
        for _ in 0..MOST_MISTAKES {
            let next = self.with(line);
            match next.understood() {
                Ok(()) => {
                    let line = next.rearranged().unwrap_or_else(|| next.line.to_vec());
                    let line = self.showing(line);
                    let line = self.asking(line);
                    let line = values::without_choice(&line).unwrap_or(line);
                    let ours = values::with_our_values(&line, &|word| self.is_issue(word));
                    return Command::of_line(&ours).into();
                }
                Err(error) => match next.replaced(&error) {
                    Some(again) => line = again,
                    None => return next.nearest(&error),
                },
            }
        }
        Command::of("help").into()
    }

    /// Returns the line with the first word replaced that clap does not know; none where nothing is known to be meant by it.
    fn replaced(&self, error: &clap::Error) -> Option<Vec<String>> {
        match error.kind() {
            ErrorKind::InvalidSubcommand => {
                let word = context(error, ContextKind::InvalidSubcommand)?;
                line::with_our_verb(&self.line, &word, &|word| self.is_issue(word))
            }
            ErrorKind::UnknownArgument => {
                let word = context(error, ContextKind::InvalidArg)?;
                let name = word.split('=').next().unwrap_or(&word);
                let is_issue = |word: &str| self.is_issue(word);
                // `labels list`: the word behind the verb is no argument that could be replaced.
                line::with_pair(&self.line)
                    .or_else(|| line::with_all(&self.line, name))
                    .or_else(|| values::with_json(&self.line, &word))
                    .or_else(|| values::with_table(&self.line, &word))
                    .or_else(|| form::titled(&self.line).filter(|_| !name.starts_with('-')))
                    .or_else(|| form::listed(&self.line, &word, &is_issue))
                    .or_else(|| form::of_status(&self.line, &is_issue))
                    .or_else(|| line::with_update(&self.line))
                    .or_else(|| line::with_our_option(&self.line, name))
                    .or_else(|| line::with_option_of(&self.line, &word))
                    .or_else(|| self.rearranged())
            }
            ErrorKind::MissingRequiredArgument => line::with_pair(&self.line),
            ErrorKind::InvalidValue => {
                let is_json = |word: &&String| word.starts_with("--json=");
                let word = self.line.iter().find(is_json)?;
                values::with_json(&self.line, word)
            }
            _ => None,
        }
    }

    /// Returns what is nearest to a line that clap does not take: what is said of a thing that does not exist here, else the
    /// help of a verb.
    fn nearest(&self, error: &clap::Error) -> Hint {
        let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
        let mut words = kinds.iter().filter_map(|kind| context(error, *kind));
        let word = words.next().unwrap_or_default();
        let name = word.split('=').next().unwrap_or(&word);
        let is_option = error.kind() == ErrorKind::UnknownArgument && name.starts_with("--");
        let is_verb = error.kind() == ErrorKind::InvalidSubcommand;
        if let Some(absent) = parts::absent(name).filter(|_| is_option || is_verb) {
            let ours = match is_option {
                true => help_of(self.line.verb()),
                false => Command::of_line(&line::nearest_to(absent, &self.line, &word)),
            };
            // What is near to a verb is no option.
            let said = absent.said.split(';').next().filter(|_| is_option);
            return Hint::run(format!("{}: ", said.unwrap_or(absent.said)), ours);
        }
        self.help(error, &word).into()
    }

    /// Returns the help of the verb of a line that clap does not take.
    fn help(&self, error: &clap::Error, word: &str) -> Command {
        let (root, verb) = (self.line.root(), self.line.verb());
        let is_nested = root.find_subcommand(verb).is_some() && verb != word && verb != "help";
        if error.kind() != ErrorKind::InvalidSubcommand || is_nested {
            return help_of(verb);
        }
        if let Some(ours) = line::helper(word) {
            return help_of(ours);
        }
        let names = parts::names(root);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match nearest(word, &names) {
            Some(removes) => help_of(removes),
            None => Command::of("help"),
        }
    }

    /// Returns the line that shows an issue in place of one that opens it again, where it is open: elsewhere `open` shows.
    fn showing(&self, mut line: Vec<String>) -> Vec<String> {
        let verb = verb_at(&line).filter(|at| line[*at] == "reopen" && line.len() == at + 2);
        if let Some(at) = verb
            && self.status(&line[at + 1]).is_some_and(|it| !it.is_done())
        {
            "show".clone_into(&mut line[at]);
        }
        line
    }

    /// Returns the hints for a line of others whose words are none of a verb: an issue that is the same as another one, and
    /// the exchange with another tracker.
    fn told(&self) -> Option<Vec<Hint>> {
        if let Some(lines) = form::as_duplicate(&self.line, &|word| self.is_issue(word)) {
            return Some(
                lines
                    .iter()
                    .map(|line| Command::of_line(line).into())
                    .collect(),
            );
        }
        let (tracker, word) = line::exchanged(&self.line)?;
        let dir = self.location()?.dir;
        let has_remote = |tracker: Tracker| tracker.store().remotes().names().contains(word);
        if dir.join(word).exists() || self.tracker().is_some_and(has_remote) {
            return None;
        }
        let said = format!(
            "issues of {} come by a file: {}",
            tracker.title, tracker.way
        );
        let and = if tracker.way.contains(" > gh") {
            " && "
        } else {
            ", then "
        };
        let words = tracker.file.split(' ');
        let import = words.fold(Command::of("import"), Command::word);
        Some(vec![Hint::run(format!("{said}{and}"), import)])
    }

    /// Returns the line with the query that is meant by one of others.
    fn asking(&self, line: Vec<String>) -> Vec<String> {
        let meant = |text: &str| match self.tracker() {
            Some(tracker) => query_meant(&tracker, text),
            None => Some(text.to_owned()),
        };
        values::with_query(&self.line.with(line.clone()), &meant).unwrap_or(line)
    }

    /// Returns whether a word names an issue of the repository.
    fn is_issue(&self, word: &str) -> bool {
        self.status(word).is_some()
    }

    /// Returns the status of the issue of the repository that a word names; none where it names none.
    fn status(&self, word: &str) -> Option<Status> {
        let is_id = |c: char| c.is_alphanumeric() || "-._#/:".contains(c);
        if word.starts_with('-') || !word.chars().all(is_id) {
            return None;
        }
        let status = self.tracker()?.read(|view| {
            let uid = view.find(word)?;
            Ok(view.index.row(uid)?.map_or(Status::Open, |row| row.status))
        });
        status.ok()
    }

    fn tracker(&self) -> Option<Tracker> {
        let open = |location: Location| ops::open(&location, None, Intent::Read).ok();
        self.location().and_then(open)
    }

    /// Returns the folder of the user, as far as the line can be read.
    fn location(&self) -> Option<Location> {
        let globals = Globals {
            dir: self.line.dir(),
            ..Globals::default()
        };
        globals.location(self.env).ok()
    }

    /// Errors: what is not understood of the line. One that asks for help is understood.
    fn understood(&self) -> Result<(), clap::Error> {
        match self.line.understood() {
            Err(error) if !is_help(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn missing_verb(&self) -> Error {
        let verb = self.line.verb();
        let root = self.line.root();
        let below = root
            .find_subcommand(verb)
            .into_iter()
            .flat_map(clap::Command::get_subcommands);
        let names: Vec<&str> = below
            .map(clap::Command::get_name)
            .filter(|name| *name != "help")
            .collect();
        let names = names.join(", ");
        usage(format!("the verb of `{verb}` is missing: {names}")).hinted(help_of(verb))
    }

    /// Reads the options that every verb takes, as far as that is possible on a line that is wrong elsewhere.
    pub(super) fn globals(&self) -> Globals {
        let parts = self.line.parts();
        let mut global = Globals::default();
        let options = self
            .line
            .iter()
            .enumerate()
            .filter(|(i, _)| parts[*i] == Part::Option);
        for (i, word) in options {
            let value = word
                .strip_prefix("--color=")
                .map(str::to_owned)
                .or_else(|| {
                    (word == "--color")
                        .then(|| self.line.get(i + 1).cloned())
                        .flatten()
                });
            match (word.as_str(), value.as_deref()) {
                ("--json" | "--json=compact", _) => global.json = Some(JsonStyle::Compact),
                ("--no-pager", _) => global.no_pager = true,
                ("--json=pretty", _) => global.json = Some(JsonStyle::Pretty),
                (_, Some("always")) => global.color = Some(When::Always),
                (_, Some("never")) => global.color = Some(When::Never),
                _ => {}
            }
        }
        global
    }

    /// Gives an error without a remedy the help of its verb.
    pub(super) fn hinted(&self, error: Error) -> Error {
        let is_absent =
            error.is(Code::NotFound) || parts::has("sync push pull fetch", self.line.verb());
        if is_absent && let Some(hints) = self.told() {
            return Error { hints, ..error };
        }
        if let Some(line) = self.meant(&error) {
            return Error {
                hints: vec![Command::of_line(&line).into()],
                ..error
            };
        }
        // `create '-dash title'` is an option with a value, and no title.
        let titled = || error.class() != ExitClass::Invalid || self.line.has_argument();
        match self.as_text(|_| !titled()) {
            Some(hint) => error.hinted(hint),
            None if !error.hints.is_empty() => error,
            None => error.hinted(help_of(self.line.verb())),
        }
    }

    /// Returns the line that was probably meant where a verb took a word of another tracker for something else.
    fn meant(&self, error: &Error) -> Option<Vec<String>> {
        let is_empty = || error.is(Code::Invalid) && !self.line.has_argument();
        // `update ID done` changes nothing.
        let is_form =
            error.is(Code::Invalid) && parts::has("update edit rename diff", self.line.verb());
        let line = match error.is(Code::NotFound) || is_form {
            true => line::with_pair(&self.line)
                .or_else(|| line::with_reason(&self.line))
                .or_else(|| self.rearranged())
                .or_else(|| values::without_choice(&self.line)),
            false => is_empty().then(|| line::with_title(&self.line))?,
        };
        let next = self.with(line?);
        next.understood().is_ok().then(|| next.line.to_vec())
    }

    /// Returns the line with its words where they are taken for what they are.
    fn rearranged(&self) -> Option<Vec<String>> {
        let clock = Clock::new(self.env.now(), time_zone(self.env));
        let is_date = |text: &str| clock.future(text).is_some();
        form::rearranged(&self.line, &|word| self.is_issue(word), is_date)
    }

    /// Puts the word behind `--` that reads like a text and begins like an option, if it is the one meant.
    fn as_text(&self, is_meant: impl Fn(&str) -> bool) -> Option<Command> {
        let is_sentence = |word: &str| {
            word.split('=')
                .next()
                .is_some_and(|name| name.contains(char::is_whitespace))
        };
        // Below, the commands of all verbs are built, which few errors need.
        if !self
            .line
            .iter()
            .any(|word| word.starts_with('-') && is_sentence(word))
        {
            return None;
        }
        let is_text = |word: &str| is_sentence(word) && is_meant(word);
        let line = self.line.with_texts(is_text)?;
        Some(Command::of_line(&line))
    }
}

/// Returns true for what clap says where help or the version is asked for.
fn is_help(error: &clap::Error) -> bool {
    let kinds = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
    kinds.contains(&error.kind())
}

fn usage(message: String) -> Error {
    Error::new(Code::Usage, message)
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // Clap has the likeliest last.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

fn of(verb: &str) -> String {
    if verb.is_empty() {
        String::new()
    } else {
        format!(" for `{verb}`")
    }
}

fn help_of(verb: &str) -> Command {
    let help = Command::of("help");
    match verb.is_empty() {
        true => help,
        false => help.word(verb),
    }
}
