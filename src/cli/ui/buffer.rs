//! Output that is kept instead of printed.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use super::Ui;
use crate::cli::globals::Globals;
use crate::env::Env;

/// The output of a command line within another one.
#[derive(Clone, Default)]
pub(in crate::cli) struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Buffer {
    pub(in crate::cli) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Ui {
    /// Keeps what is printed, as a pipe would get it.
    pub(in crate::cli) fn to_buffer(env: &Env, globals: &Globals) -> (Self, Buffer) {
        let buffer = Buffer::default();
        let mut ui = Self::new(env, globals);
        ui.out = Box::new(buffer.clone());
        // What reads the buffer is a program, even where this process prints to a terminal.
        ui.terminal = false;
        (ui, buffer)
    }
}
