//! Calls that wait. Between two looks at the issues a call takes no thread of the pool: it looks at three files, ten times a
//! second, and comes back to a thread when these have changed, when a date has come, or when its time is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::ops::verbs::wait::{Outlook, Until, Wait, WaitRequest, Waited};
use crate::ops::{Code, Error, NoticeWatch, RefWatch, Result, Tracker};

/// The longest wait: clients give up calls after a minute.
pub(super) const LONGEST: Duration = Duration::from_secs(50);
/// The time between two looks at the ref.
const INTERVAL: Duration = Duration::from_millis(100);

#[derive(Clone, Debug, Default)]
pub(super) struct CallWait(Arc<Mutex<WaitProgress>>);

#[derive(Debug, Default)]
struct WaitProgress {
    begun: Option<(Instant, Wait)>,
    pause: Option<Pause>,
    warnings: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Pause {
    env: Env,
    watch: RefWatch,
    notices: NoticeWatch,
    until: Instant,
    due: Option<u64>,
}

impl CallWait {
    /// Looks at what a call waits for. None while it has to wait on; its answer is then not sent.
    pub(super) fn look(
        &self,
        tracker: &Tracker,
        request: &WaitRequest,
        seconds: i64,
    ) -> Result<Option<Waited>> {
        let longest = Duration::from_secs(u64::try_from(seconds).unwrap_or(0)).min(LONGEST);
        // Before the issues are read: what moves the ref meanwhile ends the pause at once.
        let watch = tracker.ref_watch();
        let mut progress = self.progress();
        let is_first = progress.begun.is_none();
        // A wait for news ends with a notice about any issue of the caller.
        let notices = match request.until {
            Until::News => tracker.notice_watch(),
            _ => NoticeWatch::default(),
        };
        let (at, mut wait) = match progress.begun.take() {
            Some(begun) => begun,
            None => (Instant::now(), Wait::begin(tracker, request)?),
        };
        let passed = at.elapsed();
        let over = |reached| Ok(Some(Waited::new(request.until, reached, passed)));
        // What it has not heard yet has happened before the call; it would wait for it in vain.
        if is_first && notices.are_left() {
            return over(Some(wait.beginning()));
        }
        let is_news = request.until == Until::News;
        // It would wait for what is so already.
        if is_first && is_news && wait.outlook(tracker)? == Outlook::Past {
            return over(Some(Vec::new()));
        }
        let mut reached = wait.look(tracker)?;
        if reached.is_none() && notices.are_left() {
            reached = Some(wait.beginning());
        }
        if reached.is_some() || passed >= longest {
            let is_vain = is_news && reached.is_none() && wait.outlook(tracker)? != Outlook::Due;
            let waited = Waited::new(request.until, reached, passed);
            return Ok(Some(Waited { is_vain, ..waited }));
        }
        progress.pause = Some(Pause {
            env: tracker.env().clone(),
            watch,
            notices,
            until: at + longest,
            due: wait.due(),
        });
        progress.begun = Some((at, wait));
        tracing::debug!("waits for news");
        Ok(None)
    }

    pub(super) fn is_pending(&self) -> bool {
        self.progress().pause.is_some()
    }

    /// Takes the time until the next look; none once the call is answered.
    pub(super) fn pause(&self) -> Option<Pause> {
        self.progress().pause.take()
    }

    /// Keeps the warnings of a look for the answer, and returns all of them once there is one.
    pub(super) fn warnings(&self, new: Vec<String>) -> Vec<String> {
        let mut progress = self.progress();
        for warning in new {
            if !progress.warnings.contains(&warning) {
                progress.warnings.push(warning);
            }
        }
        match progress.pause {
            Some(_) => Vec::new(),
            None => std::mem::take(&mut progress.warnings),
        }
    }

    /// Locks the progress. A look that has panicked has taken the wait out of it, so it begins anew.
    fn progress(&self) -> MutexGuard<'_, WaitProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pause {
    /// Waits until there is a reason for another look. Dropped with the call when that is cancelled.
    /// Errors: the input has ended, so no one is left who waits.
    pub(super) async fn over(self, input_over: &AtomicBool) -> Result<()> {
        while !self.is_over() {
            if input_over.load(Ordering::Relaxed) {
                return Err(Error::new(Code::Io, "the input has ended"));
            }
            tokio::time::sleep(INTERVAL).await;
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
            || self.due.is_some_and(|due| due <= self.env.now())
            || self.watch.has_moved()
            || self.notices.are_left()
    }
}
