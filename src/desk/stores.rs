//! Work on several repositories at once, each opened on a thread of its own that ends with it: what can't be read within some
//! time, as on a disk that hangs, holds up none of the others.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::env::start_thread;

/// Threads at a time.
const MOST: usize = 4;
/// The time that one repository may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The progress of a thread: it has begun with a repository, or is done with it.
enum StoreProgress<T> {
    Begun(usize),
    Done(usize, T),
}

/// Does some work on each of a number of repositories, and returns what was found, in their order; none for one that has taken
/// too long.
pub(super) fn each<T: Send + 'static>(
    count: usize,
    work: impl Fn(usize) -> T + Send + Sync + 'static,
) -> Vec<Option<T>> {
    let queue = Arc::new(Mutex::new((0..count).collect::<VecDeque<_>>()));
    let work = Arc::new(work);
    let (sender, receiver) = channel();
    let start = |sender: &Sender<StoreProgress<T>>| {
        let (queue, work, sender) = (queue.clone(), work.clone(), sender.clone());
        let run = move || {
            loop {
                let next = queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front();
                let Some(n) = next else { return };
                // No one listens any more: the answer has been given.
                if sender.send(StoreProgress::Begun(n)).is_err() {
                    return;
                }
                let found = work(n);
                if sender.send(StoreProgress::Done(n, found)).is_err() {
                    return;
                }
            }
        };
        start_thread(run).is_ok()
    };
    // Those that don't hang.
    let mut threads = 0;
    for _ in 0..MOST.min(count) {
        threads += usize::from(start(&sender));
    }
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut running: HashMap<usize, Instant> = HashMap::new();
    let mut left = count;
    while left > 0 && threads > 0 {
        match receiver.recv_timeout(PATIENCE / 8) {
            Ok(StoreProgress::Begun(n)) => {
                running.insert(n, Instant::now());
            }
            Ok(StoreProgress::Done(n, answer)) => {
                // One that was given up and comes all the same is late.
                if running.remove(&n).is_some() {
                    found[n] = Some(answer);
                    left -= 1;
                }
            }
            // The sender for further threads is kept here: it is never disconnected.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        let silent: Vec<usize> = running
            .iter()
            .filter(|(_, since)| since.elapsed() >= PATIENCE)
            .map(|(n, _)| *n)
            .collect();
        for n in silent {
            running.remove(&n);
            left -= 1;
            threads -= 1;
            threads += usize::from(start(&sender));
        }
    }
    found
}
