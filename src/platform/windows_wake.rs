//! Pauses between two looks: neither changes nor input are reported here.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use signal_hook::flag;

use super::{LOOK, Woken, system};

/// The events that end pauses.
pub(crate) struct Wake {
    is_ending: Arc<AtomicBool>,
}

impl Wake {
    /// Begins to listen for signals: those that would end the program in the middle of its work no longer do.
    pub(crate) fn begin() -> io::Result<Self> {
        let is_ending = Arc::new(AtomicBool::new(false));
        for signal in system::ENDING_SIGNALS {
            flag::register(signal, Arc::clone(&is_ending))?;
        }
        Ok(Self { is_ending })
    }

    /// Returns whether a signal has asked for the end.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Does nothing: no other program has the terminal here.
    pub(crate) fn forget_interrupt(&self) {}

    /// Returns false: no signal says so here.
    pub(crate) fn takes_redraw(&self) -> bool {
        false
    }

    /// Errors: always; nothing ends a pause here but the time.
    pub(crate) fn waker(&self) -> io::Result<Waker> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing: whoever waits looks.
    pub(crate) fn watch(&mut self, _folders: &[PathBuf]) {}

    /// Waits until it is time to look.
    pub(crate) fn pause(&mut self, most: Option<Duration>, _input: bool) -> Woken {
        sleep(most.unwrap_or(LOOK).min(LOOK));
        Woken::default()
    }
}

/// Returns false: no change is reported.
pub(crate) fn are_reported(_folders: &[PathBuf]) -> bool {
    false
}

/// Ends a pause of another thread.
#[derive(Debug)]
pub(crate) struct Waker;

impl Waker {
    pub(crate) fn wake(&self) {}
}

/// Reads what was typed.
pub(crate) fn read_input(_bytes: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes to the terminal.
pub(crate) fn write_output(_bytes: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Stops this job until its shell lets it go on.
pub(crate) fn suspend() {}
