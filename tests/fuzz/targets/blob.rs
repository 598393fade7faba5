//! A blob from anywhere: what is read prints canonically, reads back the same, and takes our next write.

#![no_main]

use git_beads::model::blob::{Blob, Writer};
use git_beads::model::stamp::MAX_MILLIS;
use git_beads::model::{Edge, Issue, Memory, Stamp, Target, canonical_json};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(blob) = Blob::parse(data) else { return };
    let printed = reads_back(&blob);
    let value = canonical_json::parse(&printed).expect("what is printed is JSON");
    assert_eq!(format!("{}\n", canonical_json::canonical(&value)).as_bytes(), printed, "what is printed is canonical");
    let uid = blob.uid.unwrap_or_default();
    look_at_issue(&Issue::from_blob(uid, blob.clone()));
    look_at_memory(&Memory::from_blob(uid, blob.clone()));
    if blob.purged.is_none() {
        write(&blob);
    }
});

fn reads_back(blob: &Blob) -> Vec<u8> {
    let printed = blob.to_bytes();
    let again = Blob::parse(&printed).expect("what is printed is a blob");
    assert_eq!(&again, blob, "and the same one");
    assert_eq!(again.to_bytes(), printed, "printed the same way");
    printed
}

/// Fields of wrong types are as if they were never written.
fn look_at_issue(issue: &Issue) {
    let state = issue.state();
    let times = [Some(issue.created()), Some(issue.updated()), issue.closed(), issue.written("title")];
    let texts = [issue.id(), issue.title(), issue.text("design"), issue.kind(), issue.created_by()];
    assert!(times.len() + texts.len() > 0 && state.status.as_str().len() < 1 << 20);
    assert_eq!(issue.is_purged(), issue.blob().purged.is_some());
    let _ = (issue.priority(), issue.labels(), issue.conflicts().len());
    for edge in issue.edges() {
        target_reads_back(&edge.target);
        let key = Edge::key(&edge.kind, &edge.target);
        assert_eq!(key.split_once(':').map(|(kind, _)| kind), Some(edge.kind.as_str()));
    }
    if let Some((parent, _)) = issue.parent() {
        target_reads_back(&parent);
    }
}

fn target_reads_back(target: &Target) {
    assert_eq!(&Target::parse(&target.to_key()), target);
}

fn look_at_memory(memory: &Memory) {
    let _ = (memory.kind(), memory.text(), memory.by(), memory.at(), memory.is_redacted());
}

/// The next write of somebody who has seen the blob: it can be read again, and beats all that is there.
fn write(blob: &Blob) {
    let seen = blob.newest();
    let at = Stamp::after(seen, 0, u128::MAX);
    assert!(at > seen || seen.millis() + 1 == MAX_MILLIS, "only the end of time has no successor");
    assert_eq!(at.to_string().parse::<Stamp>().expect("a stamp that we make is one"), at);
    let writer = Writer { at, by: "fuzz".to_owned(), millis: 0 };
    let mut next = blob.clone();
    next.set(&writer, "title", Value::from("next"));
    next.mark(&writer, "labels", "next", true);
    next.mark(&writer, "labels", "last", false);
    next.settle("status", at);
    reads_back(&next);
    let keys: Vec<String> = blob.registers.keys().cloned().collect();
    for key in keys {
        next.set(&writer, &key, Value::Null);
        next.lose(&key, &blob.registers[&key], "0123");
    }
    reads_back(&next);
    next.purge(at);
    reads_back(&next);
}
