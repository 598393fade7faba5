//! Threads for the work: the protocol stays responsive while a call waits for a lock or a disk.
//!
//! A thread is started when all are busy, up to a few, of which writers may hold all but one: they wait for
//! a lock, and readers never do. Each thread keeps the repositories it has opened, since these can't move
//! between threads; one that serves calls one after the other is all that most sessions ever start.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::env::start_thread;

const MOST: usize = 4;
const MOST_WRITERS: usize = MOST - 1;

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
    fn runnable(&self) -> usize {
        self.reads.len() + self.writes.len().min(MOST_WRITERS - self.writing)
    }

    /// Takes the next job, and returns whether it writes.
    fn next(&mut self) -> Option<(Job, bool)> {
        // Reads first: they wait for no lock, so a write is delayed only for a moment.
        if let Some(job) = self.reads.pop_front() {
            return Some((job, false));
        }
        if self.writing == MOST_WRITERS {
            return None;
        }
        let job = self.writes.pop_front()?;
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
    /// Locks the queue. No code panics while it holds the lock, so a poisoned one is intact.
    fn state(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads and the jobs that wait for them.
#[derive(Clone, Default)]
pub(super) struct Pool {
    shared: Arc<PoolState>,
}

impl Pool {
    /// Runs work on a thread. Work whose answer is not awaited any more is not begun.
    pub(super) fn run<T: Send + 'static>(
        &self,
        writes: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let queued = Instant::now();
        let job = Box::new(move || -> Delivery {
            log_wait(writes, queued);
            // The call was cancelled while it waited in the queue: nothing has begun, so nothing is done.
            if sender.is_closed() {
                return Box::new(|| {});
            }
            let answer = work();
            // The receiver is gone if the call was cancelled while it ran; its changes stay.
            Box::new(move || _ = sender.send(answer))
        });
        // Counting idle threads, queueing and starting a thread are one step under the lock: a job
        // that is queued always finds a thread that will look for it.
        let mut state = self.shared.state();
        if writes {
            state.writes.push_back(job);
        } else {
            state.reads.push_back(job);
        }
        // Writers beyond their number can't run now, so no thread is started for them.
        if state.idle < state.runnable() && state.threads < MOST {
            let shared = self.shared.clone();
            match start_thread(move || run_worker(&shared)) {
                Ok(_) => state.threads += 1,
                // Without any the job would wait for ever: it is lost, and its caller is told to call again.
                Err(_) if state.threads == 0 => {
                    state.writes.clear();
                    state.reads.clear();
                }
                Err(_) => {}
            }
        }
        drop(state);
        self.shared.wake.notify_one();
        receiver
    }
}

fn log_wait(writes: bool, queued: Instant) {
    let ms = queued.elapsed().as_millis();
    tracing::debug!(writes, ms, "waited in the queue");
}

fn run_worker(shared: &PoolState) {
    let mut state = shared.state();
    loop {
        match state.next() {
            Some((job, writes)) => {
                drop(state);
                // Without the lock, so that other threads take jobs while this one works.
                let deliver = job();
                let mut finished = shared.state();
                finished.writing -= usize::from(writes);
                // Idle before the answer is out: the client's next call, which may come at once,
                // then finds this thread instead of starting another.
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
