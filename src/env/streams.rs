//! Standard input, output and error: those of the process, or in memory.

use std::io::{self, BufRead, Cursor, IsTerminal as _, Write};
use std::sync::{Mutex, PoisonError};

use super::Env;
use crate::platform;

#[derive(Debug)]
pub(super) enum Streams {
    OfProcess,
    InMemory {
        input: Mutex<Vec<u8>>,
        written: Mutex<Captured>,
    },
}

/// What a command has written.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// On standard output.
    pub output: Vec<u8>,
    /// On standard error.
    pub error: Vec<u8>,
}

impl Streams {
    pub(super) fn in_memory(input: Vec<u8>) -> Self {
        Self::InMemory {
            input: Mutex::new(input),
            written: Mutex::default(),
        }
    }
}

/// Standard output or standard error.
#[derive(Debug)]
pub(crate) struct Stream {
    env: Env,
    is_error: bool,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &self.env.0.streams {
            Streams::OfProcess if self.is_error => io::stderr().write(bytes),
            Streams::OfProcess => io::stdout().write(bytes),
            Streams::InMemory { written, .. } => {
                let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
                match self.is_error {
                    true => written.error.write(bytes),
                    false => written.output.write(bytes),
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match (&self.env.0.streams, self.is_error) {
            (Streams::OfProcess, true) => io::stderr().flush(),
            (Streams::OfProcess, false) => io::stdout().flush(),
            (Streams::InMemory { .. }, _) => Ok(()),
        }
    }
}

impl Env {
    /// Returns standard output.
    pub(crate) fn output(&self) -> Stream {
        let (env, is_error) = (self.clone(), false);
        Stream { env, is_error }
    }

    /// Returns standard error.
    pub(crate) fn error(&self) -> Stream {
        let (env, is_error) = (self.clone(), true);
        Stream { env, is_error }
    }

    /// Returns standard input; one in memory is read once.
    pub(crate) fn input(&self) -> Box<dyn BufRead> {
        match &self.0.streams {
            Streams::OfProcess => Box::new(io::stdin().lock()),
            Streams::InMemory { input, .. } => {
                let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
                Box::new(Cursor::new(std::mem::take(&mut *input)))
            }
        }
    }

    /// Returns what was written so far, where that is kept in memory.
    pub fn written(&self) -> Captured {
        match &self.0.streams {
            Streams::OfProcess => Captured::default(),
            Streams::InMemory { written, .. } => {
                let written = written.lock().unwrap_or_else(PoisonError::into_inner);
                written.clone()
            }
        }
    }

    /// Returns whether standard input is a terminal.
    pub(crate) fn input_is_terminal(&self) -> bool {
        self.is_of_process() && io::stdin().is_terminal()
    }

    /// Returns whether standard output is a terminal.
    pub(crate) fn output_is_terminal(&self) -> bool {
        self.is_of_process() && io::stdout().is_terminal()
    }

    /// Returns whether standard error is a terminal.
    pub(crate) fn error_is_terminal(&self) -> bool {
        self.is_of_process() && io::stderr().is_terminal()
    }

    /// Returns whether there is a terminal on which a user can be asked.
    pub(crate) fn has_terminal(&self) -> bool {
        self.is_of_process() && platform::has_terminal()
    }

    /// Returns whether a person can be asked.
    pub(crate) fn is_interactive(&self) -> bool {
        self.input_is_terminal() && self.output_is_terminal()
    }

    fn is_of_process(&self) -> bool {
        matches!(self.0.streams, Streams::OfProcess)
    }

    /// Passes on what a child has written to standard error.
    pub(crate) fn pass_to_error(&self, bytes: &[u8]) {
        // Who does not read progress misses nothing else.
        let _ = self.error().write_all(bytes);
    }
}
