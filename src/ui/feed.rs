//! What the face asks, answered on threads: one for each repository, which keeps it open. One that hangs, as on a disk of a
//! network, holds up none of the others, and the thread that draws waits for none.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::desk::places::{RepoPlace, open_place};
use crate::env::start_thread;
use crate::model::Uid;
use crate::ops::act::{Acted, perform};
use crate::ops::scene::change::{Change, change};
use crate::ops::scene::inbox::{AskedRepo, Inbox, inbox};
use crate::ops::scene::issue::{IssueScene, issue};
use crate::ops::scene::rows::{Rows, RowsRequest, rows};
use crate::ops::scene::words::{Words, words};
use crate::ops::shared::query::{SavedQuery, saved_queries};
use crate::ops::{Code, Error, Location, Result, Retry, Tracker, reopen};
use crate::platform::{Waker, are_reported};

/// The time after which one that can't be opened is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// A question about a repository.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    Inbox,
    Rows(RowsRequest),
    Issue(Uid),
    Change(Uid),
    Saved,
    Words,
    Act(ActAsk),
}

/// An act, as JSON, and the commits of this face, which it may follow unseen.
#[derive(Clone, Debug)]
pub(super) struct ActAsk {
    pub(super) act: Value,
    pub(super) mine: Vec<String>,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Inbox(Box<Inbox>),
    Rows(Box<Rows>),
    Issue(Box<IssueScene>),
    Change(Box<Change>),
    Saved(Vec<SavedQuery>),
    Words(Words),
    Act(Box<Acted>),
}

/// The error of a question, and the row of the repository where it can't be read at all.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) text: String,
    pub(super) row: AskedRepo,
    pub(super) has_no_store: bool,
    /// True for one that was used lately and has gone since: nobody has asked for it.
    pub(super) is_gone: bool,
}

/// Where changes of a repository are seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RepoWatch {
    /// The folders in which something happens whenever its issues change.
    pub(super) folders: Vec<PathBuf>,
    /// False where that has to be looked for, as on a disk of a network.
    pub(super) is_reported: bool,
}

/// Something that a thread says of a repository.
#[derive(Clone, Debug)]
pub(super) enum News {
    /// Its issues have changed.
    Moved,
    Answer(Box<NewsAnswer>),
}

/// The answer to a question, and what is known of the repository then.
#[derive(Clone, Debug)]
pub(super) struct NewsAnswer {
    pub(super) ask: Ask,
    /// The folder that its work trees share: it is shown once, whichever of them is listed.
    pub(super) common: Option<PathBuf>,
    pub(super) watch: RepoWatch,
    pub(super) found: std::result::Result<Answer, Box<Fault>>,
}

/// What a thread is to do.
enum Task {
    Ask(Ask),
    /// To see whether the issues have changed.
    Look,
}

/// The thread of a repository, as the face knows it.
struct FeedThread {
    tasks: Sender<Task>,
    /// True while it has been asked to look and has not done so: once is enough.
    is_to_look: Arc<AtomicBool>,
}

/// The threads.
pub(super) struct Feed {
    threads: Vec<FeedThread>,
    news: Receiver<(usize, News)>,
}

impl Feed {
    /// Starts a thread for each repository, which opens it when something is asked of it.
    pub(super) fn start(
        places: &[RepoPlace],
        waker: Waker,
        open: impl Fn(&Location) -> Result<Tracker> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (open, waker) = (Arc::new(open), Arc::new(waker));
        let (to_face, news) = channel();
        let mut threads = Vec::new();
        for (repo, place) in places.iter().enumerate() {
            let (tasks, receiver) = channel();
            let is_to_look = Arc::<AtomicBool>::default();
            threads.push(FeedThread {
                tasks,
                is_to_look: is_to_look.clone(),
            });
            let (open, waker, to_face) = (open.clone(), waker.clone(), to_face.clone());
            let place = place.clone();
            start_thread(move || {
                let tell = |news| {
                    let is_heard = to_face.send((repo, news)).is_ok();
                    waker.wake();
                    is_heard
                };
                serve(&place, &receiver, &is_to_look, &*open, tell);
            })?;
        }
        Ok(Self { threads, news })
    }

    pub(super) fn ask(&self, repo: usize, ask: Ask) {
        // A thread ends with the face alone.
        let _ = self.threads[repo].tasks.send(Task::Ask(ask));
    }

    /// Lets the thread of a repository see whether something has changed.
    pub(super) fn look(&self, repo: usize) {
        let thread = &self.threads[repo];
        if !thread.is_to_look.swap(true, Ordering::SeqCst) {
            let _ = thread.tasks.send(Task::Look);
        }
    }

    /// Returns what was said meanwhile, each with the number of its repository.
    pub(super) fn news(&self) -> impl Iterator<Item = (usize, News)> {
        self.news.try_iter()
    }
}

