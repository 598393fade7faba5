//! A tip from a hostile remote: either the gate refuses it, or it is joined and takes nothing away.
//!
//! An input is a script of lines, which says of a folder what git itself would never write:
//!
//! ```text
//! 100644 issues/0/0/1/.../issue.json {...}   a file: mode, path, text (`%XX` in a path is that byte)
//! 100644 meta.json ?      an object that is not there; `/` is a folder's, `^` a commit's, `=` our meta.json
//! !base       all that the base has          !unsorted   entries in the order given
//! !raw %XX    bytes instead of a root        !commit     ends a commit; the next has it as its parent
//! !orphan     no parent                      !ours       our tip is a parent too
//! !author A   a line of the commit           !message M  its message
//! ```

#![no_main]

use std::cell::RefCell;
use std::collections::BTreeMap;

use fuzz::scratch::Scratch;
use git_beads::index::Index;
use git_beads::model::blob::{Blob, Writer};
use git_beads::model::join::join;
use git_beads::model::{Issue, Memory, MemoryKind, Stamp, Uid};
use git_beads::ops::{Code, Tracker};
use git_beads::ops::shared::query::Query;
use git_beads::ops::verbs::{blocked, export, list, search, show, status};
use git_beads::store::door::enter_named;
use git_beads::store::{TreeChange, Merge, Message, Oid, TreePath, Store, StoreError, Cancel, Changes, Publish, Unpublished};
use gix::objs::{Kind as Object, tree::EntryMode};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

const DAY: u64 = 1_763_500_000_000;
const MOST_LINES: usize = 64;

/// The repository, what is in it, and what nobody else has seen.
struct Ours {
    scratch: Scratch,
    tracker: Tracker,
    base: Oid,
    tip: Oid,
    files: BTreeMap<String, Oid>,
    common: BTreeMap<String, Oid>,
}

thread_local!(static OURS: RefCell<Option<Ours>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    OURS.with_borrow_mut(|ours| receive(ours.get_or_insert_with(Ours::new), data));
});

fn receive(ours: &mut Ours, data: &[u8]) {
    ours.scratch.reset();
    let theirs = Remote::new(ours).run(data);
    let store = ours.tracker.store();
    let whole = store.incoming().validate(theirs, None);
    match store.incoming().validate(theirs, Some(ours.tip)) {
        Err(StoreError::Rejected(_) | StoreError::Unreadable { .. }) => {
            return assert!(whole.is_err(), "refused in part and taken as a whole");
        }
        Err(other) => panic!("{other:?}"),
        Ok(()) => {}
    }
    let entered = enter_named(store, theirs, &Cancel::default());
    let after = store.tip().expect("the ref");
    if entered.is_err() {
        return assert_eq!(after, Some(ours.tip), "an error changes nothing");
    }
    let after = after.expect("a tip");
    nothing_is_gone(ours, theirs, after);
    all_clones_agree(store, ours.tip, theirs, after);
    can_be_read(ours, after);
}

/// Every path of both sides is there, and says at least what each side says.
fn nothing_is_gone(ours: &Ours, theirs: Oid, after: Oid) {
    let store = ours.tracker.store();
    let now = files(store, after);
    let read = |oid: Oid| store.snapshot_at(after).and_then(|snapshot| snapshot.read(oid)).expect("a blob");
    let theirs = files(store, theirs);
    for (path, oid) in ours.files.iter().chain(&theirs) {
        let new = now.get(path).unwrap_or_else(|| panic!("{path} is gone"));
        if let (true, Ok(old), Ok(new)) = (new != oid, Blob::parse(&read(*oid)), Blob::parse(&read(*new))) {
            let both = join(&old, &new);
            assert!(both == new, "{path} has lost something: {old:?} {new:?}");
        }
    }
    for (path, oid) in ours.files.iter().filter(|(path, _)| !theirs.contains_key(*path)) {
        let new = now[path];
        let gone = new != *oid && Blob::parse(&read(new)).is_ok_and(|blob| blob.purged.is_some());
        assert!(new == *oid || gone, "{path}, of which they have nothing, was changed");
    }
}

/// What we merge, others merge to the same commit, let through their gate, and need not merge again.
fn all_clones_agree(store: &Store, ours: Oid, theirs: Oid, after: Oid) {
    let mirrored = match store.merging().merge(&mut store.objects(), theirs, ours).expect("the other way round") {
        Merge::Nothing => theirs,
        Merge::Forward(tip) | Merge::Commit(tip) => tip,
    };
    assert_eq!(mirrored, after, "two clones make two commits");
    for old in [ours, theirs] {
        let again = store.merging().merge(&mut store.objects(), after, old).expect("once more");
        assert_eq!(again, Merge::Nothing, "an ancestor brings nothing");
    }
    store.incoming().validate(after, None).expect("the next gate takes it");
}

