//! When the threads of a feed look whether something has changed: where that is reported, as it is reported, and on a disk of
//! a network ten times a second.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::feed::{Feed, Question, RepoWatch};
use crate::platform::Wake;

/// The least time between two looks at what may have changed.
const GAP: Duration = Duration::from_millis(100);

/// The looks at the repositories of a feed.
#[derive(Debug)]
pub(crate) struct Looks {
    /// Where the changes of each repository are seen.
    watched: Vec<RepoWatch>,
    at: Option<Instant>,
    is_wanted: bool,
}

impl Looks {
    pub(crate) fn new(repos: usize) -> Self {
        Self {
            watched: vec![RepoWatch::default(); repos],
            at: None,
            is_wanted: false,
        }
    }

    /// Asks for a look at all repositories, as something may have changed.
    pub(crate) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Notes where the changes of a repository are seen, as its thread says it.
    pub(crate) fn note(&mut self, repo: usize, watch: &RepoWatch) {
        // One that can't be read says nothing of that: it is watched as before, until it is there again.
        if !watch.folders.is_empty() && self.watched[repo] != *watch {
            self.watched[repo].clone_from(watch);
            // It is watched from then on, and what moved before is found.
            self.is_wanted = true;
        }
    }

    /// Watches the folders in which changes are reported; those of a disk that may hang are looked at by its own thread.
    fn watch(&self, wake: &mut Wake) {
        let reported = self.watched.iter().filter(|watch| watch.is_reported);
        let folders: Vec<PathBuf> = reported.flat_map(|watch| watch.folders.clone()).collect();
        wake.watch(&folders);
    }

    /// Lets the threads look, where something may have changed.
    pub(crate) fn look<Q: Question>(&mut self, feed: &Feed<Q>, wake: &mut Wake) {
        if self.due() != Some(Duration::ZERO) {
            return;
        }
        let is_wanted = std::mem::take(&mut self.is_wanted);
        self.at = Some(Instant::now());
        if is_wanted {
            // Before the looks: what moves behind them is reported.
            self.watch(wake);
        }
        for (repo, watch) in self.watched.iter().enumerate() {
            if is_wanted || is_unreported(watch) {
                feed.look(repo);
            }
        }
    }

    /// Returns the time until the next look; none where nothing asks for one.
    pub(crate) fn due(&self) -> Option<Duration> {
        let is_to_look = self.is_wanted || self.watched.iter().any(is_unreported);
        let since = self.at.map_or(GAP, |at| at.elapsed());
        is_to_look.then(|| GAP.saturating_sub(since))
    }
}

fn is_unreported(watch: &RepoWatch) -> bool {
    !watch.is_reported && !watch.folders.is_empty()
}
