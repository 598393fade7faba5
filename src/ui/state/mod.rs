//! The state of the face: keys and answers in, questions out. It knows neither a terminal nor a repository.

mod act;
mod acting;
mod board;
mod browser;
mod drafts;
mod hear;
mod inbox;
mod input;
mod layout;
mod lend;
mod links;
mod list;
mod marks;
mod menus;
mod mouse;
mod output;
mod overlay;
mod palette;
mod panel;
mod plain;
mod prompt;
mod scroll;
mod selection;
mod slot;
mod target;
#[cfg(test)]
mod tests;
mod typed;

use acting::Acting;
pub(super) use board::{BoardScreen, CardColumn, IssueCard};
pub(super) use inbox::{InboxLine, InboxScreen, IssueRow, LineKind, RowKey};
pub(super) use lend::{Lent, LentCommand};
pub(super) use list::ListScreen;
pub(super) use mouse::{Area, Hit, Pointer};
pub(super) use output::Output;
pub(super) use overlay::{HelpLine, Overlay};
use palette::Palette;
use panel::Wanted;
pub(super) use panel::{Panel, PanelKind, Shown};
pub(super) use prompt::Prompt;

use std::collections::VecDeque;
use std::path::PathBuf;

use super::asks::Ask;
use super::runs::Run;
use crate::desk::acts::DeskActs;
use crate::desk::drafts::TextDraft;
use crate::desk::feed::Question as _;
use crate::desk::keys::Does;
use crate::desk::own_keys::OwnKey;
use crate::model::{Party, Uid};
use crate::ops::scene::board::{Board, BoardRequest};
use crate::ops::scene::inbox::{AskedRepo, Inbox};
use crate::ops::scene::rows::{Head, Rows, RowsRequest};
use slot::Slot;

/// Columns from which on an issue is shown beside the rows; on the board once it is opened.
const TWO_PANES: u16 = 100;
/// Columns from which on it is always beside the board.
const WIDE: u16 = 160;
/// Columns of the rows beside a panel, of a hundred.
const LEFT: u32 = 48;
/// Milliseconds for which the first frame waits for repositories.
const PATIENCE: u64 = 100;
/// Milliseconds after which a repository that has said nothing is a row that says so.
const SILENCE: u64 = 2_000;

/// A screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScreenName {
    Inbox,
    Board,
    List,
    Graph,
    Log,
    Stats,
    /// Of a verb that was typed; it has no number.
    Output,
}

/// The screens that have a number, in their order, with that number and their names.
pub(super) const SCREENS: [(&str, &str, ScreenName); 6] = [
    ("1", "Inbox", ScreenName::Inbox),
    ("2", "Board", ScreenName::Board),
    ("3", "List", ScreenName::List),
    ("4", "Graph", ScreenName::Graph),
    ("5", "Log", ScreenName::Log),
    ("6", "Stats", ScreenName::Stats),
];

impl ScreenName {
    /// Returns whether it shows what a verb prints.
    pub(super) fn has_output(self) -> bool {
        matches!(self, Self::Graph | Self::Log | Self::Stats | Self::Output)
    }
}

/// A repository as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Repo {
    pub(super) name: String,
    /// The folder that its work trees share.
    common: Option<PathBuf>,
    /// True if another one shows the same issues.
    is_double: bool,
    /// The reason for which it could not be read.
    fault: Option<AskedRepo>,
    pub(super) inbox: Option<Box<Inbox>>,
    pub(super) rows: Option<Rows>,
    pub(super) board: Option<Board>,
    inbox_slot: Slot<()>,
    rows_slot: Slot<RowsRequest>,
    board_slot: Slot<BoardRequest>,
    /// Questions on their way.
    open_asks: usize,
    /// The time since which it has said nothing though it was asked, in milliseconds since the start.
    silent_since: Option<u64>,
    is_silent: bool,
    /// What was typed there and not sent; none while that is not known.
    drafts: Option<Vec<TextDraft>>,
    /// True while an exchange with its remote is on its way.
    is_syncing: bool,
    row_of_silence: Option<AskedRepo>,
    panel_slot: Slot<Wanted>,
}

impl Repo {
    /// Returns whether there is no more to wait for than what is here.
    pub(super) fn has<T>(&self, part: Option<&T>) -> bool {
        part.is_some() || self.fault().is_some()
    }