fn can_be_read(ours: &Ours, after: Oid) {
    let store = ours.tracker.store();
    let snapshot = store.snapshot_at(after).expect("a commit");
    assert!(!snapshot.history(Some(ours.base)).expect("a history").is_empty());
    for number in 1..5 {
        let issue = snapshot.issue(uid(number)).expect("an object");
        assert!(issue.is_some() || number > 3, "an issue is gone");
        let _ = snapshot.memory(uid(number)).expect("a folder");
    }
    snapshot.notes().expect("a folder");
    let tracker = &ours.tracker;
    let cached = tracker.read(|view| Ok(answers(&view.index))).expect("an index");
    let made = answers(&Index::private(snapshot).expect("an index"));
    assert_eq!(cached, made, "the index has followed");
    if snapshot.meta().is_err() {
        return;
    }
    let mut all = Query::default();
    (all.all, all.deleted) = (true, true);
    let listed = list::list(tracker, &all).expect("a list");
    assert!(listed.issues.len() >= 3, "{listed:?}");
    status::status(tracker, &Query::default()).expect("a status");
    blocked::blocked(tracker, &Query::default()).expect("a list");
    search::search(tracker, "issue", &all).expect("a search");
    let ids = vec![uid(3).to_string()];
    if let Err(error) = show::show(tracker, &show::Show { ids, ..show::Show::default() }) {
        assert_eq!(error.code, Code::Unreadable, "{error:?}");
    }
    export::export(tracker, &export::Export::default(), &mut Vec::new(), &mut |_, _| ()).expect("an export");
}

/// What the index says, without the numbers and the order of equals that depend on how it came about.
fn answers(index: &Index<'_>) -> String {
    let rows = index.all().expect("rows").into_iter().map(|row| git_beads::index::Row { num: 0, ..row });
    let mut rows: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
    rows.sort();
    let counts = index.counts(DAY).expect("counts");
    let twice = index.ids().shared().expect("aliases");
    let (odd, broken) = (index.conflicted().expect("conflicts"), index.broken().expect("broken"));
    format!("{rows:#?} {counts:?} {twice:?} {odd:?} {broken:?}")
}

fn files(store: &Store, commit: Oid) -> BTreeMap<String, Oid> {
    let tree = store.snapshot_at(commit).expect("a commit").tree();
    let mut found = BTreeMap::new();
    let mut each = |change: &TreeChange| -> Result<(), StoreError> {
        found.extend(change.oid.map(|oid| (change.text.clone(), oid)));
        Ok(())
    };
    store.diff(None, tree, &mut each).expect("a tree");
    found
}

fn uid(number: u64) -> Uid {
    Stamp::new(DAY, number.into())
}

impl Ours {
    fn new() -> Self {
        let mut scratch = Scratch::new("tree");
        let tracker = git_beads::ops::open(&scratch.location(), None, git_beads::store::Intent::Write).expect("a repository");
        let writer = |number| Writer { at: uid(number), by: "ann".to_owned(), millis: DAY };
        let mut meta = Blob::new(None, &writer(0));
        meta.epoch = Some(0);
        meta.set(&writer(0), "prefix", json!("bd"));
        meta.mark(&writer(0), "stores", &uid(0).to_string(), true);
        let issue = |number: u64, title: &str| {
            let mut issue = Issue::new(uid(number), &writer(number));
            issue.blob_mut().put(&writer(number), "id", json!(format!("bd-{number}")));
            issue.set_title(&writer(number), title).expect("a title");
            (TreePath::Issue(uid(number)), issue.blob().to_bytes())
        };
        let memory = |number, kind| Memory::new(uid(number), &writer(number), kind, "text").blob().to_bytes();
        let first = [
            (TreePath::Meta, meta.to_bytes()),
            issue(1, "an issue"),
            issue(2, "another issue"),
            (TreePath::Entry(uid(1), uid(11)), memory(11, MemoryKind::Finding)),
            (TreePath::Note(uid(12)), memory(12, MemoryKind::Note)),
        ];
        let commit = |files: Vec<(TreePath, Vec<u8>)>| {
            let store = tracker.store();
            let mut changes = Changes::new(store);
            for (path, bytes) in files {
                changes.add(path, bytes).expect("a blob");
            }
            let message = Message { subject: "fuzz".to_owned(), trailers: Vec::new() };
            let made = store.begin(&Cancel::default()).and_then(|begun| begun.write(changes, &message));
            match made.and_then(Unpublished::publish).expect("a commit") {
                Publish::Done(published) => published.finish().expect("a tip"),
                Publish::LostRace(_) => panic!("nobody else writes"),
            }
        };
        let base = commit(first.into());
        let mut changed = Blob::parse(&issue(1, "an issue").1).expect("a blob");
        changed.set(&writer(20), "title", json!("our title"));
        let tip = commit(vec![issue(3, "our issue"), (TreePath::Issue(uid(1)), changed.to_bytes())]);
        scratch.keep();
        let (files, common) = (files(tracker.store(), tip), files(tracker.store(), base));
        Self { scratch, tracker, base, tip, files, common }
    }
}

/// An entry of a tree to be: its mode as written, its name, and what it leads to.
enum Node {
    Object(gix::ObjectId),
    Folder(Vec<(Vec<u8>, Vec<u8>, Node)>),
}

