//! Ids and the other small texts: what is accepted reads back the same, and never holds what could steer.

#![no_main]

use git_beads::model::id::{self, IssueId};
use git_beads::model::issue::{known_word, parse_priority};
use git_beads::model::limits::check_word;
use git_beads::model::memory::{self, MemoryKind};
use git_beads::model::stamp::MAX_MILLIS;
use git_beads::model::{Stamp, Status, Uid, blob, date, time};
use git_beads::store::TreePath;
use libfuzzer_sys::fuzz_target;

const NOW: u64 = 1_763_637_600_000;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let number = rest.bytes().fold(0u128, |number, byte| number << 7 ^ number >> 100 ^ u128::from(byte));
    ids(first, rest, number);
    prefixes(first, number);
    aliases(first, rest);
    stamps(first, number);
    words(first);
    times(first);
});

fn ids(text: &str, other: &str, number: u128) {
    if let Some(n) = id::child_number(text, other) {
        assert!(other.starts_with(&format!("{text}.")) && other.ends_with(&n.to_string()));
    }
    assert!(text.ends_with(id::tail(text)) && !id::tail(text).contains('-'));
    let id = match IssueId::parse(text) {
        Ok(id) => id,
        Err(error) => return assert!(error.to_string().len() < 500),
    };
    assert_eq!((id.as_str(), id.to_string().as_str()), (text, text));
    assert!((1..=id::MAX_BYTES).contains(&text.len()) && !text.starts_with('-'));
    assert!(
        !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '~' | '/') || id::is_format(c))
    );
    let n = number as u64;
    match id.child(n) {
        Ok(child) => {
            assert_eq!(IssueId::parse(child.as_str()).as_ref(), Ok(&child));
            assert_eq!(id::child_number(text, child.as_str()), Some(n));
            assert_eq!(id::depth(child.as_str()), id::depth(text) + 1);
        }
        Err(id::IdError::TooDeep(_)) => assert!(id::depth(text) >= id::MAX_DEPTH),
        Err(_) => assert!(text.len() + 1 + n.to_string().len() > id::MAX_BYTES),
    }
}

fn prefixes(text: &str, number: u128) {
    if id::check_prefix(text).is_err() {
        return;
    }
    for length in [4, 12] {
        let minted = id::mint(text, length, number);
        assert_eq!(IssueId::parse(minted.as_str()).as_ref(), Ok(&minted));
        let tail = minted.as_str().strip_prefix(&format!("{text}-")).expect("the prefix comes first");
        assert_eq!((tail, tail.len()), (id::tail(minted.as_str()), length as usize));
        assert!(tail.bytes().any(|byte| byte.is_ascii_alphabetic()));
    }
}

/// An alias can't be taken for an id, nor for another alias.
fn aliases(text: &str, seed: &str) {
    let mut holders: Vec<Uid> =
        seed.bytes().take(5).map(|byte| Stamp::new(u64::from(byte >> 5), byte.into())).collect();
    holders.sort();
    holders.dedup();
    let names: Vec<String> = (0..holders.len()).map(|i| id::alias(text, &holders, i)).collect();
    for (i, name) in names.iter().enumerate() {
        assert_eq!(i > 0, name != text);
        assert!(i == 0 || IssueId::parse(name).is_err());
        assert!(names.iter().skip(i + 1).all(|other| other != name), "{names:?}");
    }
}

fn stamps(text: &str, number: u128) {
    if let Some(path) = TreePath::parse(text) {
        assert_eq!(path.to_string(), text);
    }
    if let Some((register, stamp)) = blob::lost_key(text) {
        assert_eq!(format!("{register}@{stamp}"), text);
    }
    let Ok(stamp) = text.parse::<Stamp>() else { return };
    assert_eq!(stamp.to_string(), text);
    assert_eq!(Stamp::from_bytes(stamp.to_bytes()), stamp);
    for path in [TreePath::Issue(stamp), TreePath::Note(stamp), TreePath::Entry(stamp, Stamp::new(NOW, number))] {
        assert_eq!(TreePath::parse(&path.to_string()), Some(path));
    }
    let next = Stamp::after(stamp, NOW, number);
    assert!(next > stamp || stamp.millis() + 1 == MAX_MILLIS, "only the end of time has no successor");
    assert_eq!(next.to_string().parse::<Stamp>().expect("a stamp that we make is one"), next);
}

fn words(text: &str) {
    assert_eq!(Status::new(text).as_str(), text);
    if let Some(status) = Status::parse(text) {
        assert_eq!(Status::parse(status.as_str()), Some(status));
    }
    assert!(parse_priority(text).is_ok_and(|n| (0..=4).contains(&n)) || parse_priority(text).is_err());
    assert_eq!(known_word(&known_word(text)), known_word(text));
    assert!(check_word("a type", text).is_err() || !text.contains([' ', '\n', ':', '/']));
    let (kind, said) = memory::classify(text);
    assert!(text.contains(said) && (kind == MemoryKind::Comment) == (said == text));
    for kind in [MemoryKind::Finding, MemoryKind::Decision, MemoryKind::Comment] {
        assert!(text.contains(memory::clean(kind, text)));
    }
}

fn times(text: &str) {
    let [past, future] = date::both_sides(text, NOW).map(|found| {
        found.map(|(first, last)| {
            assert!(first <= last);
            last
        })
    });
    for millis in [time::parse(text), past, future].into_iter().flatten() {
        let shown = time::format(millis);
        let again = time::parse(&shown).expect("a time that we show is one");
        assert!(again == millis || again < millis && time::format(u64::MAX) == shown, "{millis} {shown}");
        assert_eq!(time::day(millis), shown[..shown.find('T').expect("a day and a time")]);
    }
}
