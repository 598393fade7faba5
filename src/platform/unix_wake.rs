//! Pauses that end when something has happened: a change in a folder, input, a signal, a call of another thread. Until then
//! they cost nothing, where the system reports changes.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, kill_process_group};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use super::folder_watch::FolderWatch;
pub(crate) use super::folder_watch::are_reported;
use super::{LONGEST, LOOK, Woken, system};

/// Signals after which something has to be drawn or read again: another size of the terminal, the way back to it.
const DRAWING_SIGNALS: [Signal; 2] = [Signal::WINCH, Signal::CONT];

/// The events that end pauses.
pub(crate) struct Wake {
    calls: UnixStream,
    caller: UnixStream,
    is_ending: Arc<AtomicBool>,
    is_interrupted: Arc<AtomicBool>,
    is_redrawing: Arc<AtomicBool>,
    folders: FolderWatch,
}

impl Wake {
    /// Begins to listen for signals: those that would end the program in the middle of its work no longer do.
    pub(crate) fn begin() -> io::Result<Self> {
        let is_ending = Arc::new(AtomicBool::new(false));
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let is_redrawing = Arc::new(AtomicBool::new(false));
        let (calls, caller) = UnixStream::pair()?;
        calls.set_nonblocking(true)?;
        caller.set_nonblocking(true)?;
        for signal in system::ENDING_SIGNALS {
            let is_meant = match signal == Signal::INT.as_raw() {
                true => &is_interrupted,
                false => &is_ending,
            };
            // The flag first: whom the pipe wakes finds it set.
            flag::register(signal, Arc::clone(is_meant))?;
            pipe::register(signal, caller.try_clone()?)?;
        }
        for signal in DRAWING_SIGNALS {
            flag::register(signal.as_raw(), Arc::clone(&is_redrawing))?;
            pipe::register(signal.as_raw(), caller.try_clone()?)?;
        }
        Ok(Self {
            calls,
            caller,
            is_ending,
            is_interrupted,
            is_redrawing,
            folders: FolderWatch::new(),
        })
    }

    /// Returns whether a signal has asked for the end.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed) || self.is_interrupted.load(Ordering::Relaxed)
    }

    /// Forgets an interrupt that was meant for another program of the terminal.
    pub(crate) fn forget_interrupt(&self) {
        self.is_interrupted.store(false, Ordering::Relaxed);
    }

    /// Returns whether the terminal may have another size or another content since this was asked last.
    pub(crate) fn takes_redraw(&self) -> bool {
        self.is_redrawing.swap(false, Ordering::Relaxed)
    }

    /// Returns what ends a pause from another thread.
    pub(crate) fn waker(&self) -> io::Result<Waker> {
        self.caller.try_clone().map(Waker)
    }

    /// Names the folders whose changes end pauses, in the place of those before. What is read after this call and changes
    /// later ends the next pause.
    pub(crate) fn watch(&mut self, folders: &[PathBuf]) {
        self.folders.watch(folders);
    }

    /// Waits for a change, a signal or call, input where that is asked for, or until a time has passed.
    pub(crate) fn pause(&mut self, most: Option<Duration>, input: bool) -> Woken {
        let longest = if self.folders.sees_all() {
            LONGEST
        } else {
            LOOK
        };
        let most = most.unwrap_or(longest).min(longest);
        let stdin = io::stdin();
        let mut waited = vec![PollFd::new(&self.calls, PollFlags::IN)];
        if input {
            waited.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
        }
        let inotify = self.folders.descriptor();
        waited.extend(inotify.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An error is a signal that came meanwhile, or no memory: there is nothing to do but to look.
        let _ = poll(&mut waited, Timespec::try_from(most).ok().as_ref());
        let happened = |at: usize| waited.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let (call, input) = (happened(0), input && happened(1));
        let mut ignored = [0; 64];
        while self.calls.read(&mut ignored).is_ok_and(|n| n > 0) {}
        // Also what has come since the poll: it is gone once it is read.
        let change = self.folders.take_changes();
        Woken {
            call,
            input,
            change,
        }
    }
}

/// Ends a pause of another thread.
#[derive(Debug)]
pub(crate) struct Waker(UnixStream);

impl Waker {
    pub(crate) fn wake(&self) {
        // A full pipe wakes as well.
        let _ = (&self.0).write(&[0]);
    }
}

/// Reads what was typed; nothing where the terminal has gone.
pub(crate) fn read_input(bytes: &mut [u8]) -> io::Result<usize> {
    match rustix::io::read(io::stdin(), bytes) {
        Err(Errno::INTR | Errno::AGAIN) => Err(io::ErrorKind::Interrupted.into()),
        read => Ok(read?),
    }
}

/// Writes to the terminal at once: nothing of it is left behind where that fails.
pub(crate) fn write_output(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(io::stdout(), bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(Errno::INTR) => {}
            // Another program has made the terminal one that does not wait.
            Err(Errno::AGAIN) => {
                let out = io::stdout();
                let _ = poll(&mut [PollFd::new(&out, PollFlags::OUT)], None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Stops this job until its shell lets it go on.
pub(crate) fn suspend() {
    // With the git that has started it, which the shell waits for.
    let _ = kill_process_group(getpgrp(), Signal::TSTP);
}
