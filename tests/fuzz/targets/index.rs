//! The file of the index, edited: no edit brings anything down, and one that we can tell from our own writing
//! changes no answer.
//!
//! An input is a byte, whose lowest bit says whether the time of the file stays as it was, and then edits: where
//! (two bytes, by the length of the file), how long (one byte), and that many bytes.

#![no_main]

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::SystemTime;

use fuzz::scratch::Scratch;
use git_beads::index::{Index, Row};
use git_beads::model::field::{Field, FieldMap};
use git_beads::ops::verbs::create::{Create, create};
use git_beads::ops::verbs::note::{Note, note};
use git_beads::ops::Tracker;
use git_beads::ops::verbs::init;
use libfuzzer_sys::fuzz_target;

/// A store with an index, as it is before every edit.
struct Ours {
    _scratch: Scratch,
    tracker: Tracker,
    file: PathBuf,
    bytes: Vec<u8>,
    marked: SystemTime,
    rows: Vec<Row>,
}

thread_local!(static OURS: RefCell<Option<Ours>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    OURS.with_borrow_mut(|ours| edit(ours.get_or_insert_with(Ours::new), data));
});

fn edit(ours: &Ours, data: &[u8]) {
    let Some((how, mut rest)) = data.split_first() else { return };
    let mut bytes = ours.bytes.clone();
    while let [high, low, length, more @ ..] = rest {
        let at = usize::from(u16::from_be_bytes([*high, *low])) * bytes.len() / 65_536;
        let length = usize::from(*length).min(more.len()).min(bytes.len() - at);
        bytes[at..at + length].copy_from_slice(&more[..length]);
        rest = &more[length..];
    }
    ours.only(&bytes);
    let marked = how & 1 == 1;
    let time = if marked { ours.marked } else { SystemTime::now() };
    std::fs::File::options().write(true).open(&ours.file).and_then(|file| file.set_modified(time)).expect("a time");
    let index = Index::open(ours.tracker.store()).expect("the index never fails");
    match index.all() {
        Ok(found) => assert!(marked || rows(found) == ours.rows, "an edit was believed"),
        Err(error) => assert!(marked, "{error}"),
    }
    drop(index);
    // Through the front door it is made anew where it turns out to be damaged.
    ours.tracker.read(|view| Ok(view.index.all()?)).expect("rows");
}

/// Numbers are the cache's own affair.
fn rows(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().map(|row| Row { num: 0, ..row }).collect()
}

impl Ours {
    fn new() -> Self {
        let scratch = Scratch::new("index");
        let tracker = git_beads::ops::open(&scratch.location(), Some("ann"), git_beads::store::Intent::Write).expect("a repository");
        init::init(&tracker, &init::Init::default()).expect("a store");
        for n in 0..20 {
            let fields = FieldMap::from([(Field::Title, Some(format!("Issue {n}")))]);
            let made = create(&tracker, &Create { fields, ..Create::default() }).expect("an issue");
            let id = made.id.expect("an id");
            let request = Note { id, findings: vec![format!("number {n}")], ..Note::default() };
            note(&tracker, &request).expect("an entry");
        }
        let index = Index::open(tracker.store()).expect("an index");
        let rows = rows(index.all().expect("rows"));
        drop(index);
        let file = files(&tracker).pop().expect("a file");
        let bytes = std::fs::read(&file).expect("bytes");
        let marked = std::fs::metadata(&file).and_then(|meta| meta.modified()).expect("a time");
        Self { _scratch: scratch, tracker, file, bytes, marked, rows }
    }

    /// Leaves one file, with these bytes: the same file, for its mark holds its number.
    fn only(&self, bytes: &[u8]) {
        for other in files(&self.tracker).into_iter().filter(|path| *path != self.file) {
            std::fs::remove_file(other).expect("a file less");
        }
        std::fs::write(&self.file, bytes).expect("an edit");
    }
}

fn files(tracker: &Tracker) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(tracker.store().folder()).expect("a folder");
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("index-")));
    found.sort();
    found
}
