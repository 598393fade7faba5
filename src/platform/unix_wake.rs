//! Pauses that end when something has happened: a change in a folder, a key, a signal. Until then they cost nothing, where
//! the system reports changes.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use signal_hook::flag;
use signal_hook::low_level::pipe;

use super::folder_watch::FolderWatch;
use super::{Keys, LONGEST, LOOK, WokenBy, system};

/// Signals after which something has to be drawn or read again: another size of the terminal, the way back to it.
const DRAWING_SIGNALS: [Signal; 2] = [Signal::WINCH, Signal::CONT];

/// The events that end pauses.
pub(crate) struct Wake {
    signals: UnixStream,
    is_ending: Arc<AtomicBool>,
    folders: FolderWatch,
}

impl Wake {
    /// Begins to listen for signals: those that would end the program in the middle of its work no longer do.
    pub(crate) fn begin() -> io::Result<Self> {
        let is_ending = Arc::new(AtomicBool::new(false));
        let (signals, sender) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        for signal in system::ENDING_SIGNALS {
            // The flag first: whom the pipe wakes finds it set.
            flag::register(signal, Arc::clone(&is_ending))?;
            pipe::register(signal, sender.try_clone()?)?;
        }
        for signal in DRAWING_SIGNALS {
            pipe::register(signal.as_raw(), sender.try_clone()?)?;
        }
        Ok(Self {
            signals,
            is_ending,
            folders: FolderWatch::new(),
        })
    }

    /// Returns whether a signal has asked for the end.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Names the folders whose changes end pauses, in the place of those before. What is read after this call and changes
    /// later ends the next pause.
    pub(crate) fn watch(&mut self, folders: &[PathBuf]) {
        self.folders.watch(folders);
    }

    /// Waits for a change, a signal, a key where keys are read, or until a time has passed.
    pub(crate) fn pause(&mut self, most: Option<Duration>, keys: Option<&Keys>) -> WokenBy {
        let longest = if self.folders.sees_all() {
            LONGEST
        } else {
            LOOK
        };
        let most = most.unwrap_or(longest).min(longest);
        let input = io::stdin();
        let input = input.as_fd();
        let mut waited = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let keys = keys.filter(|keys| keys.are_read());
        waited.extend(keys.map(|_| PollFd::from_borrowed_fd(input, PollFlags::IN)));
        let changes = waited.len();
        let inotify = self.folders.descriptor();
        waited.extend(inotify.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        // An error is a signal that came meanwhile, or no memory: there is nothing to do but to look.
        let _ = poll(&mut waited, Timespec::try_from(most).ok().as_ref());
        let happened: Vec<bool> = waited.iter().map(|fd| !fd.revents().is_empty()).collect();
        let woken = match &happened[..] {
            [true, ..] => WokenBy::Signal,
            all if all[1..changes].contains(&true) => WokenBy::Key,
            all if all[changes..].contains(&true) => WokenBy::Change,
            _ => WokenBy::Time,
        };
        let mut ignored = [0; 64];
        while self.signals.read(&mut ignored).is_ok_and(|n| n > 0) {}
        self.folders.forget_changes();
        woken
    }
}
