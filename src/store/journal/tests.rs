//! Records that were written are read; those that are not whole are skipped.

use std::fs;

use proptest::prelude::*;

use gix::objs::Kind;

use super::*;
use crate::env::Env;
use crate::store::object::Object;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn oid(n: u8) -> Oid {
    Oid(gix::ObjectId::from_bytes_or_panic(&[n; 20]))
}

fn written(kind: Kind, bytes: &[u8]) -> Object {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, bytes).unwrap();
    Object {
        id,
        kind,
        bytes: bytes.to_vec(),
    }
}

fn record(number: u32, text: &[u8]) -> Record {
    let objects = vec![
        written(Kind::Blob, text),
        written(Kind::Commit, b"tree ..."),
    ];
    Record {
        step: Step::Move,
        number,
        place: "boot 1".into(),
        old: None,
        new: Some(oid(7)),
        objects,
    }
}

fn journal(records: &[Record]) -> Vec<u8> {
    let encoded: Vec<u8> = records
        .iter()
        .flat_map(|record| encode(record, SECRET))
        .collect();
    [format!("{HEADER}{SECRET}\n").into_bytes(), encoded].concat()
}

#[test]
fn a_text_that_poses_as_a_record_is_none() {
    let forged = encode(&record(9, b"forged"), "another secret");
    let mut bytes = journal(&[record(0, &forged), record(1, b"real")]);
    let found = parse(&bytes);
    assert_eq!((found.records.len(), found.damage), (2, 0));
    // With the first record damaged, reading goes on inside of its text.
    bytes[HEADER_LENGTH + 10] ^= 1;
    let found = parse(&bytes);
    assert_eq!(found.records, [record(1, b"real")]);
    assert!(found.damage > 0);
}

#[test]
fn an_abort_takes_back_the_move_before() {
    let (first, second) = (
        record(0, b"a"),
        Record {
            new: Some(oid(8)),
            ..record(1, b"b")
        },
    );
    let abort = Record {
        step: Step::Abort,
        number: 2,
        objects: Vec::new(),
        ..second.clone()
    };
    let found = Contents {
        records: vec![first.clone(), second, abort],
        ..Contents::default()
    };
    assert_eq!(found.moves().collect::<Vec<_>>(), [&first]);
    assert_eq!(found.newest(), Some(oid(7)));
}

#[test]
fn what_is_appended_is_found_from_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let made = Journal::create(&Env::of_process(), folder.path(), None, Permissions::OWN).unwrap();
    made.append(
        &Env::of_process(),
        None,
        oid(1),
        vec![written(Kind::Blob, b"x")],
    )
    .unwrap()
    .sync()
    .unwrap();
    let again = Journal::open(folder.path()).unwrap().unwrap();
    assert_eq!(
        again.last.as_ref().map(|last| (last.number, last.new)),
        Some((1, Some(oid(1))))
    );
    again
        .append(&Env::of_process(), Some(oid(1)), oid(2), Vec::new())
        .unwrap()
        .abort();
    let known = all(&Env::of_process(), folder.path()).unwrap();
    assert_eq!(
        (known.records.len(), known.newest(), known.damage),
        (4, Some(oid(1)), 0)
    );
    // A copy is another place.
    assert!(
        known.here
            && Journal::open(folder.path())
                .unwrap()
                .unwrap()
                .is_of_here(&Env::of_process())
    );
    let path = folder.path().join(NAME);
    fs::copy(&path, folder.path().join("copy")).unwrap();
    fs::rename(folder.path().join("copy"), &path).unwrap();
    assert!(
        !all(&Env::of_process(), folder.path()).unwrap().here
            && !Journal::open(folder.path())
                .unwrap()
                .unwrap()
                .is_of_here(&Env::of_process())
    );
    // A torn end is seen, and the journal then counts as full.
    let length = fs::metadata(&path).unwrap().len();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(length - 1)
        .unwrap();
    assert!(Journal::open(folder.path()).unwrap().unwrap().is_full());
}

proptest! {
    #[test]
    fn records_are_read_back(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..5)) {
        let records: Vec<Record> = (0..).zip(&texts).map(|(n, text)| record(n, text)).collect();
        let found = parse(&journal(&records));
        prop_assert_eq!(found.records, records);
        prop_assert_eq!(found.damage, 0);
    }

    #[test]
    fn damage_loses_only_what_it_hits(at in 0usize..2000, bit in 0u8..8) {
        let records: Vec<Record> = (0..5).map(|n| record(n, &[u8::try_from(n).unwrap(); 100])).collect();
        let mut bytes = journal(&records);
        let at = HEADER_LENGTH + at % (bytes.len() - HEADER_LENGTH);
        bytes[at] ^= 1 << bit;
        let found = parse(&bytes);
        prop_assert_eq!(found.records.len(), 4);
        prop_assert!(found.records.iter().all(|record| records.contains(record)));
    }

    #[test]
    fn anything_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let whole = [format!("{HEADER}{SECRET}\n").into_bytes(), bytes.clone()].concat();
        prop_assert!(parse(&whole).records.is_empty());
        prop_assert!(parse(&bytes).records.is_empty());
    }
}
