//! The desk: hands what the pages ask to the threads of the repositories, and says to all pages what has moved.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};

use super::OPENER_LIVES;
use super::ask::{Call, PageAnswer, PageAsk};
use super::http::Streams;
use crate::desk::acts::DeskActs;
use crate::desk::feed::{Fault, Feed, News, NewsAnswer};
use crate::desk::looks::Looks;
use crate::desk::places::RepoPlace;
use crate::env::Env;
use crate::model::time;
use crate::ops::act::Acted;
use crate::ops::scene::inbox::{AskedRepo, Inbox};
use crate::ops::{Code, Error};
use crate::platform::{Wake, Woken};

/// The time after which a repository that has said nothing is left out of the inbox.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of a repository.
#[derive(Default)]
struct Known {
    /// The folder that its work trees share.
    common: Option<PathBuf>,
    inbox: Option<Result<Box<Inbox>, AskedRepo>>,
    /// True for one that no one has asked for, and that has nothing to show.
    is_left_out: bool,
}

/// The desk while it serves.
pub(super) struct Desk {
    pub(super) env: Env,
    pub(super) places: Vec<RepoPlace>,
    pub(super) feed: Feed<PageAsk>,
    pub(super) wake: Wake,
    pub(super) calls: Receiver<Call>,
    pub(super) streams: Arc<Streams>,
    /// The time without a page after which it ends.
    pub(super) idle: Option<Duration>,
    pub(super) opener: Option<PathBuf>,
}

/// What changes as it serves.
struct Work {
    known: Vec<Known>,
    looks: Looks,
    began: Instant,
    used_at: Instant,
    /// True if a page listens.
    has_page: bool,
    /// The calls for the inbox before all repositories have said something.
    for_inbox: Vec<Call>,
    acts: DeskActs,
    /// What is to be taken back, or brought back, once what is on its way is done.
    later: VecDeque<Call>,
}

impl Desk {
    /// Serves until a signal ends it, or no page has been there for a time.
    pub(super) fn run(&mut self) {
        let mut work = Work {
            known: self.places.iter().map(|_| Known::default()).collect(),
            looks: Looks::new(self.places.len()),
            began: Instant::now(),
            used_at: Instant::now(),
            has_page: false,
            for_inbox: Vec::new(),
            acts: DeskActs::default(),
            later: VecDeque::new(),
        };
        for repo in 0..self.places.len() {
            self.feed.ask(repo, PageAsk::Inbox);
        }
        while !self.wake.is_ending() {
            self.hear(&mut work);
            while let Ok(call) = self.calls.try_recv() {
                work.used_at = Instant::now();
                self.take(call, &mut work);
            }
            let is_read = work.known.iter().all(|known| known.inbox.is_some());
            if is_read || work.began.elapsed() >= PATIENCE {
                for call in std::mem::take(&mut work.for_inbox) {
                    self.answer_inbox(&call, &work.known);
                }
            }
            work.looks.look(&self.feed, &mut self.wake);
            // One that has gone meanwhile was there until now.
            let had_any = std::mem::replace(&mut work.has_page, self.streams.has_any());
            if had_any || work.has_page {
                work.used_at = Instant::now();
            }
            if self.idle.is_some_and(|idle| work.used_at.elapsed() >= idle) {
                break;
            }
            let woken = self.wake.pause(self.time_to_wait(&work), false);
            // What was not reported is found as time passes.
            if woken.change || woken == Woken::default() {
                work.looks.want();
            }
            if work.began.elapsed() >= OPENER_LIVES {
                self.remove_opener();
            }
        }
        self.remove_opener();
        self.streams.send("event: bye\ndata: {}");
    }

    fn time_to_wait(&self, work: &Work) -> Option<Duration> {
        let up = work.began.elapsed();
        let opener = self.opener.as_ref().map(|_| OPENER_LIVES);
        let inbox = work.for_inbox.first().map(|_| PATIENCE);
        let times = opener.into_iter().chain(inbox);
        let times = times.map(|time| time.saturating_sub(up));
        times.chain(self.idle).chain(work.looks.due()).min()
    }

