//! A verb of the command line, and what it runs with.

#[cfg(test)]
mod tests;

use clap::{ArgMatches, Command};
use schemars::JsonSchema;

use super::globals::Globals;
use super::options::ids::{ClaimOptions, ForceOption};
use super::schema::{self, Schema};
use super::ui::{Ui, talk};
use crate::env::Env;
use crate::ops::answer::Answer;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::{
    self, Asked, ClientSession, Code, Error, ExitClass, Intent, Location, Result, Tracker,
};

/// A verb: its arguments are the type that implements it, and its file has all that belongs to it.
pub(super) trait Verb: clap::Args {
    const NAME: &'static str;
    /// One line for the list of verbs. A doc comment on the arguments replaces it on the verb's own help.
    const ABOUT: &'static str;
    /// The part of the list of verbs that it belongs to.
    const GROUP: Group;
    const ALIASES: &'static [&'static str] = &[];
    /// Started by programs alone, so that no help names it.
    const HIDDEN: bool = false;
    /// True if it has verbs of its own, which `help` names too.
    const HAS_VERBS: bool = false;
    /// The issues that its ids name, those that are offered first in front.
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open, IdGroup::Closed];
    /// Examples for the manual page: sentences, and commands that begin with `$ `.
    const EXAMPLES: &'static str = "";
    /// The answer that it prints as JSON; [`NoAnswer`] where there is only text.
    type Answer: HasSchema;

    /// Returns whether it only reads: then it leaves nothing in the repository of another user.
    fn reads(&self) -> bool {
        false
    }

    fn run(self, cli: &mut Cli) -> Result<Exit>;

    /// Runs it, with the intent that it has.
    fn run_in(self, cli: &mut Cli) -> Result<Exit> {
        if self.reads() {
            cli.intent = Intent::Read;
        }
        self.run(cli)
    }

    /// Returns what the list of all schemas has of it: command lines and the schemas of their answers.
    fn schemas() -> Vec<(&'static str, Schema)> {
        let own = Self::Answer::schema().map(|schema| (Self::NAME, schema));
        own.into_iter().collect()
    }
}

/// Parts of the list of verbs, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    Work,
    Change,
    Look,
    Exchange,
    Keep,
    Other,
}

pub(super) trait HasSchema {
    fn schema() -> Option<Schema>;
}

impl<T: Answer + JsonSchema> HasSchema for T {
    fn schema() -> Option<Schema> {
        Some(schema::of::<T>)
    }
}

/// An answer that is text and nothing else.
pub(super) enum NoAnswer {}

impl HasSchema for NoAnswer {
    fn schema() -> Option<Schema> {
        None
    }
}

#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) group: Group,
    pub(super) hidden: bool,
    /// Shown first in the help of the program.
    pub(super) everyday: bool,
    /// Takes several ids, which `-` reads from standard input.
    pub(super) takes_ids: bool,
    /// Takes texts as arguments, which may begin with a dash.
    pub(super) takes_texts: bool,
    pub(super) aliases: &'static [&'static str],
    pub(super) completes: &'static [IdGroup],
    pub(super) examples: &'static str,
    pub(super) command: fn() -> Command,
    pub(super) run: fn(ArgMatches, &mut Cli) -> Result<Exit>,
    pub(super) schema: fn() -> Option<Schema>,
    pub(super) schemas: fn() -> Vec<(&'static str, Schema)>,
}

impl Entry {
    pub(super) const fn everyday(mut self) -> Self {
        self.everyday = true;
        self
    }

    pub(super) const fn takes_ids(mut self) -> Self {
        self.takes_ids = true;
        self
    }

    pub(super) const fn takes_texts(mut self) -> Self {
        self.takes_texts = true;
        self
    }

    pub(super) fn is_named(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }
}

pub(super) const fn entry<V: Verb>() -> Entry {
    Entry {
        name: V::NAME,
        about: V::ABOUT,
        group: V::GROUP,
        hidden: V::HIDDEN,
        everyday: false,
        takes_ids: false,
        takes_texts: false,
        aliases: V::ALIASES,
        completes: V::COMPLETES,
        examples: V::EXAMPLES,
        command: command::<V>,
        run: run::<V>,
        schema: V::Answer::schema,
        schemas: V::schemas,
    }
}

