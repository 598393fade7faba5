//! `wait`: a command that ends when something has happened.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::cli::follow::{FollowInput, follow};
use crate::cli::options::duration::duration;
use crate::cli::ui::{Ui, talk};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::env::start_thread;
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::wait::{Until, Wait, WaitRequest, Waited, fetch};
use crate::ops::{ClaimPolicy, Code, Error, Location, Result, Tracker, end_children};
use crate::text::line::line;
use crate::text::style::BOLD;

/// The time after which the agent counts as at work again.
const ACTIVITY: Duration = Duration::from_secs(60);

/// It ends with the first of the issues, and with 1 when the time is over.
#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// Ids [default: anything that changes]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The state they are to be in
    #[arg(long, required = true, value_name = "STATE",
          value_parser = PossibleValuesParser::new(Until::ALL.map(|(word, _)| word)))]
    until: String,
    /// Wait for all of the issues
    #[arg(long)]
    all: bool,
    /// How long at most: 30s, 10m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m")]
    timeout: Duration,
    /// Ask the remote each so often [default: 60s where beads.claims asks it too, else not at all]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    fetch: Option<Duration>,
}

impl Verb for WaitArgs {
    const NAME: &'static str = "wait";
    const ABOUT: &'static str = "Wait until issues are closed, ready, answered or changed";
    const GROUP: Group = Group::Look;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"Go on when an issue is closed, here at once:

$ git beads done bd-a1b2 -r "it works"
$ git beads wait bd-a1b2 --until closed --timeout 30s
"#;
    type Answer = Waited;

    fn reads(&self) -> bool {
        self.fetch.is_none()
    }

    fn run(mut self, cli: &mut Cli) -> Result<Exit> {
        let location = cli.globals.location(cli.env())?;
        let actor = cli.globals.actor.clone();
        cli.env().stay();
        let (tracker, _) = cli.open()?;
        if tracker.claim_policy()? != ClaimPolicy::Local
            && !tracker.store().permissions().leave_nothing()
        {
            // Where the remote decides on claims, it is also where news comes from.
            self.fetch.get_or_insert(ACTIVITY);
        }
        let words = Until::ALL.iter();
        let until = words.clone().find(|(word, _)| *word == self.until);
        let request = WaitRequest {
            ids: self.ids.clone(),
            until: until.map_or(Until::Changed, |(_, until)| *until),
            all: self.all,
        };
        let fetcher = Fetcher::new(location, actor);
        let waited = self.follow(tracker, &request, fetcher)?;
        let is_over = waited.is_over;
        cli.answer(waited, ids, text);
        Ok(Exit::one_if(is_over))
    }
}

/// The points in time at which there is something to do, though the ref has not moved.
#[derive(Clone, Copy, PartialEq)]
struct Ticks {
    is_over: bool,
    is_due: bool,
    minutes: u64,
    fetches: u64,
}

impl WaitArgs {
    fn follow(
        &self,
        tracker: &Tracker,
        request: &WaitRequest,
        mut fetcher: Fetcher,
    ) -> Result<Waited> {
        let begin = Instant::now();
        // A cell, since its date is asked for between two looks.
        let wait = std::cell::RefCell::new(Wait::begin(tracker, request)?);
        let ticks = || {
            let passed = begin.elapsed();
            let count = |every: Duration| passed.as_secs() / every.as_secs().max(1);
            Ticks {
                is_over: passed >= self.timeout,
                is_due: wait.borrow().is_due(tracker.now()),
                minutes: count(ACTIVITY),
                // The first one at once: what is waited for may have come about there.
                fetches: self.fetch.map_or(0, |every| 1 + count(every)),
            }
        };
        let (mut reached, mut last) = (
            None,
            // As none is: the first look finds all that is done at a tick to be due.
            Ticks {
                minutes: u64::MAX,
                fetches: 0,
                ..ticks()
            },
        );
        let due = || {
            let passed = begin.elapsed();
            let next = |every: Duration| {
                let every = every.as_secs().max(1);
                Duration::from_secs((passed.as_secs() / every + 1) * every) - passed
            };
            // A date that has come is in the ticks already.
            let now = tracker.now();
            let date = wait.borrow().due().filter(|date| *date > now);
            let date = date.map(|date| Duration::from_millis(date - now));
            let times = [self.fetch.map(next), date, Some(next(ACTIVITY))];
            let left = self.timeout.saturating_sub(passed);
            times.into_iter().flatten().chain([left]).min()
        };
        let each = |tracker: &Tracker| {
            // Taken once: what comes between two readings of the clock would be lost.
            let now = ticks();
            if now.minutes != last.minutes {
                tracker.note_activity();
            }
            if now.fetches != last.fetches {
                fetcher.begin();
            }
            last = now;
            reached = wait.borrow_mut().look(tracker)?;
            Ok(reached.is_none() && !now.is_over)
        };
        let input = FollowInput { mark: ticks, due };
        follow(tracker, &input, each)?;
        // A remote that is just being asked is not waited for.
        end_children();
        let until = wait.borrow().until();
        Ok(Waited::new(until, reached, begin.elapsed()))
    }
}

/// Asks the remote during the wait, which a slow one does not hold up.
struct Fetcher {
    location: Location,
    actor: Option<String>,
    running: Option<JoinHandle<Result<()>>>,
    failed: bool,
}

impl Fetcher {
    fn new(location: Location, actor: Option<String>) -> Self {
        Self {
            location,
            actor,
            running: None,
            failed: false,
        }
    }

    /// Asks once more, unless it is still being asked; a failure is said once.
    fn begin(&mut self) {
        if self.running.as_ref().is_some_and(|run| !run.is_finished()) {
            return;
        }
        if let Some(Ok(Err(error))) = self.running.take().map(JoinHandle::join) {
            self.warn(&error);
        }
        let (location, actor) = (self.location.clone(), self.actor.clone());
        // A tracker of its own, as one can't move between threads.
        match start_thread(move || fetch(&location, actor.as_deref())) {
            Ok(running) => self.running = Some(running),
            Err(error) => self.warn(&Error::new(Code::Io, format!("can't ask: {error}"))),
        }
    }

    fn warn(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.failed, true) {
            talk(&self.location.env, "warning", &error.to_string());
        }
    }
}

fn ids(waited: &Waited) -> Vec<String> {
    let reached = waited.reached.iter();
    reached.map(|issue| issue.id.clone()).collect()
}

fn text(ui: &mut Ui, waited: &Waited) {
    if waited.is_over {
        let state = waited.until.as_str();
        ui.line(&format!("not {state} after {}", waited.waited));
    }
    for issue in &waited.reached {
        let word = match (&issue.answer, &issue.status) {
            (Some(answer), _) => format!(
                " answered by {}: {answer}",
                issue.by.as_deref().unwrap_or_default()
            ),
            (None, status) => format!(
                " {}: {}",
                status.as_deref().unwrap_or_default(),
                issue.title
            ),
        };
        let word = ui.one_line(&word);
        ui.line(&line![ui.paint(BOLD, &issue.id), format!(" {word}")]);
    }
}