    fn remove_opener(&mut self) {
        if let Some(opener) = self.opener.take() {
            // One that is gone is what is wanted.
            let _ = std::fs::remove_file(opener);
        }
    }

    /// Takes what the threads say.
    fn hear(&self, work: &mut Work) {
        let news: Vec<_> = self.feed.news().collect();
        for (repo, news) in news {
            match news {
                // The pages hear of it once the inbox is known: it is among what they ask for.
                News::Moved => self.feed.ask(repo, PageAsk::Inbox),
                News::Answer(answer) => {
                    work.looks.note(repo, &answer.watch);
                    self.hear_answer(repo, *answer, work);
                }
            }
        }
    }

    fn hear_answer(&self, repo: usize, answer: NewsAnswer<PageAsk>, work: &mut Work) {
        let known = &mut work.known[repo];
        known.common = answer.common.or(known.common.take());
        match answer.ask {
            PageAsk::Inbox => self.hear_inbox(repo, answer.found, known),
            PageAsk::Act(call, sent) => {
                let reply = match answer.found {
                    Ok(PageAnswer::Acted(acted)) => {
                        let said = work.acts.take_acted(repo, &acted, &sent.how);
                        Ok(self.said_of(repo, &acted, &said))
                    }
                    found => Err(refused(found, work.acts.has_failed(sent.how))),
                };
                call.answer(reply);
                if let Some(call) = work.later.pop_front() {
                    self.take_back(call, work);
                }
            }
            PageAsk::Scene(call) | PageAsk::Sync(call) | PageAsk::Looked(call) => {
                if call.asked["act"] == "looked" {
                    // What is new is another thing now, though no issue has changed.
                    self.feed.ask(repo, PageAsk::Inbox);
                }
                call.answer(match answer.found {
                    Ok(PageAnswer::Reply(reply)) => reply,
                    found => Err(refused(found, None)),
                });
            }
        }
    }

    fn said_of(&self, repo: usize, acted: &Acted, said: &str) -> String {
        let name = &self.places[repo].name;
        json!({"repo": name, "said": said, "commit": acted.commit, "heads": acted.heads})
            .to_string()
    }

    fn hear_inbox(&self, repo: usize, found: Heard, known: &mut Known) {
        let place = &self.places[repo];
        known.is_left_out = false;
        let mut commit = None;
        known.inbox = match found {
            Ok(PageAnswer::Inbox(inbox)) => {
                commit = Some(inbox.seen.clone());
                Some(Ok(inbox))
            }
            Ok(_) => return,
            Err(fault) => {
                // One that was there and has gone is a row that says so.
                let is_gone = fault.is_gone && known.common.is_none();
                known.is_left_out = is_gone || fault.has_no_store && place.is_around();
                Some(Err(fault.row))
            }
        };
        let moved = json!({"repo": place.name, "commit": commit});
        self.streams.send(&format!("event: moved\ndata: {moved}"));
    }

    /// Takes what a page asks.
    fn take(&self, call: Call, work: &mut Work) {
        if !call.is_act && call.asked["scene"] == "inbox" {
            work.for_inbox.push(call);
            return;
        }
        if call.is_act && ["undo", "redo"].iter().any(|act| call.asked["act"] == *act) {
            self.take_back(call, work);
            return;
        }
        let name = call.asked["repo"].as_str();
        let mut places = self.places.iter();
        let Some(repo) = places.position(|place| Some(place.name.as_str()) == name) else {
            let error = Error::not_found("no repository of this name is served");
            call.answer(Err((StatusCode::NOT_FOUND, error)));
            return;
        };
        let ask = match call.asked["act"].as_str() {
            _ if !call.is_act => PageAsk::Scene(call),
            Some("sync") => PageAsk::Sync(call),
            Some("looked") => PageAsk::Looked(call),
            _ => {
                let mut act = call.asked.clone();
                let mut mine = Value::Null;
                if let Value::Object(act) = &mut act {
                    act.remove("repo");
                    mine = act.remove("mine").unwrap_or_default();
                }
                let mut sent = work.acts.act(repo, act);
                // What another tab has set was not seen in this one.
                let is_of_tab = |commit: &String| {
                    mine.as_array()
                        .is_some_and(|all| all.iter().any(|one| one == commit))
                };
                sent.mine.retain(is_of_tab);
                PageAsk::Act(call, Box::new(sent))
            }
        };
        self.feed.ask(repo, ask);
    }

