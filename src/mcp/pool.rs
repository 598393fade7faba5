//! Threads for the work: the protocol stays responsive while a call waits for a lock or a disk.
//!
//! A thread is started when all are busy, up to a few, of which writers may hold all but one: they wait for
//! a lock, and readers never do. Each thread keeps the repositories it has opened, since these can't move
//! between threads; one that serves calls one after the other is all that most sessions ever start.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

const MOST: usize = 4;
const MOST_WRITERS: usize = MOST - 1;

/// Does the work and leaves the answer to be delivered.
type Job = Box<dyn FnOnce() -> Delivery + Send>;
type Delivery = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    reads: VecDeque<Job>,
    writes: VecDeque<Job>,
    writing: usize,
    idle: usize,
    threads: usize,
}

impl Queue {
    /// How many jobs could run now.
    fn runnable(&self) -> usize {
        self.reads.len() + self.writes.len().min(MOST_WRITERS - self.writing)
    }

    /// The next job, and whether it writes.
    fn next(&mut self) -> Option<(Job, bool)> {
        if let Some(job) = self.reads.pop_front() {
            return Some((job, false));
        }
        let job = if self.writing < MOST_WRITERS {
            self.writes.pop_front()
        } else {
            None
        }?;
        self.writing += 1;
        Some((job, true))
    }
}

#[derive(Default)]
struct PoolState {
    state: Mutex<Queue>,
    wake: Condvar,
}

impl PoolState {
    /// Nothing panics while it holds the lock.
    fn state(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads and what waits for them.
#[derive(Clone, Default)]
pub(super) struct Pool {
    shared: Arc<PoolState>,
}

impl Pool {
    /// Runs work on a thread. Work whose answer nobody waits for any more is not begun.
    pub(super) fn run<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move || -> Delivery {
            if sender.is_closed() {
                return Box::new(|| {});
            }
            let answer = work();
            // A call may be cancelled while it runs; what it did stays done.
            Box::new(move || _ = sender.send(answer))
        });
        let mut state = self.shared.state();
        if writes {
            state.writes.push_back(job);
        } else {
            state.reads.push_back(job);
        }
        if state.idle < state.runnable() && state.threads < MOST {
            state.threads += 1;
            let shared = self.shared.clone();
            std::thread::spawn(move || run_worker(&shared));
        }
        drop(state);
        self.shared.wake.notify_one();
        receiver
    }
}

/// A thread is idle before its answer is out, so that the next call finds it so.
fn run_worker(shared: &PoolState) {
    let mut state = shared.state();
    loop {
        match state.next() {
            Some((job, writes)) => {
                drop(state);
                let deliver = job();
                let mut finished = shared.state();
                finished.writing -= usize::from(writes);
                finished.idle += 1;
                drop(finished);
                deliver();
                state = shared.state();
                state.idle -= 1;
            }
            None => {
                state.idle += 1;
                state = shared
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}
