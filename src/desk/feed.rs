//! What a face asks, answered on threads: one for each repository, which keeps it open. One that hangs, as on a disk of a
//! network, holds up none of the others, and the thread of the face waits for none.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::places::{RepoPlace, open_place};
use crate::env::start_thread;
use crate::ops::scene::inbox::AskedRepo;
use crate::ops::{Code, Error, Location, Result, Retry, Tracker, reopen};
use crate::platform::{Waker, are_reported};

/// The time after which one that can't be opened is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// A question of a face about a repository.
pub(crate) trait Question: Clone + std::fmt::Debug + Send + 'static {
    type Answer: Clone + std::fmt::Debug + Send + 'static;

    /// Returns whether it changes something.
    fn is_act(&self) -> bool;

    /// Returns whether it waits for a remote or a person: it has a thread of its own then, and holds up no other one.
    fn is_long(&self) -> bool {
        false
    }

    /// Answers it, on the thread of the repository.
    fn answer(&self, tracker: &Tracker) -> Result<Self::Answer>;
}

/// The error of a question, and the row of the repository where it can't be read at all.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) text: String,
    pub(crate) row: AskedRepo,
    pub(crate) has_no_store: bool,
    /// True for one that was used lately and has gone since: nobody has asked for it.
    pub(crate) is_gone: bool,
}

/// Where changes of a repository are seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RepoWatch {
    /// The folders in which something happens whenever its issues change.
    pub(crate) folders: Vec<PathBuf>,
    /// False where that has to be looked for, as on a disk of a network.
    pub(crate) is_reported: bool,
}

/// Something that a thread says of a repository.
#[derive(Clone, Debug)]
pub(crate) enum News<Q: Question> {
    /// Its issues have changed.
    Moved,
    Answer(Box<NewsAnswer<Q>>),
}

/// The answer to a question, and what is known of the repository then.
#[derive(Clone, Debug)]
pub(crate) struct NewsAnswer<Q: Question> {
    pub(crate) ask: Q,
    /// The folder that its work trees share: it is shown once, whichever of them is listed.
    pub(crate) common: Option<PathBuf>,
    pub(crate) watch: RepoWatch,
    pub(crate) found: std::result::Result<Q::Answer, Box<Fault>>,
}

/// What a thread is to do.
enum Task<Q> {
    Ask(Q),
    /// To see whether the issues have changed.
    Look,
}

/// The thread of a repository, as the face knows it.
struct FeedThread<Q> {
    tasks: Sender<Task<Q>>,
    /// True while it has been asked to look and has not done so: once is enough.
    is_to_look: Arc<AtomicBool>,
}

/// The threads.
pub(crate) struct Feed<Q: Question> {
    threads: Vec<FeedThread<Q>>,
    /// Answers a question on a thread of its own.
    ask_aside: Box<dyn Fn(usize, Q) -> std::io::Result<()>>,
    news: Receiver<(usize, News<Q>)>,
}

impl<Q: Question> Feed<Q> {
    /// Starts a thread for each repository, which opens it when something is asked of it.
    pub(crate) fn start(
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
        let places = places.to_vec();
        let ask_aside = move |repo: usize, ask: Q| {
            let (open, waker, to_face) = (open.clone(), waker.clone(), to_face.clone());
            let place = places[repo].clone();
            let aside = start_thread(move || {
                let answer = answered(&place, &mut None, &*open, ask);
                // A face that has gone hears nothing.
                let _ = to_face.send((repo, answer));
                waker.wake();
            });
            aside.map(drop)
        };
        Ok(Self {
            threads,
            ask_aside: Box::new(ask_aside),
            news,
        })
    }

    pub(crate) fn ask(&self, repo: usize, ask: Q) {
        if ask.is_long() && (self.ask_aside)(repo, ask.clone()).is_ok() {
            return;
        }
        // A thread ends with the face alone.
        let _ = self.threads[repo].tasks.send(Task::Ask(ask));
    }

    /// Lets the thread of a repository see whether something has changed.
    pub(crate) fn look(&self, repo: usize) {
        let thread = &self.threads[repo];
        if !thread.is_to_look.swap(true, Ordering::SeqCst) {
            let _ = thread.tasks.send(Task::Look);
        }
    }

    /// Returns what was said meanwhile, each with the number of its repository.
    pub(crate) fn news(&self) -> impl Iterator<Item = (usize, News<Q>)> {
        self.news.try_iter()
    }
}

/// Answers questions about a repository, and looks at its ref when it is asked to, until the face has gone.
fn serve<Q: Question>(
    place: &RepoPlace,
    tasks: &Receiver<Task<Q>>,
    is_to_look: &AtomicBool,
    open: &impl Fn(&Location) -> Result<Tracker>,
    tell: impl Fn(News<Q>) -> bool,
) {
    let mut tracker: Option<Tracker> = None;
    let mut seen = None;
    let mut tried = None::<Instant>;
    let mut waiting = VecDeque::new();
    while let Some(task) = next_task(tasks, &mut waiting) {
        if let Task::Look = task {
            // Before it looks: what comes later is another look.
            is_to_look.store(false, Ordering::SeqCst);
        }
        if let Some(current) = &tracker
            && !current.is_current()
        {
            // One that has gone is not written to: that would begin it again.
            tracker = reopen(current).ok();
            if tracker.is_none() && !tell(News::Moved) {
                return;
            }
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
        let is_act = ask.is_act();
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

/// Waits for a task. What changes something comes before what only reads: that would have to be read again.
fn next_task<Q: Question>(
    tasks: &Receiver<Task<Q>>,
    waiting: &mut VecDeque<Task<Q>>,
) -> Option<Task<Q>> {
    if waiting.is_empty() {
        waiting.push_back(tasks.recv().ok()?);
    }
    waiting.extend(tasks.try_iter());
    let is_act = |task: &Task<Q>| matches!(task, Task::Ask(ask) if ask.is_act());
    let act = waiting.iter().position(is_act);
    waiting.remove(act.unwrap_or(0))
}

fn answered<Q: Question>(
    place: &RepoPlace,
    tracker: &mut Option<Tracker>,
    open: &impl Fn(&Location) -> Result<Tracker>,
    ask: Q,
) -> News<Q> {
    let mut found = opened(place, tracker, open).and_then(|tracker| ask.answer(tracker));
    if let (Err(error), Some(current)) = (&found, &tracker)
        && error.retry() == Retry::ReopenRepository
    {
        found = reopen(current).and_then(|again| ask.answer(tracker.insert(again)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug)]
    struct Asked {
        name: &'static str,
        is_act: bool,
    }

    impl Question for Asked {
        type Answer = ();

        fn is_act(&self) -> bool {
            self.is_act
        }

        fn answer(&self, _: &Tracker) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn acts_come_first_and_in_their_order() {
        let (sender, tasks) = channel();
        for (name, is_act) in [("a", false), ("B", true), ("c", false), ("D", true)] {
            sender.send(Task::Ask(Asked { name, is_act })).unwrap();
        }
        sender.send(Task::Look).unwrap();
        drop(sender);
        let mut waiting = VecDeque::new();
        let mut order = Vec::new();
        while let Some(task) = next_task(&tasks, &mut waiting) {
            order.push(match task {
                Task::Ask(asked) => asked.name,
                Task::Look => "look",
            });
        }
        assert_eq!(order, ["B", "D", "a", "c", "look"]);
    }
}
