//! The desk: hands what the pages ask to the threads of the repositories, and says to all pages what has moved.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::json;

use super::ask::{Call, PageAnswer, PageAsk};
use super::http::Streams;
use crate::desk::feed::{Feed, News, NewsAnswer};
use crate::desk::looks::Looks;
use crate::desk::places::RepoPlace;
use crate::env::Env;
use crate::model::time;
use crate::ops::Error;
use crate::ops::scene::inbox::{AskedRepo, Inbox};
use crate::platform::{Wake, Woken};

/// The time after which a repository that has said nothing is left out of the inbox.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time for which the file lies there that leads to the address.
const OPENER_LIVES: Duration = Duration::from_secs(10);

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
                    self.hear_answer(repo, *answer, &mut work.known[repo]);
                }
            }
        }
    }

    fn hear_answer(&self, repo: usize, answer: NewsAnswer<PageAsk>, known: &mut Known) {
        let place = &self.places[repo];
        known.common = answer.common.or(known.common.take());
        if let PageAsk::Scene(call) = answer.ask {
            let reply = match answer.found {
                Ok(PageAnswer::Scene(reply)) => reply,
                Ok(PageAnswer::Inbox(_)) => return,
                Err(fault) => Err((StatusCode::NOT_FOUND, Error::not_found(fault.text))),
            };
            // A page that has gone waits for nothing.
            let _ = call.reply.try_send(reply);
            return;
        }
        known.is_left_out = false;
        let mut commit = None;
        known.inbox = match answer.found {
            Ok(PageAnswer::Inbox(inbox)) => {
                commit = Some(inbox.seen.clone());
                Some(Ok(inbox))
            }
            Ok(PageAnswer::Scene(_)) => return,
            Err(fault) => {
                known.is_left_out = fault.is_gone || fault.has_no_store && place.is_around();
                Some(Err(fault.row))
            }
        };
        let moved = json!({"repo": place.name, "commit": commit});
        self.streams.send(&format!("event: moved\ndata: {moved}"));
    }

    /// Takes what a page asks.
    fn take(&self, call: Call, work: &mut Work) {
        if call.asked["scene"] == "inbox" {
            work.for_inbox.push(call);
            return;
        }
        let name = call.asked["repo"].as_str();
        let mut places = self.places.iter();
        match places.position(|place| Some(place.name.as_str()) == name) {
            Some(repo) => self.feed.ask(repo, PageAsk::Scene(call)),
            None => {
                let error = Error::not_found("no repository of this name is served");
                let _ = call.reply.try_send(Err((StatusCode::NOT_FOUND, error)));
            }
        }
    }

    /// Answers what is asked of the inbox: of one repository, or of all.
    fn answer_inbox(&self, call: &Call, known: &[Known]) {
        let only = call.asked["repo"].as_str();
        let (mut sum, mut shown): (Inbox, Vec<&Path>) = (Inbox::default(), Vec::new());
        let mut blocking = HashMap::new();
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
        let scene = json!({"at": at, "inbox": sum, "blocking": blocking, "here": here});
        let _ = call.reply.try_send(Ok(scene.to_string()));
    }
}
