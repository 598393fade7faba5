//! Pauses between two looks: changes are not reported here.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use signal_hook::flag;

use super::{Keys, LOOK, WokenBy, system};

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

    /// Does nothing: whoever waits looks.
    pub(crate) fn watch(&mut self, _folders: &[PathBuf]) {}

    /// Waits until it is time to look.
    pub(crate) fn pause(&mut self, most: Option<Duration>, _keys: Option<&Keys>) -> WokenBy {
        sleep(most.unwrap_or(LOOK).min(LOOK));
        WokenBy::Time
    }
}