fn command<V: Verb>() -> Command {
    let command = Command::default()
        .name(V::NAME)
        .about(V::ABOUT)
        .hide(V::HIDDEN);
    let command = command.visible_aliases(V::ALIASES);
    if V::HAS_VERBS {
        // Its own verbs have to be known before it is parsed: help and completion walk them.
        with_arguments::<V>(command)
    } else {
        // What it takes is made up when it is parsed, which all but one never are.
        command.defer(with_arguments::<V>)
    }
}

/// Adds what a verb takes. Its help begins with what it does; what the arguments say of themselves follows, then examples.
fn with_arguments<V: Verb>(command: Command) -> Command {
    let command = match V::EXAMPLES {
        "" => V::augment_args(command),
        examples => V::augment_args(command).after_help(format!("Examples:\n{examples}")),
    };
    let said = command.get_long_about().or(command.get_about());
    let more = said.map(ToString::to_string);
    match more.filter(|more| more != V::ABOUT) {
        None => command,
        Some(more) => command
            .about(V::ABOUT)
            .long_about(format!("{}\n\n{more}", V::ABOUT)),
    }
}

fn run<V: Verb>(mut matches: ArgMatches, cli: &mut Cli) -> Result<Exit> {
    let unfit = |error: clap::Error| Error::new(Code::Usage, error.to_string());
    let verb = V::from_arg_matches_mut(&mut matches).map_err(unfit)?;
    verb.run_in(cli)
}

/// The exit code of an answer; an error has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exit(u8);

impl Exit {
    pub(super) const OK: Self = Self(0);

    /// Returns 1 where something is not as it was asked for.
    pub(super) fn one_if(is_so: bool) -> Self {
        Self(u8::from(is_so))
    }

    /// Returns the code of an error for an answer that has more to say than one.
    pub(super) fn of(class: ExitClass) -> Self {
        Self(class.exit_code())
    }

    pub(super) fn code(self) -> u8 {
        self.0
    }
}

/// The surroundings of a running verb. The tracker is opened by the first request for it.
pub(super) struct Cli {
    pub(super) globals: Globals,
    /// All verbs, for those that explain the others.
    pub(super) verbs: &'static [Entry],
    pub(super) ui: Ui,
    tracker: Option<Tracker>,
    intent: Intent,
    /// No one reads what this command says: what is meant for an agent waits for its next one.
    pub(super) is_background: bool,
}

impl Cli {
    pub(super) fn new(globals: Globals, verbs: &'static [Entry], ui: Ui) -> Self {
        Self {
            globals,
            verbs,
            ui,
            tracker: None,
            intent: Intent::Write,
            is_background: false,
        }
    }

    pub(super) fn env(&self) -> &Env {
        &self.ui.env
    }

    pub(super) fn tracker(&mut self) -> Result<&Tracker> {
        self.open().map(|(tracker, _)| tracker)
    }

    /// Returns the tracker; with `--force` it takes issues from others that work on them.
    pub(super) fn forced(&mut self, option: &ForceOption) -> Result<&Tracker> {
        self.with_force(option.force)
    }

    /// Returns the tracker; with `force` it does what is refused otherwise.
    pub(super) fn with_force(&mut self, force: bool) -> Result<&Tracker> {
        self.open()?;
        if let Some(tracker) = &mut self.tracker {
            tracker.caller().force = force;
        }
        self.tracker()
    }

    /// Returns the tracker; its new claims are asked for as the options say.
    pub(super) fn claiming(&mut self, options: &ClaimOptions) -> Result<&Tracker> {
        self.open()?;
        if let Some(tracker) = &mut self.tracker {
            tracker.caller().lease = options.lease.lease;
            tracker.caller().claims = options.policy();
        }
        self.tracker()
    }

