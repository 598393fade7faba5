//! `git beads ui`: the issues of all repositories on a terminal, live.
//!
//! One thread draws, and never asks: it waits in one `poll(2)` for keys, signals and answers, takes all that has come, and
//! writes a frame. Whatever opens a repository runs on the threads of the feed.

mod asks;
mod child;
mod draw;
mod fed;
mod input;
mod lend;
mod painted;
mod plain;
mod runs;
mod screen;
mod state;
mod terminal;

use std::time::{Duration, Instant};

use crate::desk::feed::{Feed, News};
use crate::desk::looks::Looks;
use crate::desk::places::{RepoPlace, none_listed, places};
use crate::env::Env;
use crate::model::Party;
use crate::ops::{Command, Error, Location, Result, Tracker, end_children, leave_signals};
use crate::platform::{Wake, read_input};
use asks::Ask;
pub(crate) use asks::{Write, Written};
use child::{ChildStart, VerbChildren};
use draw::{LaidOut, one_line};
pub use fed::FedFace;
use input::{Input, InputReader};
use plain::Plain;
use screen::Screen;
use state::{FirstRepo, State};
use terminal::Terminal;

/// Milliseconds after which the ages on the screen are others.
const MINUTE: u64 = 60_000;
/// The time between two frames: 120 a second.
const FRAME: Duration = Duration::from_millis(8);

/// The time that a repository has at the end.
const PATIENCE: Duration = Duration::from_secs(1);
/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) is_coloured: bool,
    pub(crate) is_utf8: bool,
}

impl Look {
    /// Of letters alone.
    const PLAIN: Self = Self {
        is_coloured: false,
        is_utf8: true,
    };
}

/// How the face begins.
pub(crate) struct Start {
    pub(crate) env: Env,
    /// The place that the user stands in.
    pub(crate) here: Location,
    /// With all repositories, and not the one that the user stands in.
    pub(crate) is_all: bool,
    /// Without a screen: rows, and lines of keys.
    pub(crate) is_plain: bool,
    /// The query of the board, where it begins with that.
    pub(crate) board: Option<String>,
    pub(crate) is_coloured: bool,
    pub(crate) actor: Party,
    /// What lets the user write in the editor.
    pub(crate) write: Write,
    /// The verbs that can be typed.
    pub(crate) verbs: Vec<&'static str>,
    /// The options that say as whom the user acts, for these.
    pub(crate) lead: Vec<String>,
}

/// Shows the issues until the user leaves.
/// Errors: there is no repository.
pub(crate) fn run(
    start: &Start,
    open: impl Fn(&Location) -> Result<Tracker> + Send + Sync + 'static,
) -> Result<()> {
    let env = &start.env;
    env.stay();
    let has_screen = env.is_interactive() && env.var("TERM").as_deref() != Some("dumb");
    let (places, mut warnings) = places(env, &start.here)?;
    if places.is_empty() {
        return Err(none_listed());
    }
    let no_wait = |error| Error::io("can't wait for a terminal here", &error);
    // Before any thread runs git: a signal is to end this face, and not the process under it.
    leave_signals();
    let wake = Wake::begin().map_err(no_wait)?;
    let waker = wake.waker();
    let waker = waker.map_err(|error| no_wait(error).hinted(Command::of("inbox")))?;
    let other_waker = wake.waker().map_err(no_wait)?;
    let feed = Feed::start(&places, waker, open);
    let feed = feed.map_err(|error| Error::io("can't start a thread", &error))?;
    let mut face = Face {
        state: first_state(start, &places),
        feed,
        children: VerbChildren::new(child_start(start, &places), other_waker),
        wake,
        looks: Looks::new(places.len()),
        began: Instant::now(),
        reader: InputReader::default(),
        env: env.clone(),
        folders: places.iter().map(|place| place.location.clone()).collect(),
        write: start.write,
        look: Look {
            is_coloured: start.is_coloured,
            is_utf8: is_utf8(env),
        },
        laid_out: LaidOut::default(),
    };
    face.state.message = warnings.pop().unwrap_or_default();
    // Before the terminal is taken: the answers are on their way meanwhile.
    face.ask();
    if start.is_plain || !has_screen {
        let ended = Plain::new(&mut face).run();
        end_children();
        return ended;
    }
    let terminal = Terminal::enter()?;
    let ended = face.run(&terminal);
    drop(terminal);
    // No exchange outlives it.
    end_children();
    ended
}

