//! The object of a claim at a remote: who has an issue, until when, and under which number.
//!
//! It is text of others, and read strictly. The nonce is one for each claim: git answers that nothing is to do where a
//! new value is already there, so of two equal objects both would win.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::canonical_json::{canonical, parse};
use super::claim::{AGENT, LONGEST_LEASE, Party};
use super::id::is_format;
use super::stamp::Uid;

/// The longest text, in bytes.
const LONGEST: usize = 1 << 10;
/// The largest number that all programs which read JSON read alike.
const LARGEST: u64 = 1 << 53;
/// The characters of a nonce that are the mark of the clone.
const MARKED: usize = 8;
const LONGEST_AGENT: usize = 64;
const LONGEST_PERSON: usize = 250;
/// The text of a claim that is given back, where a remote lets nothing be deleted.
pub(crate) const FREE: &str = r#"{"state":"free","v":1}"#;

/// A claim at a remote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseRecord {
    pub(crate) holder: Party,
    /// Raised by each beat of its holder.
    pub(crate) beat: u64,
    /// Raised by each takeover.
    pub(crate) fence: u64,
    /// The minutes without a beat after which it is over.
    pub(crate) minutes: u32,
    pub(crate) nonce: String,
}

impl LeaseRecord {
    /// Returns the text of the object for an issue.
    pub(crate) fn encode(&self, uid: Uid) -> String {
        canonical(&json!({
            "agent": self.holder.agent,
            "beat": self.beat,
            "fence": self.fence,
            "lease": self.minutes,
            "nonce": self.nonce,
            "person": self.holder.person,
            "state": "held",
            "uid": uid,
            "v": 1,
        }))
    }

    /// Parses the text of the object of an issue; none where it is none, or is given back.
    pub(crate) fn parse(text: &str, uid: Uid) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let value = parse(text.as_bytes()).ok()?;
        let is_ours =
            value["v"] == 1 && value["state"] == "held" && value["uid"] == uid.to_string();
        let person = value["person"].as_str().filter(|name| is_person(name))?;
        let agent = match &value[AGENT] {
            Value::Null => None,
            Value::String(name) if is_agent(name) => Some(name.clone()),
            _ => return None,
        };
        let minutes = u32::try_from(value["lease"].as_u64()?).unwrap_or(LONGEST_LEASE);
        is_ours.then_some(Self {
            holder: Party {
                person: person.to_owned(),
                agent,
            },
            beat: value["beat"].as_u64().filter(|beat| *beat < LARGEST)?,
            fence: value["fence"].as_u64().filter(|fence| *fence < LARGEST)?,
            minutes: minutes.clamp(1, LONGEST_LEASE),
            nonce: value["nonce"]
                .as_str()
                .filter(|nonce| !nonce.is_empty())?
                .to_owned(),
        })
    }

    /// Returns true if it is the same claim, perhaps after a beat.
    pub(crate) fn is_same_claim(&self, other: &Self) -> bool {
        self.is_known() && self.nonce == other.nonce
    }

    /// Returns true if the clone with this mark has made it.
    pub(crate) fn is_of_clone(&self, mark: &str) -> bool {
        !mark.is_empty() && Self::mark_of(&self.nonce) == mark
    }

    /// Returns the part of a nonce that is the mark of the clone.
    pub(crate) fn mark_of(nonce: &str) -> &str {
        let at = nonce.len().saturating_sub(MARKED);
        nonce.get(at..).unwrap_or_default()
    }

    /// Returns a nonce that carries the mark of a clone; `stamp` is new.
    pub(crate) fn nonce(stamp: &str, mark: &str) -> String {
        let own = Self::mark_of(stamp);
        let stem = stamp.strip_suffix(own).unwrap_or(stamp);
        format!("{stem}{}", if mark.is_empty() { own } else { mark })
    }

    /// Returns true unless it stands for an object that can't be read.
    pub(crate) fn is_known(&self) -> bool {
        !self.nonce.is_empty()
    }

    /// Returns what counts in the place of an object that can't be read: held by someone, and over as any other.
    pub(crate) fn unknown(minutes: u32) -> Self {
        Self {
            holder: Party {
                person: "unknown".to_owned(),
                agent: None,
            },
            beat: 0,
            fence: 0,
            minutes,
            nonce: String::new(),
        }
    }
}

fn is_person(name: &str) -> bool {
    let is_shown = |c: char| !c.is_control() && !is_format(c);
    !name.trim().is_empty() && name.chars().count() <= LONGEST_PERSON && name.chars().all(is_shown)
}

fn is_agent(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=LONGEST_AGENT).contains(&name.len()) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> LeaseRecord {
        LeaseRecord {
            holder: Party {
                person: "ann".to_owned(),
                agent: Some("claude-3f2ak".to_owned()),
            },
            beat: 7,
            fence: 3,
            minutes: 30,
            nonce: "01K8G5S2F0000000000000003M".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let uid = Uid::after(Uid::default(), 1, 1);
        let text = record().encode(uid);
        assert!(text.starts_with(r#"{"agent":"claude-3f2ak","beat":7,"fence":3,"lease":30,"#));
        assert_eq!(LeaseRecord::parse(&text, uid), Some(record()));
    }

    #[test]
    fn what_others_make_up_is_none() {
        let uid = Uid::after(Uid::default(), 1, 1);
        let text = record().encode(uid);
        let other = Uid::after(uid, 2, 2);
        assert_eq!(LeaseRecord::parse(&text, other), None);
        for (from, to) in [
            ("\"v\":1", "\"v\":2"),
            ("held", "free"),
            ("\"ann\"", "\"a\\u001b[31m\""),
            ("\"ann\"", "\"a\\u202eb\""),
            ("\"ann\"", "7"),
            ("claude-3f2ak", "../x"),
            ("claude-3f2ak", "a b"),
            ("\"beat\":7", "\"beat\":-7"),
            ("\"fence\":3", "\"fence\":9223372036854775807"),
            ("01K8G5S2F0000000000000003M", ""),
            ("\"lease\":30", "\"lease\":\"30\""),
        ] {
            assert!(text.contains(from), "{from}");
            assert_eq!(
                LeaseRecord::parse(&text.replace(from, to), uid),
                None,
                "{to}"
            );
        }
        let long = text.replace("ann", &"a".repeat(2000));
        assert_eq!(LeaseRecord::parse(&long, uid), None);
        assert_eq!(LeaseRecord::parse(FREE, uid), None);
        let clamped = LeaseRecord::parse(&text.replace(":30", ":999999999999"), uid).unwrap();
        assert_eq!(clamped.minutes, LONGEST_LEASE);
    }
}