    /// Returns the row that says why it is not read.
    pub(super) fn fault(&self) -> Option<&AskedRepo> {
        let silent = self.row_of_silence.as_ref().filter(|_| self.is_silent);
        self.fault.as_ref().or(silent)
    }
}

/// The issue that is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) repo: usize,
    pub(super) uid: Uid,
}

/// A repository to begin with.
pub(super) struct FirstRepo {
    pub(super) name: String,
    pub(super) is_here: bool,
    /// Its row where it says nothing.
    pub(super) silent: AskedRepo,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) size: (u16, u16),
    pub(super) now: u64,
    up: u64,
    pub(super) actor: Party,
    pub(super) repos: Vec<Repo>,
    /// The repository that the user stands in.
    here: Option<usize>,
    pub(super) is_all: bool,
    pub(super) screen: ScreenName,
    pub(super) inbox: InboxScreen,
    pub(super) board: BoardScreen,
    pub(super) list: ListScreen,
    pub(super) output: Output,
    palette: Palette,
    /// The verbs that a line may begin with.
    pub(super) verbs: Vec<&'static str>,
    pub(super) panel: Panel,
    pub(super) overlay: Option<Overlay>,
    /// What the user is asked for.
    pub(super) prompt: Option<Prompt>,
    /// The key that waits for the words of a repository, and the issue that it is for.
    wanted_words: Option<Does>,
    acting: VecDeque<Acting>,
    /// The issue that an act of the user has changed: where its row goes, the one in its place is next.
    acted_on: Option<Selected>,
    /// The issue that the user has just made, until it has a row or another key is typed: that row is selected.
    made: Option<Selected>,
    /// When it was made, in milliseconds since the start.
    made_at: u64,
    /// The time at which a key was refused.
    refused_at: Option<u64>,
    /// The time at which another row was selected though no key has moved there.
    slipped_at: Option<u64>,
    has_asked_to_quit: bool,
    /// In the order in which they were marked.
    pub(super) marks: Vec<Selected>,
    acts: DeskActs,
    /// What is to be taken back, or brought back, once what is on its way is done.
    later: VecDeque<Does>,
    /// The time at which the key of a choice was typed that can be the beginning of a text too.
    offered_at: Option<u64>,
    pub(super) message: String,
    before: Option<String>,
    asks: VecDeque<(usize, Ask)>,
    /// What lies where in the last frame; what is later lies over what is earlier.
    pub(super) areas: Vec<Area>,
    pub(super) pointer: Pointer,
    pub(super) is_over: bool,
    pub(super) wants_suspend: bool,
    pub(super) wants_redraw: bool,
    pub(super) own_keys: Vec<OwnKey>,
    /// Texts on their way to where they are kept.
    pub(super) keeping: usize,
    /// What is to have the terminal next.
    pub(super) lent: Option<Lent>,
    /// True while the user writes in the editor.
    pub(super) is_writing: bool,
    /// The verb that is to begin beside this face.
    pub(super) beside: Option<Run>,
    /// What the terminal is to copy.
    pub(super) copied: Option<String>,
    /// True if the lines of the inbox are not those of what is known.
    is_stale: bool,
    /// The screen that it begins with, to which all others lead back.
    pub(super) first: ScreenName,
}

/// The parts of the frame that there is room for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// The lines above and below the body.
    pub(super) rules: bool,
    pub(super) query: bool,
    pub(super) keys: bool,
    /// The body is the row that is selected, and all there is.
    pub(super) is_tiny: bool,
}

impl State {
    pub(super) fn new(repos: Vec<FirstRepo>, actor: Party, all: bool, size: (u16, u16)) -> Self {
        let here = repos.iter().position(|repo| repo.is_here);
        let repos = repos.into_iter().map(|repo| Repo {
            name: repo.name,
            row_of_silence: Some(repo.silent),
            ..Repo::default()
        });
        let mut state = Self {
            size,
            now: 0,
            up: 0,
            actor,
            repos: repos.collect(),
            here,
            is_all: all || here.is_none(),
            screen: ScreenName::Inbox,
            first: ScreenName::Inbox,
            inbox: InboxScreen::default(),
            board: BoardScreen::default(),
            list: ListScreen::default(),
            output: Output::default(),
            palette: Palette::default(),
            verbs: Vec::new(),
            panel: Panel::default(),
            overlay: None,
            prompt: None,
            wanted_words: None,
            acting: VecDeque::new(),
            acted_on: None,
            made: None,
            made_at: 0,
            refused_at: None,
            slipped_at: None,
            has_asked_to_quit: false,
            marks: Vec::new(),
            acts: DeskActs::default(),
            later: VecDeque::new(),
            offered_at: None,
            message: String::new(),
            before: None,
            asks: VecDeque::new(),
            areas: Vec::new(),
            pointer: Pointer::default(),
            is_over: false,
            wants_suspend: false,
            wants_redraw: false,
            own_keys: Vec::new(),
            keeping: 0,
            lent: None,
            is_writing: false,
            beside: None,
            copied: None,
            is_stale: true,
        };
        let first = state.shown_repos().next().unwrap_or(0);
        state.list.begin_again(first);
        state.refresh();
        state.send(first, Some(Ask::OwnKeys));
        state
    }

