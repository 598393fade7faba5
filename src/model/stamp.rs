//! Stamps: ULIDs used as a hybrid logical clock.
//!
//! Stamps order writes; they do not tell time. A new stamp exceeds every stamp its writer has seen,
//! so a write that knew of another always beats it, however wrong the clocks are.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};
use ulid::Ulid;

/// Times at or past this bound (milliseconds) are refused, so that every stamp has a successor.
pub const MAX_MILLIS: u64 = 1 << 47;
const RANDOM_BITS: u32 = 80;
/// Bits of the step of a writer whose clock is behind: far less than a millisecond.
const STEP_BITS: u32 = 72;

/// A ULID: 48 bits of milliseconds since 1970, 80 of randomness. Also the identity of issues.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(u128);

/// Identity of an issue, a memory entry or a store; never changes.
pub type Uid = Stamp;

/// A text that is not a stamp.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a stamp (26 characters of upper-case Crockford base 32)")]
pub struct BadStamp(String);

impl Stamp {
    /// Makes a stamp of a time (clamped below 2^47 ms) and 80 random bits.
    pub fn new(millis: u64, random: u128) -> Self {
        let millis = millis.min(MAX_MILLIS - 1);
        Self((u128::from(millis) << RANDOM_BITS) | (random & ((1 << RANDOM_BITS) - 1)))
    }

    /// Returns the stamp for a write at `millis` whose author has seen `seen`.
    ///
    /// A writer whose clock is behind continues from the stamp it has seen by a random step: two of
    /// them must not make the same stamp, or one of their writes is lost. A stamp at the end of
    /// time, which only a forger makes, has no successor: then the stamp is that of the clock, so
    /// that it can be read and differs from all others.
    pub fn after(seen: Self, millis: u64, random: u128) -> Self {
        let fresh = Self::new(millis, random);
        if fresh > seen {
            return fresh;
        }
        // At least one more than `seen`, so that stamps of one writer only rise.
        let next = Self(seen.0.saturating_add(1 + (random & ((1 << STEP_BITS) - 1))));
        if next.millis() < MAX_MILLIS {
            next
        } else {
            fresh
        }
    }

    /// Returns the milliseconds since 1970 in the stamp.
    pub fn millis(self) -> u64 {
        u64::try_from(self.0 >> RANDOM_BITS).unwrap_or(MAX_MILLIS)
    }

    /// Returns the 128-bit number, big-endian.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// Converts the bytes of [`Stamp::to_bytes`] back.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// Returns the last three hexadecimal digits of the 128-bit number, in the order written.
    pub fn shard(self) -> [char; 3] {
        // From the end, which is random: the beginning is time, and would put new issues into one folder.
        let digit = |shift: u32| char::from_digit((self.0 >> shift) as u32 & 15, 16).unwrap_or('0');
        [digit(8), digit(4), digit(0)]
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; ulid::ULID_LEN];
        f.write_str(Ulid(self.0).array_to_str(&mut buffer))
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Stamp {
    type Err = BadStamp;

    /// Accepts the canonical text only: the ulid crate also takes lower case and truncates overflow.
    fn from_str(text: &str) -> Result<Self, BadStamp> {
        let bad = || BadStamp(text.chars().take(40).collect());
        let ulid = Ulid::from_string(text).map_err(|_| bad())?;
        let stamp = Self(ulid.0);
        if stamp.to_string() == text && stamp.millis() < MAX_MILLIS {
            Ok(stamp)
        } else {
            Err(bad())
        }
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_canonical_text_is_a_stamp() {
        let stamp = Stamp::new(1_700_000_000_000, 42);
        assert_eq!(stamp.to_string().parse::<Stamp>().unwrap(), stamp);
        for bad in [
            "",
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "01jd3z8k6v0qx5t9m2w4c7b1ra",
            "01JD3Z8K6V0QX5T9M2W4C7B1RI",
            "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        ] {
            assert!(bad.parse::<Stamp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_stamp_after_the_last_one_can_be_read() {
        let last: Stamp = "3ZZZZZZZZZZZZZZZZZZZZZZZZZ".parse().unwrap();
        let next = Stamp::after(last, 1_700_000_000_000, 42);
        assert_eq!(
            next.to_string().parse::<Stamp>().unwrap(),
            Stamp::new(1_700_000_000_000, 42)
        );
    }

    #[test]
    fn shards_are_the_last_hex_digits() {
        assert_eq!(Stamp::new(1, 0xabc).shard(), ['a', 'b', 'c']);
    }

    proptest! {
        #[test]
        fn a_new_stamp_exceeds_what_was_seen(ms in 0..MAX_MILLIS, seen_ms in 0..MAX_MILLIS, a: u128, b: u128) {
            let seen = Stamp::new(seen_ms, a);
            let next = Stamp::after(seen, ms, b);
            prop_assert!(next > seen);
            prop_assert_eq!(next.to_string() > seen.to_string(), true);
        }
    }
}
