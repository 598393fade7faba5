//! What the threads say of the repositories.

use std::path::PathBuf;

use super::{Overlay, Shown, State};
use crate::desk::feed::{Fault, News, NewsAnswer, Question as _};
use crate::ops::scene::board::Board;
use crate::ops::scene::rows::Rows;
use crate::ui::asks::{Answer, Ask};

impl State {
    /// Takes what a thread says of a repository.
    pub(in crate::ui) fn hear(&mut self, repo: usize, news: News<Ask>) {
        match news {
            News::Moved => self.refresh_repo(repo),
            News::Answer(answer) => {
                let NewsAnswer {
                    ask, common, found, ..
                } = *answer;
                // A long one says nothing of the others.
                if !ask.is_long() {
                    self.note_answer(repo);
                }
                self.note_common(repo, common);
                match found {
                    Ok(answer) => self.take_answer(repo, &ask, answer),
                    Err(fault) => self.take_fault(repo, &ask, *fault),
                }
            }
        }
        self.settle();
    }

    /// Notes that a repository has said something.
    fn note_answer(&mut self, repo: usize) {
        let up = self.up;
        let repo = &mut self.repos[repo];
        repo.open_asks = repo.open_asks.saturating_sub(1);
        repo.silent_since = (repo.open_asks > 0).then_some(up);
        self.is_stale |= std::mem::take(&mut repo.is_silent);
    }

    /// Notes the folder that the work trees of a repository share: the first that has it is shown.
    fn note_common(&mut self, repo: usize, common: Option<PathBuf>) {
        if common.is_none() || self.repos[repo].common.is_some() {
            return;
        }
        let known = self.repos.iter().any(|other| other.common == common);
        self.repos[repo].common = common;
        // The one that the user stands in has to be there where it alone is shown.
        self.repos[repo].is_double = known;
    }

    fn take_answer(&mut self, repo: usize, ask: &Ask, answer: Answer) {
        match answer {
            Answer::Inbox(inbox) => {
                self.repos[repo].fault = None;
                self.repos[repo].inbox = Some(inbox);
                let next = self.repos[repo].inbox_slot.done();
                self.send(repo, next.map(|()| Ask::Inbox));
                self.is_stale = true;
            }
            Answer::Rows(rows) => {
                let next = self.repos[repo].rows_slot.done();
                self.send(repo, next.map(Ask::Rows));
                if let Ask::Rows(request) = ask {
                    self.take_rows(repo, request, *rows);
                }
            }
            Answer::Board(board) => {
                let next = self.repos[repo].board_slot.done();
                self.send(repo, next.map(Ask::Board));
                if let Ask::Board(request) = ask {
                    self.take_board(repo, request, board);
                }
            }
            Answer::Issue(issue) => self.take_panel(repo, ask, Shown::Issue(issue)),
            Answer::Change(change) => self.take_panel(repo, ask, Shown::Change(change)),
            Answer::Words(words) => self.take_words(repo, &words),
            Answer::Links(links) => self.take_links(repo, &links),
            Answer::Drafts(drafts) => self.take_drafts(repo, drafts),
            Answer::Kept => self.keeping -= 1,
            Answer::OwnKeys(own) => {
                self.message.extend(own.faults.into_iter().next());
                self.own_keys = own.keys;
            }
            Answer::Synced(said) => self.take_synced(repo, &said),
            Answer::Written(acted) => self.take_written(repo, &acted),
            Answer::Act(acted) => self.take_acted(repo, &acted),
            Answer::Ids(ids) => self.take_ids(repo, ids),
            Answer::Found(issues) => {
                if let Ask::Find(text) = ask {
                    self.take_found(repo, text, issues);
                }
            }
            Answer::Saved(queries) if self.takes_saved(&queries) => {}
            Answer::Saved(queries) => match queries.is_empty() {
                true => "no query is saved: git config --global beads.query.NAME QUERY saves one"
                    .clone_into(&mut self.message),
                false => self.overlay = Some(Overlay::Saved { queries, at: 0 }),
            },
        }
    }

    fn take_fault(&mut self, repo: usize, ask: &Ask, fault: Fault) {
        match ask {
            Ask::Inbox => {
                let next = self.repos[repo].inbox_slot.done();
                self.send(repo, next.map(|()| Ask::Inbox));
                // The one that the user is in may well have no issues, where others have some.
                let is_left_out = fault.has_no_store && self.here == Some(repo) && self.is_all;
                let is_left_out = is_left_out || fault.is_gone;
                match is_left_out {
                    true => self.repos[repo].inbox = Some(Box::default()),
                    false => self.repos[repo].fault = Some(fault.row),
                }
                self.is_stale = true;
            }
            Ask::Rows(request) => {
                let next = self.repos[repo].rows_slot.done();
                self.send(repo, next.map(Ask::Rows));
                // Not one of a query that was left meanwhile.
                if request.query == self.list.query {
                    self.repos[repo].rows = Some(Rows::default());
                    self.take_fault_of_query(repo, &fault);
                }
            }
            Ask::Board(request) => {
                let next = self.repos[repo].board_slot.done();
                self.send(repo, next.map(Ask::Board));
                if request.query == self.list.query {
                    self.repos[repo].board = Some(Board::default());
                    self.build_board();
                    self.take_fault_of_query(repo, &fault);
                }
            }
            Ask::Issue(_) | Ask::Change(_) => {
                let next = self.repos[repo].panel_slot.done();
                self.ask_panel(next);
                if self.prompt.is_none() {
                    self.message = self.named(repo, &fault.text);
                }
                self.panel.has_failed(repo, ask);
            }
            Ask::Act(_) => self.act_has_failed(repo, &fault.text),
            Ask::Sync => self.take_synced(repo, &format!("not sent: {}", fault.text)),
            Ask::Write(_) => {
                self.is_writing = false;
                self.message = self.named(repo, &fault.text);
            }
            Ask::Keep(_) => {
                self.keeping -= 1;
                self.message = self.named(repo, &fault.text);
            }
            Ask::Drafts => {}
            Ask::Find(text) => self.take_found(repo, text, Vec::new()),
            // Its words are no ids then.
            Ask::Ids(_) => self.take_ids(repo, Vec::new()),
            Ask::Saved if self.takes_saved(&[]) => {}
            Ask::Saved | Ask::Words | Ask::Links(_) | Ask::OwnKeys => {
                self.message = self.named(repo, &fault.text);
            }
        }
    }

    fn take_fault_of_query(&mut self, repo: usize, fault: &Fault) {
        let fault = self.named(repo, &fault.text);
        // What is said of a prompt stays beside it.
        if self.prompt.is_none() {
            self.message.clone_from(&fault);
        }
        self.list.fault = Some(fault);
    }
}
