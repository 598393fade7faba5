//! The pane that shows what a verb prints: of the screens Graph, Log and Stats, and of a line that was typed.

use std::collections::HashMap;

use super::{ScreenName, Selected, State};
use crate::desk::keys::Does;
use crate::model::Uid;
use crate::text::words::id_words;
use crate::ui::asks::Ask;
use crate::ui::painted::plain;
use crate::ui::runs::{BESIDE, Ran, Run};

/// The least milliseconds between two runs of a verb as its repository moves.
const PAUSE: u64 = 1_000;

/// The place of an id in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) struct IdPlace {
    pub(in crate::ui) line: usize,
    /// In the text of the line, in bytes.
    pub(in crate::ui) begin: usize,
    pub(in crate::ui) id: String,
    uid: Uid,
}

#[derive(Debug, Default)]
pub(in crate::ui) struct Output {
    pub(in crate::ui) repo: usize,
    pub(in crate::ui) words: Vec<String>,
    /// As they were printed, with their styles.
    pub(in crate::ui) lines: Vec<String>,
    /// Lines above what is seen.
    pub(in crate::ui) top: usize,
    /// The id that is selected.
    pub(in crate::ui) at: Option<IdPlace>,
    /// The issues that words of the output name.
    known: HashMap<String, Uid>,
    /// True if it only shows, and is run again when the repository has moved.
    is_live: bool,
    /// True if it is to be run.
    is_old: bool,
    /// The columns that it was run for.
    columns: u16,
    /// The run on its way.
    run: Option<Run>,
    /// True until it is known which words are ids, and the key that waits for that.
    asks_ids: bool,
    waits: Option<Does>,
    /// The time of the last run, and its number.
    ran_at: Option<u64>,
    number: u64,
    /// The screen that it was opened on.
    back: Option<ScreenName>,
}

impl Output {
    /// Returns whether its output is on the way.
    pub(in crate::ui) fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Notes that the issues of a repository have changed.
    pub(super) fn forget(&mut self, repo: usize) {
        self.is_old |= self.is_live && self.repo == repo;
    }

    /// Returns the ids in a line.
    fn ids(&self, line: usize) -> Vec<IdPlace> {
        let text = plain(&self.lines[line]);
        let mut ids = Vec::new();
        for (begin, word) in id_words(&text) {
            if let Some(uid) = self.known.get(word) {
                let (id, uid) = (word.to_owned(), *uid);
                ids.push(IdPlace {
                    line,
                    begin,
                    id,
                    uid,
                });
            }
        }
        ids
    }

    /// Returns the id behind a place, or before it.
    fn next_id(&self, is_back: bool) -> Option<IdPlace> {
        let (line, begin) = match &self.at {
            Some(at) => (at.line, Some(at.begin)),
            None => (self.top, None),
        };
        if is_back {
            let is_before = |place: &IdPlace| place.line < line || Some(place.begin) < begin;
            let before = (0..=line).rev().filter(|line| *line < self.lines.len());
            return before
                .flat_map(|line| self.ids(line).into_iter().rev())
                .find(is_before);
        }
        let is_behind = |place: &IdPlace| place.line > line || Some(place.begin) > begin;
        (line..self.lines.len())
            .flat_map(|line| self.ids(line))
            .find(is_behind)
    }

    /// Takes another output of the same verb: the id that is selected stays, and its line of the screen.
    fn take_lines(&mut self, lines: Vec<String>) {
        self.lines = lines;
        let Some(old) = self.at.take() else { return };
        let mut places: Vec<IdPlace> = Vec::new();
        for line in 0..self.lines.len() {
            places.extend(self.ids(line).into_iter().filter(|it| it.uid == old.uid));
        }
        let nearest = places
            .into_iter()
            .min_by_key(|it| it.line.abs_diff(old.line));
        if let Some(now) = &nearest {
            self.top = (self.top + now.line).saturating_sub(old.line);
        }
        self.at = nearest;
    }
}

impl State {
    /// Opens the screen of a verb: of the issue that is selected, where it has one.
    pub(super) fn open_verb_screen(&mut self, screen: ScreenName) {
        let id = self.selected_id();
        let (verb, id) = match screen {
            ScreenName::Graph => ("graph", id),
            ScreenName::Log => ("log", id.filter(|_| self.panel.is_open)),
            _ => ("stats", None),
        };
        let mut words = vec![verb.to_owned()];
        words.extend(id);
        self.open_output(screen, words);
    }

    /// Shows the output of a verb; one that only shows is run again when the repository has moved.
    pub(super) fn open_output(&mut self, screen: ScreenName, words: Vec<String>) {
        let is_live = screen != ScreenName::Output;
        self.begin_output(screen, words, is_live);
    }

    fn begin_output(&mut self, screen: ScreenName, words: Vec<String>, is_live: bool) {
        let back = self.output.back.filter(|_| self.screen.has_output());
        self.output = Output {
            repo: self.repo_of_keys(),
            words,
            is_live,
            is_old: true,
            number: self.output.number,
            back: back.or(Some(self.screen)),
            ..Output::default()
        };
        self.enter_screen(screen);
    }