/// Answers questions about a repository, and looks at its ref when it is asked to, until the face has gone.
fn serve(
    place: &RepoPlace,
    tasks: &Receiver<Task>,
    is_to_look: &AtomicBool,
    open: &impl Fn(&Location) -> Result<Tracker>,
    tell: impl Fn(News) -> bool,
) {
    let mut tracker: Option<Tracker> = None;
    let mut seen = None;
    let mut tried = None::<Instant>;
    while let Ok(task) = tasks.recv() {
        if let Task::Look = task {
            // Before it looks: what comes later is another look.
            is_to_look.store(false, Ordering::SeqCst);
        }
        if let Some(current) = &tracker
            && !current.is_current()
        {
            // One that has gone is not written to: that would begin it again.
            tracker = reopen(current).ok();
        }
        // Before the mark: what is answered is no older than that. One that can't be opened is tried again as others move.
        let is_due = tried.is_none_or(|at| at.elapsed() >= RETRY);
        let is_to_open = tracker.is_none() && (is_due || matches!(task, Task::Ask(_)));
        if is_to_open {
            tracker = open_place(&place.location, open).ok();
            tried = Some(Instant::now());
            let is_there_again = tracker.is_some() && matches!(task, Task::Look);
            if is_there_again && !tell(News::Moved) {
                return;
            }
        }
        // Taken before it is read: what moves meanwhile is another mark the next time.
        let mark = tracker.as_ref().map(Tracker::live_mark);
        let has_moved = seen.is_some() && mark.is_some() && seen != mark;
        seen = mark.or(seen);
        if has_moved && !tell(News::Moved) {
            return;
        }
        let Task::Ask(ask) = task else { continue };
        let is_act = matches!(ask, Ask::Act(_));
        if !tell(answered(place, &mut tracker, open, ask)) {
            return;
        }
        if is_act {
            // At once, and not once more when the change is reported.
            seen = tracker.as_ref().map(Tracker::live_mark).or(seen);
            if !tell(News::Moved) {
                return;
            }
        }
    }
}

fn answered(
    place: &RepoPlace,
    tracker: &mut Option<Tracker>,
    open: &impl Fn(&Location) -> Result<Tracker>,
    ask: Ask,
) -> News {
    let mut found = opened(place, tracker, open).and_then(|tracker| answer(tracker, &ask));
    if let (Err(error), Some(current)) = (&found, &tracker)
        && error.retry() == Retry::ReopenRepository
    {
        found = reopen(current).and_then(|again| answer(tracker.insert(again), &ask));
    }
    let common = tracker
        .as_ref()
        .map(|it| it.store().common_dir().to_owned());
    let fault = |error: Error| {
        Box::new(Fault {
            text: said_of(&error),
            has_no_store: error.is(Code::NoStore),
            is_gone: error.is(Code::NotARepository) && place.is_recent(),
            row: place.asked(Some(error)),
        })
    };
    let folders = tracker.as_ref().map(|it| it.ref_watch().folders());
    let mut folders = folders.unwrap_or_default();
    // A commit there can close an issue.
    let heads = common.as_ref().map(|common| common.join("refs/heads"));
    folders.extend(heads.filter(|heads| heads.is_dir()));
    News::Answer(Box::new(NewsAnswer {
        ask,
        common,
        watch: RepoWatch {
            // Here, and not on the thread that draws: it asks the disk.
            is_reported: are_reported(&folders),
            folders,
        },
        found: found.map_err(fault),
    }))
}

/// Returns an error and the command that leads on, on a line. What follows in a message points into a query, which takes lines.
fn said_of(error: &Error) -> String {
    let message = error.message.lines().next().unwrap_or_default();
    match error.hints.first() {
        Some(hint) => format!("{message} ({hint})"),
        None => message.to_owned(),
    }
}

fn opened<'t>(
    place: &RepoPlace,
    tracker: &'t mut Option<Tracker>,
    open: &impl Fn(&Location) -> Result<Tracker>,
) -> Result<&'t Tracker> {
    Ok(match tracker {
        Some(tracker) => tracker,
        None => tracker.insert(open_place(&place.location, open)?),
    })
}

fn answer(tracker: &Tracker, ask: &Ask) -> Result<Answer> {
    Ok(match ask {
        Ask::Inbox => Answer::Inbox(Box::new(inbox(tracker, false)?)),
        Ask::Rows(request) => Answer::Rows(Box::new(rows(tracker, request)?)),
        Ask::Issue(uid) => Answer::Issue(Box::new(issue(tracker, *uid)?)),
        Ask::Change(uid) => Answer::Change(Box::new(change(tracker, *uid)?)),
        Ask::Saved => Answer::Saved(saved_queries(tracker)),
        Ask::Words => Answer::Words(words(tracker)?),
        Ask::Act(asked) => Answer::Act(Box::new(acted(tracker, asked)?)),
    })
}

fn acted(tracker: &Tracker, asked: &ActAsk) -> Result<Acted> {
    let request = serde_json::from_value(asked.act.clone());
    let request = request.map_err(|error| Error::invalid(error.to_string()))?;
    perform(tracker, &request, &asked.mine)
}
