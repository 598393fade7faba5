//! Bytes of a terminal: whatever is typed, something is drawn, and no text in it can steer a terminal.
//!
//! The first two bytes of an input are columns and rows. What is typed acts on a real store.

#![no_main]

use std::cell::RefCell;

use fuzz::store::Filled;
use git_beads::model::id::is_format;
use git_beads::ui::FedFace;
use libfuzzer_sys::fuzz_target;

thread_local!(static FILLED: RefCell<Option<Filled>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    let [columns, rows, typed @ ..] = data else { return };
    FILLED.with_borrow_mut(|filled| {
        let filled = filled.get_or_insert_with(|| Filled::new("ui"));
        filled.scratch.reset();
        let size = (u16::from(*columns).max(1), u16::from(*rows).max(1));
        let mut face = FedFace::new(&filled.tracker, size);
        for picture in face.feed(typed) {
            let steers = |c: char| c.is_control() || is_format(c) && !matches!(c, '\u{200c}' | '\u{200d}');
            assert!(!picture.contains(steers), "{picture:?}");
        }
    });
});
