//! The laws of the join and of the merge, for blobs from anywhere and for replicas with a history.
//!
//! An input that begins with `{` is lines of JSON: three blobs and then merge bases. Any other is a list of
//! writes by three replicas of an issue, which gets further: most of its changes still make blobs.

#![no_main]

use fuzz::bytes::Bytes;
use git_beads::model::blob::{Blob, Element, Lost, Writer};
use git_beads::model::join::{Side, import, join, merge};
use git_beads::model::{Stamp, canonical_json};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

const OIDS: [&str; 3] = ["00000000000000000000", "55555555555555555555", "aaaaaaaaaaaaaaaaaaaa"];
const REGISTERS: [&str; 12] =
    ["title", "description", "status", "parent", "id", "import", "kind", "text", "redacted", "x-new", "x@1", "*"];
const SETS: [&str; 3] = ["labels", "deps", "x-set"];
const MEMBERS: [&str; 4] = ["a", "b", "blocks:=c", ""];

fuzz_target!(|data: &[u8]| {
    let (blobs, bases) = if data.starts_with(b"{") { texts(data) } else { replicas(data) };
    if let [a, b, c, ..] = &blobs[..] {
        same(&join(&join(a, b), c), &join(a, &join(b, c)), "associative");
    }
    for i in 0..blobs.len().min(3) {
        let side = |at: usize| Side { blob: &blobs[at], oid: OIDS[at] };
        same(&join(&blobs[i], &blobs[i]), &blobs[i], "idempotent");
        same(&merge(side(i), side(i), &[] as &[Blob]), &blobs[i], "nothing is lost against itself");
        for j in 0..i {
            pair(side(i), side(j), &bases);
        }
    }
});

fn pair(a: Side<'_>, b: Side<'_>, bases: &[Blob]) {
    let joined = join(a.blob, b.blob);
    reads_back(&joined);
    same(&joined, &join(b.blob, a.blob), "commutative");
    let merged = merge(a, b, bases);
    reads_back(&merged);
    same(&merged, &merge(b, a, bases), "a merge is commutative");
    let plain = Blob { lost: joined.lost.clone(), ..merged.clone() };
    same(&plain, &joined, "a merge is the join and what was lost");
    let whole = Side { blob: &merged, oid: OIDS[2] };
    for below in [a.blob, b.blob, &joined] {
        same(&join(&merged, below), &merged, "a merge holds what it was made of");
        let again = merge(whole, Side { blob: below, oid: OIDS[0] }, std::slice::from_ref(below));
        same(&again, &merged, "an ancestor brings nothing");
    }
    let imported = import(a, b.blob);
    reads_back(&imported);
    same(&join(&imported, a.blob), &imported, "an import holds what was here");
}

fn same(a: &Blob, b: &Blob, law: &str) {
    assert!(a == b, "{law}:\n{}{}", text(a), text(b));
}

fn reads_back(blob: &Blob) {
    match Blob::parse(&blob.to_bytes()) {
        Ok(again) => same(&again, blob, "what is printed reads back"),
        Err(error) => panic!("{error}: {}", text(blob)),
    }
}

fn text(blob: &Blob) -> String {
    String::from_utf8_lossy(&blob.to_bytes()).into_owned()
}

fn texts(data: &[u8]) -> (Vec<Blob>, Vec<Blob>) {
    let mut blobs: Vec<Blob> = data.split(|byte| *byte == b'\n').take(6).flat_map(Blob::parse).collect();
    let bases = blobs.split_off(blobs.len().min(3));
    (blobs, bases)
}

/// Runs the writes; what three replicas have at the end, and some states on the way as merge bases.
fn replicas(data: &[u8]) -> (Vec<Blob>, Vec<Blob>) {
    let mut bytes = Bytes::new(data);
    let mut blobs: Vec<Blob> = (0..3).map(|_| begin(&mut bytes)).collect();
    let mut bases = Vec::new();
    for _ in 0..20 {
        if bytes.is_empty() {
            break;
        }
        let at = bytes.below(3);
        match bytes.below(10) {
            0 => bases.push(blobs[at].clone()),
            1 | 2 => {
                let from = bytes.below(3);
                let known = if bytes.below(2) == 0 { &bases[..] } else { &[] };
                let (ours, theirs) =
                    (Side { blob: &blobs[at], oid: OIDS[at] }, Side { blob: &blobs[from], oid: OIDS[from] });
                blobs[at] = merge(ours, theirs, known);
                reads_back(&blobs[at]);
            }
            way => {
                let mut next = blobs[at].clone();
                write(&mut next, way, &mut bytes);
                // A write can make what no reader takes, and what is not taken is never joined.
                if Blob::parse(&next.to_bytes()).is_ok_and(|read| read == next) {
                    blobs[at] = next;
                }
            }
        }
    }
    bases.truncate(4);
    (blobs, bases)
}

fn begin(bytes: &mut Bytes<'_>) -> Blob {
    let writer = writer(bytes, Stamp::default());
    Blob::new(Some(Stamp::new(1, 1)).filter(|_| bytes.below(8) > 0), &writer)
}

fn writer(bytes: &mut Bytes<'_>, seen: Stamp) -> Writer {
    let at = match bytes.below(4) {
        0 => Stamp::after(seen, 0, u128::from(bytes.byte())),
        _ => Stamp::new(u64::from(bytes.byte()) % 6, 7),
    };
    let by = bytes.one(&["ann", "bob", "", "ü"]).to_string();
    Writer { at, by, millis: u64::from(bytes.byte()) * 500 }
}

fn write(blob: &mut Blob, way: usize, bytes: &mut Bytes<'_>) {
    let writer = writer(bytes, blob.newest());
    let key = *bytes.one(&REGISTERS);
    match way {
        3 => _ = blob.set(&writer, key, bytes.value()),
        4 => blob.put(&writer, key, bytes.value()),
        5 => _ = blob.mark(&writer, bytes.one::<&str>(&SETS), bytes.one::<&str>(&MEMBERS), bytes.below(2) == 0),
        6 => {
            let element = Element { live: bytes.below(2) == 0, at: writer.at, payload: object(bytes) };
            let set = blob.sets.entry(bytes.one(&SETS).to_string()).or_default();
            set.insert(bytes.one(&MEMBERS).to_string(), element);
        }
        7 => blob.settle(key, writer.at),
        8 => {
            let lost = if bytes.below(3) == 0 { Lost::Settled(writer.at) } else { Lost::Record(object(bytes)) };
            blob.lost.insert(format!("{key}@{}", writer.at), lost);
        }
        _ if bytes.below(8) == 0 => {
            blob.purge(writer.at);
            blob.epoch = Some(1).filter(|_| bytes.below(2) == 0);
        }
        _ => {
            (blob.v, blob.min_reader) = (1 + i64::from(bytes.byte() % 3), 1 + i64::from(bytes.byte() % 3));
            if let Ok(value) = canonical_json::parse(bytes.text().as_bytes()) {
                blob.put(&writer, key, value);
            }
        }
    }
}

fn object(bytes: &mut Bytes<'_>) -> Map<String, Value> {
    match bytes.object() {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
