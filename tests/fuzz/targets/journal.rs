//! A journal: whatever lies in it is read as records or counted as damage, and a record that is whole is read,
//! whatever lies beside it.
//!
//! An input is cut at each `\nbj1`. A piece that begins with `=` is framed as a whole record is, with the rest as
//! its body; any other piece goes in as it is.

#![no_main]

use git_beads::store::journal::parse;
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const START: &[u8] = b"\nbj1";

fuzz_target!(|data: &[u8]| {
    let _ = parse(data);
    let mut journal = format!("git-beads journal 1 {SECRET}\n").into_bytes();
    assert_eq!(parse(&journal).counts(), (0, 0));
    let mut whole = 0;
    for piece in pieces(data) {
        match piece.strip_prefix(b"=") {
            Some(body) => {
                journal.extend(frame(body));
                let alone = [journal_of(&frame(body))].concat();
                whole += parse(&alone).counts().0;
            }
            None => journal.extend(piece),
        }
    }
    let (records, damage) = parse(&journal).counts();
    assert!(records >= whole, "{records} of {whole}: noise hides a record");
    assert!(records + damage <= journal.len());
    let good = good();
    journal.extend(&good);
    assert_eq!(parse(&journal).counts().0, records + 1, "a record after damage is read");
    if let Some(half) = journal.get(..journal.len() - good.len() / 2) {
        assert_eq!(parse(half).counts().0, records, "half a record is none");
    }
});

fn pieces(data: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(START.len()).position(|window| window == START) {
        pieces.push(&rest[..at]);
        rest = &rest[at + START.len()..];
    }
    pieces.push(rest);
    pieces
}

fn journal_of(record: &[u8]) -> Vec<u8> {
    [format!("git-beads journal 1 {SECRET}\n").as_bytes(), record].concat()
}

fn frame(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).expect("an input is small").to_le_bytes();
    let check = Sha256::new().chain_update(SECRET).chain_update(body).finalize();
    [START, &length, &check[..16], body, &length].concat()
}

/// A move with one blob.
fn good() -> Vec<u8> {
    let mut body = b"m\0\0\0\0\x04boot\0\x28".to_vec();
    body.extend([b'7'; 40]);
    body.extend(b"\x01\0\0\0b\x04\0\0\0text");
    let framed = frame(&body);
    assert_eq!(parse(&journal_of(&framed)).counts(), (1, 0));
    framed
}