    /// Returns the tracker, for the session that a client has named or a part of it; none where there are no issues.
    pub(super) fn in_session(
        &mut self,
        client: &str,
        id: &str,
        part: Option<String>,
    ) -> Result<Option<&Tracker>> {
        match self
            .tracker()
            .and_then(|tracker| Ok(tracker.store().tip()?))
        {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(None),
            Err(error) if error.class() == ExitClass::NotARepository => return Ok(None),
            Err(error) => return Err(error),
        }
        let session = ClientSession::reported(self.env(), client, id);
        // Without a session the usual sources name it: a variable that the user has set counts more than a hook.
        if let (Some(tracker), true) = (&mut self.tracker, session.is_some() || part.is_some()) {
            tracker.caller().ask(Asked {
                session,
                client: part.as_ref().map(|_| client.to_owned()),
                name: part.map(|part| (part, "hook")),
                ..Asked::default()
            });
        }
        Ok(self.tracker.as_ref())
    }

    /// Returns the tracker, and the terminal with it: what is asked while an answer is printed.
    pub(super) fn open(&mut self) -> Result<(&Tracker, &mut Ui)> {
        let tracker = match self.tracker.take() {
            Some(tracker) => tracker,
            None => {
                let tracker = self.tracker_at(&self.location()?)?;
                self.ui.configure(&self.globals, &tracker);
                tracker
            }
        };
        Ok((self.tracker.insert(tracker), &mut self.ui))
    }

    /// Returns the tracker of a repository that the verb has made, which serves from here on.
    pub(super) fn open_at(&mut self, location: &Location) -> Result<&Tracker> {
        let tracker = self.tracker_at(location)?;
        self.ui.configure(&self.globals, &tracker);
        Ok(self.tracker.insert(tracker))
    }

    /// Opens a tracker that acts as the options of the line say.
    fn tracker_at(&self, location: &Location) -> Result<Tracker> {
        self.opener()(location)
    }

    /// Returns what opens trackers that act as the options of the line say, for threads.
    pub(super) fn opener(&self) -> impl Fn(&Location) -> Result<Tracker> + Send + Sync + 'static {
        let (actor, name) = (self.globals.actor.clone(), self.globals.agent_name.clone());
        let intent = self.intent;
        move |location| {
            let mut tracker = ops::open(location, actor.as_deref(), intent)?;
            if let Some(name) = &name {
                ops::check_own(tracker.actor(), name)?;
            }
            tracker.caller().ask(Asked {
                name: name.clone().map(|name| (name, "--agent")),
                ..Asked::default()
            });
            Ok(tracker)
        }
    }

    /// Returns the place that the line is about.
    pub(super) fn location(&self) -> Result<Location> {
        self.globals.location(self.env())
    }

    pub(super) fn page(&mut self) {
        if let Some(tracker) = &self.tracker {
            self.ui.page(&self.globals, Some(tracker));
        }
    }

    pub(super) fn answer<T: Answer>(
        &mut self,
        body: T,
        ids: impl FnOnce(&T) -> Vec<String>,
        text: impl FnOnce(&mut Ui, &T),
    ) {
        self.ui.unblocked = self
            .tracker
            .as_ref()
            .map(Tracker::take_unblocked)
            .unwrap_or_default();
        self.ui.answer(body, ids, text);
    }

    /// Sends what is printed, waits for the pager and says what there was to warn of.
    pub(super) fn finish(self, outcome: Result<Exit>) -> Result<Exit> {
        // Before the warnings: with a pager they would be lost behind its screen.
        let env = self.env().clone();
        let written = self.ui.finish();
        if let Some(tracker) = self.tracker {
            if !self.is_background {
                tracker.note_activity();
            }
            for warning in tracker.take_warnings() {
                talk(&env, "warning", &warning);
            }
            if !self.is_background {
                for notice in tracker.take_notices() {
                    talk(&env, "notice", &notice);
                }
            }
            // The process ends: what it holds in memory need not be freed.
            if !env.is_sealed() {
                std::mem::forget(tracker);
            }
        }
        outcome.and_then(|exit| written.map(|()| exit))
    }

    /// Ends a command line within another one: the answer is all that counts.
    pub(super) fn finish_within(self, outcome: Result<Exit>) -> Result<Exit> {
        self.ui.finish()?;
        outcome
    }
}
