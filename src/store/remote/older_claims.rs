//! Claim refs of versions before this one: one for each issue, which counted more than what the main ref says. They are read for
//! one release, so that nothing is started here that an older clone holds by such a ref alone.

use gix::refs::FullName;

use super::Remotes;
use crate::model::claim::LONGEST_LEASE;
use crate::model::id::is_format;
use crate::model::{Party, Stamp, Uid, canonical_json};
use crate::store::{Cancel, Oid, Result};

/// The namespace, unless this key named another.
const SPACE: (&str, &str) = ("beads.claimsRef", "refs/beads/claims/");
/// The longest text, in bytes.
const LONGEST: usize = 1 << 10;
/// The characters of a nonce that were the mark of the clone.
const MARKED: usize = 8;
const LONGEST_AGENT: usize = 64;
const LONGEST_PERSON: usize = 250;
/// So many refs are fetched by one command.
const MOST_NAMES: usize = 200;

/// A claim that an older clone holds by a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OlderClaim {
    pub(crate) issue: Uid,
    /// The one that holds it; none where the text can't be read.
    pub(crate) holder: Option<Party>,
    /// The mark of its clone.
    pub(crate) clone: String,
    /// The time at which it was made, in milliseconds.
    pub(crate) at: u64,
    /// The minutes of its lease.
    pub(crate) lease: u32,
    oid: Oid,
}

impl Remotes<'_> {
    /// Returns the claims that older clones hold at a remote; those that were given back are none.
    /// Errors: a remote that can't be asked.
    pub(crate) fn older_claims(self, remote: &str, cancel: &Cancel) -> Result<Vec<OlderClaim>> {
        let space = self.claims_space();
        let mut command = self.exchanging(remote)?;
        command.args(["ls-remote", "--refs", "--end-of-options", remote]);
        let output = self.exchange(remote, command.arg(format!("{space}*")), cancel)?;
        self.transport("ls-remote", remote, &output)?;
        let mut found: Vec<(Uid, Oid)> = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let Some((hex, name)) = line.split_once('\t')
                && let Some(oid) = Oid::parse(hex)
                && let Some(Ok(uid)) = name.strip_prefix(&space).map(str::parse)
            {
                found.push((uid, oid));
            }
        }
        self.bring_claims(remote, &found, cancel)?;
        let claim = |(issue, oid)| self.claim_of(issue, oid);
        Ok(found.into_iter().filter_map(claim).collect())
    }

    /// Fetches the texts of claims into no ref; one that has gone since counts as one that can't be read.
    fn bring_claims(self, remote: &str, claims: &[(Uid, Oid)], cancel: &Cancel) -> Result<()> {
        let space = self.claims_space();
        let missing = claims.iter().filter(|(_, oid)| self.text(*oid).is_none());
        let names: Vec<String> = missing.map(|(uid, _)| format!("{space}{uid}")).collect();
        for names in names.chunks(MOST_NAMES) {
            let mut command = self.exchanging(remote)?;
            command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch"]);
            command.args([
                "--refmap=",
                "--no-prune",
                "--no-tags",
                "--no-write-fetch-head",
            ]);
            command.args(["--no-recurse-submodules", "--end-of-options", remote]);
            self.exchange(remote, command.args(names), cancel)?;
        }
        Ok(())
    }

    /// Removes claims at a remote, as long as they are as they were found; false where the remote did not do so.
    /// Errors: a remote that can't be asked.
    pub(crate) fn remove_older_claims(
        self,
        remote: &str,
        claims: &[OlderClaim],
        cancel: &Cancel,
    ) -> Result<bool> {
        if claims.is_empty() {
            // Without a name git would push a branch of the user's.
            return Ok(true);
        }
        let space = self.claims_space();
        let mut command = self.pushing(remote)?;
        for claim in claims {
            let (name, oid) = (format!("{space}{}", claim.issue), claim.oid);
            command.arg(format!("--force-with-lease={name}:{oid}"));
        }
        command.args(["--end-of-options", remote]);
        command.args(
            claims
                .iter()
                .map(|claim| format!(":{space}{}", claim.issue)),
        );
        let output = self.exchange(remote, &mut command, cancel)?;
        Ok(output.status.success())
    }

    /// Returns the name of the ref of a claim.
    pub(crate) fn older_claim_ref(self, claim: &OlderClaim) -> String {
        format!("{}{}", self.claims_space(), claim.issue)
    }

    fn claims_space(self) -> String {
        let named = self.store.config(SPACE.0);
        let space = named.map(|named| format!("{}/", named.trim_end_matches('/')));
        let is_sound = |space: &String| {
            space.starts_with("refs/") && FullName::try_from(format!("{space}x")).is_ok()
        };
        space.filter(is_sound).unwrap_or_else(|| SPACE.1.to_owned())
    }

    fn text(self, oid: Oid) -> Option<String> {
        let object = self.store.repo.find_object(oid.0).ok()?;
        let commit = object.try_into_commit().ok()?;
        String::from_utf8(commit.message_raw().ok()?.to_vec()).ok()
    }

    /// Returns a claim by its object; none of one that is given back. What can't be read is held by someone.
    fn claim_of(self, issue: Uid, oid: Oid) -> Option<OlderClaim> {
        let unknown = OlderClaim {
            issue,
            holder: None,
            clone: String::new(),
            at: 0,
            lease: 0,
            oid,
        };
        let text = self.text(oid).filter(|text| text.len() <= LONGEST);
        let value = text.and_then(|text| canonical_json::parse(text.trim().as_bytes()).ok());
        let Some(value) = value else {
            return Some(unknown);
        };
        if value["state"] == "free" {
            return None;
        }
        let person = value["person"].as_str().filter(|name| is_person(name));
        let agent = value["agent"].as_str().filter(|name| is_agent(name));
        let nonce = value["nonce"].as_str().unwrap_or_default();
        let mark = nonce.get(nonce.len().saturating_sub(MARKED)..);
        let made: Option<Stamp> = nonce.parse().ok();
        Some(OlderClaim {
            holder: person.map(|person| Party {
                person: person.to_owned(),
                agent: agent.map(str::to_owned),
            }),
            clone: mark
                .filter(|mark| is_agent(mark))
                .unwrap_or_default()
                .to_owned(),
            at: made.map_or(0, Stamp::millis),
            lease: value["lease"]
                .as_u64()
                .map_or(0, |minutes| minutes.min(LONGEST_LEASE.into()) as u32),
            ..unknown
        })
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