    /// Goes back to the screen on which the output was opened.
    pub(in crate::ui) fn leave_output(&mut self) {
        self.enter_screen(self.output.back.unwrap_or(ScreenName::Inbox));
    }

    /// Shows what the one does who works on the issue that is selected.
    pub(super) fn follow(&mut self) {
        let Some(holder) = self.holder_of_selected() else {
            return self.refuse("no one works on what is selected".to_owned());
        };
        let words = vec!["log".to_owned(), format!("--author={holder}")];
        self.begin_output(ScreenName::Output, words, true);
    }

    fn holder_of_selected(&self) -> Option<String> {
        let selected = self.selected()?;
        if let Some(head) = self
            .target()
            .and_then(|target| self.head_of(&target).cloned())
        {
            return head.summary.holder();
        }
        let inbox = self.repos[selected.repo].inbox.as_deref()?;
        let at_work = inbox.at_work.iter().map(|it| &it.active);
        let left = inbox.needs.iter().filter_map(|need| need.holder.as_deref());
        let mut of_it = at_work.chain(left).map(|active| &active.summary);
        let summary = of_it.find(|summary| summary.uid == Some(selected.uid))?;
        summary.holder()
    }

    /// Returns the id of the issue that is selected.
    fn selected_id(&self) -> Option<String> {
        match &self.output.at {
            Some(at) if self.screen.has_output() && !self.panel.is_open => Some(at.id.clone()),
            _ => self.target().map(|target| target.id),
        }
    }

    /// Returns the repository that a verb runs in.
    pub(super) fn repo_of_keys(&self) -> usize {
        let meant = self.meant_repo().or_else(|| self.shown_repos().next());
        meant.unwrap_or(0)
    }

    /// Returns the verb that is to run, until its output is here or no longer wanted.
    pub(in crate::ui) fn run(&self) -> Option<&Run> {
        self.output.run.as_ref()
    }

    /// Takes what a verb has printed.
    pub(in crate::ui) fn take_output(&mut self, ran: Ran) {
        if ran.number == BESIDE {
            return self.take_served(&ran);
        }
        let is_it = |run: &mut Run| run.number == ran.number;
        if self.output.run.take_if(is_it).is_none() {
            return;
        }
        let output = &mut self.output;
        output.take_lines(ran.lines);
        let unknown = ran
            .words
            .into_iter()
            .filter(|word| !output.known.contains_key(word));
        let unknown: Vec<String> = unknown.collect();
        let (repo, is_live) = (output.repo, output.is_live);
        if !unknown.is_empty() {
            self.output.asks_ids = true;
            self.send(repo, Some(Ask::Ids(unknown)));
        }
        if !is_live {
            // What it has changed, and what it only has noted, as that the user has looked.
            self.refresh_repo(repo);
        }
        self.settle();
    }

    pub(super) fn take_ids(&mut self, repo: usize, ids: Vec<(String, Uid)>) {
        if repo == self.output.repo {
            self.output.known.extend(ids);
            self.output.asks_ids = false;
            if let Some(does) = self.output.waits.take() {
                self.go_to_id(does);
            }
        }
    }

    /// Selects the next id of the output, or the one before.
    pub(super) fn go_to_id(&mut self, does: Does) {
        let found = self.output.next_id(does == Does::PaneBefore);
        let Some(at) = found else {
            if self.output.asks_ids || self.output.is_running() {
                self.output.waits = Some(does);
                return;
            }
            "no further id is here".clone_into(&mut self.message);
            return;
        };
        let height = self.body_height();
        let least = (at.line + 1).saturating_sub(height);
        self.output.top = self.output.top.max(least).min(at.line);
        self.output.at = Some(at);
    }

    pub(super) fn selected_in_output(&self) -> Option<Selected> {
        let (repo, uid) = (self.output.repo, self.output.at.as_ref()?.uid);
        Some(Selected { repo, uid })
    }

    /// Returns the milliseconds until the verb is run again; none where nothing asks for that.
    pub(super) fn next_run(&self) -> Option<u64> {
        let output = &self.output;
        let is_due = self.screen.has_output() && output.is_old && output.run.is_none();
        let due = output.ran_at.map_or(0, |at| at + PAUSE);
        is_due.then(|| due.saturating_sub(self.up))
    }

    /// Brings the pane in line with its size, and begins the run that is due.
    pub(super) fn settle_output(&mut self) {
        if !self.screen.has_output() {
            // What no one sees is ended.
            self.output.run = None;
            return;
        }
        let (height, columns) = (self.body_height(), self.output_columns());
        let is_due = self.next_run() == Some(0);
        let up = self.up;
        let output = &mut self.output;
        output.top = output.top.min(output.lines.len().saturating_sub(height));
        let seen = output.top..output.top + height;
        // What is not seen takes no key.
        output.at.take_if(|at| !seen.contains(&at.line));
        let is_other = output.is_live && output.columns != columns && output.run.is_none();
        if is_due || is_other {
            output.number += 1;
            output.run = Some(Run {
                number: output.number,
                repo: output.repo,
                words: output.words.clone(),
                columns,
            });
            (output.is_old, output.columns, output.ran_at) = (false, columns, Some(up));
        }
    }
}