/// What the script has said of the next commit, and what came before.
struct Remote<'o> {
    ours: &'o Ours,
    root: Vec<(Vec<u8>, Vec<u8>, Node)>,
    raw: Option<Vec<u8>>,
    sorted: bool,
    parents: Vec<Oid>,
    author: Vec<u8>,
    message: Vec<u8>,
}

impl<'o> Remote<'o> {
    fn new(ours: &'o Ours) -> Self {
        let author = b"author A <a@b> 1763500000 +0000".to_vec();
        let (root, parents, message) = (Vec::new(), vec![ours.base], b"m".to_vec());
        Self { ours, root, raw: None, sorted: true, parents, author, message }
    }

    fn run(mut self, script: &[u8]) -> Oid {
        for line in script.split(|byte| *byte == b'\n').take(MOST_LINES) {
            let (word, rest) = cut(line);
            match word {
                b"!base" => {
                    for (path, oid) in &self.ours.common {
                        let oid = gix::ObjectId::from_hex(oid.to_string().as_bytes()).expect("an id");
                        place(&mut self.root, path.as_bytes(), b"100644", oid);
                    }
                }
                b"!unsorted" => self.sorted = false,
                b"!raw" => self.raw = Some(plain(rest)),
                b"!orphan" => self.parents.clear(),
                b"!ours" => self.parents.push(self.ours.tip),
                b"!author" => self.author = plain(rest),
                b"!message" => self.message = plain(rest),
                b"!commit" => self = Self { parents: vec![self.commit()], ..Self::new(self.ours) },
                mode if !mode.is_empty() => {
                    let (path, text) = cut(rest);
                    let oid = self.content(text);
                    place(&mut self.root, path, mode, oid);
                }
                _ => {}
            }
        }
        self.commit()
    }

    fn content(&self, text: &[u8]) -> gix::ObjectId {
        let id = |oid: Oid| gix::ObjectId::from_hex(oid.to_string().as_bytes()).expect("an id");
        match text {
            b"?" => gix::ObjectId::from_hex(&[b'1'; 40]).expect("an id"),
            b"/" => self.ours.scratch.object(Object::Tree, b""),
            b"^" => id(self.ours.base),
            b"=" => id(self.ours.common["meta.json"]),
            text => self.ours.scratch.object(Object::Blob, text),
        }
    }

    fn commit(&self) -> Oid {
        let tree = match &self.raw {
            Some(bytes) => self.ours.scratch.object(Object::Tree, bytes),
            None => self.write(&self.root),
        };
        let mut text = format!("tree {tree}\n").into_bytes();
        self.parents.iter().for_each(|parent| text.extend(format!("parent {parent}\n").bytes()));
        text.extend([&self.author[..], b"\ncommitter A <a@b> 1763500000 +0000\n\n", &self.message, b"\n"].concat());
        Oid::parse(&self.ours.scratch.object(Object::Commit, &text).to_string()).expect("an id")
    }

    fn write(&self, entries: &[(Vec<u8>, Vec<u8>, Node)]) -> gix::ObjectId {
        let mut lines: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for (mode, name, node) in entries {
            let oid = match node {
                Node::Object(oid) => *oid,
                Node::Folder(entries) => self.write(entries),
            };
            let folder = EntryMode::from_bytes(mode).is_some_and(|mode| mode.is_tree());
            let order = if folder { [name, &b"/"[..]].concat() } else { name.clone() };
            lines.push((order, [mode, &b" "[..], name, b"\0", oid.as_slice()].concat()));
        }
        if self.sorted {
            lines.sort();
        }
        let bytes: Vec<u8> = lines.into_iter().flat_map(|(_, line)| line).collect();
        self.ours.scratch.object(Object::Tree, &bytes)
    }
}

/// Puts an object at a path, into folders that are there or are made.
fn place(entries: &mut Vec<(Vec<u8>, Vec<u8>, Node)>, path: &[u8], mode: &[u8], oid: gix::ObjectId) {
    let mut parts = path.splitn(2, |byte| *byte == b'/');
    let name = plain(parts.next().unwrap_or_default());
    let Some(rest) = parts.next() else { return entries.push((mode.to_vec(), name, Node::Object(oid))) };
    let found = entries.iter().position(|(_, known, node)| *known == name && matches!(node, Node::Folder(_)));
    let at = found.unwrap_or_else(|| {
        entries.push((b"40000".to_vec(), name, Node::Folder(Vec::new())));
        entries.len() - 1
    });
    if let Node::Folder(below) = &mut entries[at].2 {
        place(below, rest, mode, oid);
    }
}

fn cut(line: &[u8]) -> (&[u8], &[u8]) {
    let at = line.iter().position(|byte| *byte == b' ');
    at.map_or((line, &[]), |at| (&line[..at], &line[at + 1..]))
}

/// Bytes with `%XX` for those that a script can't hold.
fn plain(text: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let escaped = text.get(at + 1..at + 3).filter(|_| text[at] == b'%');
        let byte = escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        out.push(byte.unwrap_or(text[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    out
}