    /// Returns the questions that have come up, each with the number of its repository.
    pub(super) fn take_asks(&mut self) -> impl Iterator<Item = (usize, Ask)> {
        std::mem::take(&mut self.asks).into_iter()
    }

    /// Returns the repositories on the screen, each once.
    pub(super) fn shown_repos(&self) -> impl Iterator<Item = usize> {
        let is_shown = |n: &usize| match self.is_all {
            true => !self.repos[*n].is_double,
            false => Some(*n) == self.here,
        };
        (0..self.repos.len()).filter(is_shown)
    }

    /// Returns the name of the repository that all is about; none where it is about several.
    pub(super) fn only_repo(&self) -> Option<&str> {
        let here = self.here.filter(|_| !self.is_all)?;
        Some(&self.repos[here].name)
    }

    /// Returns whether there is enough for the first frame: all repositories, or the patience is over.
    pub(super) fn is_drawable(&self) -> bool {
        let is_there = |n: usize| {
            let repo = &self.repos[n];
            repo.inbox.is_some() || repo.fault().is_some()
        };
        self.up >= PATIENCE || self.shown_repos().all(is_there)
    }

    /// Returns the milliseconds after which something is to be done though nothing has happened.
    pub(super) fn next_wake(&self) -> Option<u64> {
        let first = (self.up < PATIENCE).then(|| PATIENCE - self.up);
        let waiting = self.repos.iter().filter(|repo| !repo.is_silent);
        let silent = waiting.filter_map(|repo| repo.silent_since).min();
        let silent = silent.map(|at| (at + SILENCE).saturating_sub(self.up));
        let all = [
            first,
            silent,
            self.next_saving(),
            self.next_run(),
            self.next_offered(),
        ];
        all.into_iter().flatten().min()
    }

    /// Takes the time: of the clock, and in milliseconds since the start.
    /// Returns whether something is to be drawn for that.
    pub(super) fn tick(&mut self, now: u64, up: u64) -> bool {
        let is_first = self.up < PATIENCE && up >= PATIENCE;
        let saving = self.saving();
        (self.now, self.up) = (now, up);
        let mut is_changed = is_first;
        for repo in &mut self.repos {
            let waits = repo.silent_since.map(|at| up.saturating_sub(at));
            if !repo.is_silent && waits.is_some_and(|time| time >= SILENCE) {
                repo.is_silent = true;
                is_changed = true;
            }
        }
        if is_changed {
            self.is_stale = true;
        }
        if self.next_offered() == Some(0) {
            self.take_offered();
            is_changed = true;
        }
        if is_changed || self.next_run() == Some(0) {
            self.settle();
        }
        is_changed || saving != self.saving()
    }

    pub(super) fn resize(&mut self, size: (u16, u16)) {
        let had_two_panes = self.has_two_panes();
        self.size = size;
        if !had_two_panes && self.has_two_panes() {
            self.show_selected();
        }
        self.settle();
    }

    fn send(&mut self, repo: usize, ask: Option<Ask>) {
        if let Some(ask) = ask {
            let up = self.up;
            if !ask.is_long() {
                self.repos[repo].open_asks += 1;
                self.repos[repo].silent_since.get_or_insert(up);
            }
            self.asks.push_back((repo, ask));
        }
    }

    /// Returns what is said of a repository, with its name where it is one of several.
    fn named(&self, repo: usize, text: &str) -> String {
        match self.only_repo() {
            Some(_) => text.to_owned(),
            None => format!("{}: {text}", self.repos[repo].name),
        }
    }

    /// Asks again for all that is on the screen.
    fn refresh(&mut self) {
        self.is_stale = true;
        let repos: Vec<usize> = self.shown_repos().collect();
        for repo in repos {
            self.refresh_repo(repo);
        }
        self.settle();
    }