fn first_state(start: &Start, places: &[RepoPlace]) -> State {
    let repos = places.iter().map(|place| FirstRepo {
        name: place.name.clone(),
        is_here: place.is_here,
        silent: place.silent(),
    });
    let mut state = State::new(repos.collect(), start.actor.clone(), start.is_all, size());
    state.verbs.clone_from(&start.verbs);
    if let Some(query) = &start.board {
        state.begin_with_board(query);
    }
    state
}

fn child_start(start: &Start, places: &[RepoPlace]) -> ChildStart {
    ChildStart {
        env: start.env.clone(),
        lead: start.lead.clone(),
        locations: places.iter().map(|place| place.location.clone()).collect(),
        is_coloured: start.is_coloured,
    }
}

fn size() -> (u16, u16) {
    crossterm::terminal::size().unwrap_or((80, 24))
}

/// Returns whether the locale has the characters of boxes.
fn is_utf8(env: &Env) -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.into_iter().find_map(|name| env.var(name));
    let locale = locale.unwrap_or_default().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// The face while it runs.
struct Face {
    state: State,
    feed: Feed<Ask>,
    children: VerbChildren,
    wake: Wake,
    looks: Looks,
    began: Instant,
    reader: InputReader,
    env: Env,
    /// Where each repository is.
    folders: Vec<Location>,
    write: Write,
    look: Look,
    laid_out: LaidOut,
}

impl Face {
    fn ask(&mut self) {
        for (repo, ask) in self.state.take_asks() {
            self.feed.ask(repo, ask);
        }
        self.children.keep(self.state.run());
        if let Some(run) = self.state.beside.take() {
            self.children.add(&run);
        }
    }

    fn run(&mut self, terminal: &Terminal) -> Result<()> {
        let mut screen = Screen::new();
        let mut title = String::new();
        let mut is_changed = true;
        let mut drawn_at: Option<Instant> = None;
        while !self.state.is_over && !self.wake.is_ending() {
            is_changed |= self.take_time();
            is_changed |= self.hear();
            self.looks.look(&self.feed, &mut self.wake);
            if std::mem::take(&mut self.state.wants_suspend) {
                terminal.suspend()?;
                self.state.wants_redraw = true;
            }
            if let Some(lent) = self.state.lent.take() {
                self.lend(terminal, lent)?;
                // A signal came meanwhile, and the terminal is another's.
                if self.wake.is_ending() {
                    break;
                }
            }
            if let Some(text) = self.state.copied.take()
                && Screen::copy(&text).is_err()
            {
                break;
            }
            if self.wake.takes_redraw() || std::mem::take(&mut self.state.wants_redraw) {
                self.state.resize(size());
                screen.forget();
                is_changed = true;
            }
            self.ask();
            let since = drawn_at.map_or(FRAME, |at| at.elapsed());
            let is_due = since >= FRAME && self.state.is_drawable();
            if is_changed && is_due {
                let drawn = self.draw(&mut screen, &mut title);
                let drawn = drawn.and_then(|()| terminal.set_mouse(!self.state.pointer.is_off));
                // A terminal that takes nothing any more has gone.
                if drawn.is_err() {
                    break;
                }
                is_changed = false;
                drawn_at = Some(Instant::now());
            }
            let time = self.time_to_wait(is_changed, since);
            let woken = self.wake.pause(Some(time), true);
            if woken.change {
                self.looks.want();
            }
            if woken.input || self.reader.is_due() {
                is_changed = true;
                if !self.read(woken.input)? {
                    break;
                }
            }
        }
        self.keep_what_was_typed();
        Ok(())
    }