    /// Takes the newest act of this desk back, or brings back what was undone last.
    fn take_back(&self, call: Call, work: &mut Work) {
        let is_undo = call.asked["act"] == "undo";
        let commit = call.asked.get("commit");
        if commit.is_some_and(|commit| !commit.is_string()) {
            let error = Error::invalid("`commit` must be a commit");
            call.answer(Err((StatusCode::BAD_REQUEST, error)));
            return;
        }
        // What is on its way is what is taken back.
        if work.acts.is_busy() {
            work.later.push_back(call);
            return;
        }
        // A page that names a commit means that one.
        let meant = commit.and_then(Value::as_str);
        let is_other = is_undo && meant.is_some() && work.acts.newest() != meant;
        let sent = match is_undo {
            _ if is_other => None,
            true => work.acts.undo(),
            false => work.acts.redo(),
        };
        match sent {
            Some(sent) => self.feed.ask(sent.repo, PageAsk::Act(call, Box::new(sent))),
            None => {
                let message = match is_undo {
                    _ if is_other => "something else was done here since: `u` takes that back",
                    true => "nothing to undo: here is undone what was done here",
                    false => "nothing to redo",
                };
                let error = Error::new(Code::NotFound, message);
                call.answer(Err((StatusCode::NOT_FOUND, error)));
            }
        }
    }

    /// Answers what is asked of the inbox: of one repository, or of all.
    fn answer_inbox(&self, call: &Call, known: &[Known]) {
        let only = call.asked["repo"].as_str();
        let (mut sum, mut shown): (Inbox, Vec<&Path>) = (Inbox::default(), Vec::new());
        let mut blocking = HashMap::new();
        let mut seen = HashMap::new();
        for (place, known) in self.places.iter().zip(known) {
            let common = known.common.as_deref();
            let is_second = common.is_some_and(|common| shown.contains(&common));
            if is_second || known.is_left_out {
                continue;
            }
            shown.extend(common);
            let row = match &known.inbox {
                Some(Ok(inbox)) => {
                    blocking.insert(place.name.as_str(), inbox.blocking());
                    seen.insert(place.name.as_str(), &inbox.seen);
                    if only.is_none_or(|only| only == place.name) {
                        sum.add(&place.name, Inbox::clone(inbox));
                    }
                    place.asked(None)
                }
                Some(Err(row)) => row.clone(),
                None => place.silent(),
            };
            sum.repos.push(row);
        }
        sum.sort();
        let here = self.places.iter().find(|place| place.is_here);
        let here = here.map(|place| &place.name);
        let at = time::format(self.env.now());
        let scene =
            json!({"at": at, "inbox": sum, "blocking": blocking, "here": here, "seen": seen});
        call.answer(Ok(scene.to_string()));
    }
}

/// What a thread has found, or why nothing.
type Heard = Result<PageAnswer, Box<Fault>>;

/// Returns the reason for which nothing was answered, with what there is to say after it.
fn refused(found: Heard, more: Option<String>) -> (StatusCode, Error) {
    let (status, mut error) = match found {
        Ok(PageAnswer::Refused(status, error)) => (status, error),
        Ok(_) => (StatusCode::BAD_REQUEST, Error::invalid("no answer")),
        Err(fault) => (StatusCode::NOT_FOUND, Error::not_found(fault.text)),
    };
    if let Some(more) = more {
        error.message.push_str(&format!("; {more}"));
    }
    (status, error)
}