    fn refresh_repo(&mut self, repo: usize) {
        let is_shown = self.shown_repos().any(|other| other == repo);
        if is_shown {
            // Always: the numbers of what waits are on every screen.
            let ask = self.repos[repo].inbox_slot.want(());
            self.send(repo, ask.map(|()| Ask::Inbox));
        }
        if is_shown && self.screen == ScreenName::List {
            self.ask_rows(repo, None);
        }
        if is_shown && self.screen == ScreenName::Board {
            self.ask_board(repo);
        }
        self.panel.forget(repo);
        self.output.forget(repo);
    }

    /// Brings what follows from the rest in line with it: lines, scrolling, what the panel shows.
    fn settle(&mut self) {
        match std::mem::take(&mut self.is_stale) {
            true => self.build_inbox(),
            false => self.scroll_inbox(),
        }
        self.select_made();
        self.settle_board();
        self.settle_list();
        self.settle_output();
        self.settle_done();
        self.settle_panel();
        self.settle_palette();
    }

    /// Returns the issue that is selected on the screen.
    pub(super) fn selected(&self) -> Option<Selected> {
        // What is being read stays, whatever becomes of its row.
        self.panel
            .pinned
            .clone()
            .or_else(|| self.selected_in_rows())
    }

    /// Returns the issue of the row that is selected.
    pub(super) fn selected_in_rows(&self) -> Option<Selected> {
        match self.screen {
            ScreenName::Inbox => {
                let key = self.inbox.selected.as_ref()?;
                let (repo, uid) = (key.repo, key.uid);
                Some(Selected { repo, uid })
            }
            ScreenName::Board => self.board.selected.clone(),
            ScreenName::List => {
                let repo = self.list.at.repo;
                let uid = self.list.uid?;
                Some(Selected { repo, uid })
            }
            _ => self.selected_in_output(),
        }
    }

    /// Notes that the user is about what is selected: it is no longer the first row, whichever that is.
    pub(super) fn stay(&mut self) {
        match self.screen {
            ScreenName::Inbox => self.inbox.has_moved = true,
            ScreenName::Board => self.board.has_begun = true,
            ScreenName::List => self.list.has_begun = true,
            ScreenName::Graph | ScreenName::Log | ScreenName::Stats | ScreenName::Output => {}
        }
    }

    /// Returns the head of an issue, where it is among the rows of the list that are here.
    pub(super) fn head(&self, at: list::Place) -> Option<&Head> {
        let rows = self.repos.get(at.repo)?.rows.as_ref()?;
        rows.heads.get(at.index.checked_sub(rows.offset)?)
    }

    fn ask_saved(&mut self) {
        let asked = self.here.or_else(|| self.shown_repos().next());
        if let Some(repo) = asked {
            self.send(repo, Some(Ask::Saved));
        }
    }

    fn run_query(&mut self, query: String) {
        self.list.query = query;
        let first = self.shown_repos().next().unwrap_or(0);
        self.list.begin_again(first);
        for repo in &mut self.repos {
            (repo.rows, repo.board) = (None, None);
        }
        self.board = BoardScreen::default();
        if self.screen != ScreenName::Board {
            self.screen = ScreenName::List;
        }
        self.close_panel();
        self.refresh();
    }

    /// Moves in the panel where it is open, else among the rows.
    fn go(&mut self, does: Does) {
        let height = match self.screen {
            ScreenName::Board => self.cards_seen(),
            _ => self.body_height(),
        };
        let half = isize::try_from(height / 2).unwrap_or(1).max(1);
        let step = match does {
            Does::Down => 1,
            Does::Up => -1,
            Does::HalfDown => half,
            Does::HalfUp => -half,
            Does::First => isize::MIN / 2,
            _ => isize::MAX / 2,
        };
        if self.panel.is_open {
            self.panel.top = self.panel.top.saturating_add_signed(step);
            return;
        }
        self.go_in_rows(step);
    }

    fn go_in_rows(&mut self, step: isize) {
        match self.screen {
            ScreenName::Inbox => self.go_in_inbox(step),
            ScreenName::Board => self.go_on_board(step),
            ScreenName::List => self.go_in_list(step),
            _ => {
                let lines = self.output.lines.len();
                let top = self.output.top.saturating_add_signed(step);
                self.output.top = top.min(lines.saturating_sub(self.body_height()));
            }
        }
    }
}