    /// Takes the time; returns whether something is to be drawn for that.
    fn take_time(&mut self) -> bool {
        let up = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let minute = self.state.now / MINUTE;
        let is_changed = self.state.tick(self.env.now(), up);
        // Ages are others each minute, and what was not reported is found then.
        let is_next_minute = self.state.now / MINUTE != minute;
        if is_next_minute {
            self.looks.want();
        }
        is_changed || is_next_minute
    }

    /// Waits a moment until what was typed and not sent is on the disk.
    fn keep_what_was_typed(&mut self) {
        self.state.keep_open_prompt();
        self.ask();
        let since = Instant::now();
        while self.state.keeping > 0 && since.elapsed() < PATIENCE {
            self.wake.pause(Some(PATIENCE), false);
            self.hear();
        }
    }

    /// Takes what the threads say; returns whether they have said anything.
    fn hear(&mut self) -> bool {
        let news: Vec<_> = self.feed.news().collect();
        for (repo, news) in &news {
            if let News::Answer(answer) = news {
                self.looks.note(*repo, &answer.watch);
            }
        }
        let mut has_said = !news.is_empty();
        for (repo, news) in news {
            self.state.hear(repo, news);
        }
        if let Some(ran) = self.children.ran() {
            self.state.take_output(ran);
            has_said = true;
        }
        has_said
    }

    fn time_to_wait(&self, is_changed: bool, since: Duration) -> Duration {
        let minute = Duration::from_millis(MINUTE - self.env.now() % MINUTE);
        let wake = self.state.next_wake().map(Duration::from_millis);
        let frame = (is_changed && self.state.is_drawable()).then(|| FRAME.saturating_sub(since));
        // Not at once again and again, where a clock stands.
        let least = Duration::from_millis(1);
        [wake, frame, self.looks.due(), self.reader.due()]
            .into_iter()
            .flatten()
            .fold(minute, Duration::min)
            .max(least)
    }

    fn draw(&mut self, screen: &mut Screen, title: &mut String) -> std::io::Result<()> {
        let drawn = draw::draw(&self.state, self.look, &mut self.laid_out);
        self.state.panel.top = drawn.panel_top;
        self.state.set_areas(drawn.areas);
        screen.show(drawn.frame)?;
        let name = one_line(self.state.only_repo().unwrap_or("all"));
        let wanted = match self.state.inbox.blocking {
            0 => format!("{name}: issues"),
            n => format!("({n}) {name}: issues"),
        };
        if *title != wanted {
            *title = wanted;
            Screen::title(title)?;
        }
        Ok(())
    }

    /// Panics at a key where a test asks for that; what is published has no such thing.
    #[cfg(debug_assertions)]
    fn panic_for_a_test(&self) {
        assert!(
            self.env.var("PANIC_IN_UI").is_none(),
            "a test has asked for this"
        );
    }

    /// Reads what was typed, and what was begun and does not go on; returns false where the terminal has gone.
    fn read(&mut self, is_there: bool) -> Result<bool> {
        // First: it may have waited for long, and how old a row is decides what a key does.
        self.take_time();
        if !is_there {
            for input in self.reader.end() {
                self.state.input(input);
            }
            self.ask();
            return Ok(true);
        }
        let mut bytes = [0; 4096];
        match read_input(&mut bytes) {
            Ok(0) => return Ok(false),
            Ok(n) => {
                #[cfg(debug_assertions)]
                self.panic_for_a_test();
                for input in self.reader.read(&bytes[..n]) {
                    self.state.input(input);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A terminal that has gone.
            Err(_) => return Ok(false),
        }
        self.ask();
        Ok(true)
    }
}
