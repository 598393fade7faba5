//! The agent that acts: one session of a client, by a name that says nothing of the machine.

use sha2::{Digest, Sha256};

use crate::env::Env;
use crate::env::agent::{self, CLIENTS, ClientSession};
use crate::platform::Process;
use crate::store::Store;

use super::{Error, Hint, Result};

/// The letters of a name: base 32 in lower case.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Number of letters of a session: 25 bits.
const LETTER_COUNT: u32 = 5;
/// Number of characters of a name that are kept.
const LONGEST: usize = 64;

/// An agent, and what it was known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActingAgent {
    pub(crate) name: String,
    pub(crate) source: String,
    session: ClientSession,
}

/// What a front end says of the agent that calls it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// The name that is given for it, and where.
    pub(crate) name: Option<(String, &'static str)>,
    /// True if the call did not give the name: it is that of the claim of its issue.
    pub(crate) recalled: bool,
    /// The session that the request names.
    pub(crate) session: Option<ClientSession>,
    /// The client, where this process serves one: then an agent acts in any case.
    pub(crate) client: Option<String>,
}

impl ActingAgent {
    /// Finds the agent that acts in a store for a person; none where a person does.
    pub(super) fn find(store: &Store, asked: &Asked, person: &str) -> Option<Self> {
        let name = asked
            .name
            .as_ref()
            .map(|(name, place)| (clean(own_name(person, name)), *place));
        let name = name.filter(|(name, _)| !name.is_empty());
        // The cheap question first: most commands are those of a person.
        let session = match &name {
            Some((name, place)) if asked.client.is_none() || is_full(name) => {
                Some(ClientSession::Named {
                    name: name.clone(),
                    source: (*place).to_owned(),
                })
            }
            _ => session(store, asked),
        }?;
        if store.config_bool("beads.agents") == Some(false) {
            return None;
        }
        let agent = Self::of(store, session, person)?;
        Some(match name {
            // A part of the session: its name goes behind it.
            Some((name, place)) if asked.client.is_some() && !is_full(&name) => Self {
                name: cut(&format!("{}.{name}", agent.name)),
                source: format!("{place}, {}", agent.source),
                session: agent.session,
            },
            _ => agent,
        })
    }

    /// Returns the process of its client, where that can be found.
    pub(super) fn client_process<'e>(&self, env: &'e Env) -> Option<&'e Process> {
        agent::client_process(env, &self.session)
    }

    fn of(store: &Store, session: ClientSession, person: &str) -> Option<Self> {
        let (name, source) = match &session {
            ClientSession::Named { name, source } => {
                (clean(own_name(person, name)), source.clone())
            }
            ClientSession::Known { client, id, source } => {
                let letters = short_hash(&format!("{}\0{client}\0{id}", store_id(store)?));
                (format!("{client}-{letters}"), source.clone())
            }
        };
        (!name.is_empty()).then_some(Self {
            name,
            source,
            session,
        })
    }
}

/// Returns the name of an agent without that of its person before it, as lists show both.
fn own_name<'n>(person: &str, name: &'n str) -> &'n str {
    let rest = name.trim().strip_prefix(person);
    rest.and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
}

/// Refuses a name as lists show it, of an agent of another person than the one that acts.
pub(crate) fn check_own(person: &str, name: &str) -> Result<()> {
    // More than one slash is no name as lists show it, but any text: its plain characters are a name.
    match own_name(person, name).split_once('/') {
        Some((other, agent)) if !other.is_empty() && !agent.contains('/') => Err(Error::invalid(
            format!("{name} would be an agent of {other}, and {person} acts"),
        )
        .hinted(Hint::text(
            "--actor names another person, --agent the agent alone",
        ))),
        _ => Ok(()),
    }
}

/// Returns the session that acts, by the first source that names one.
fn session(store: &Store, asked: &Asked) -> Option<ClientSession> {
    if let Some(session) = &asked.session {
        return Some(session.clone());
    }
    let env = store.env();
    // A server never acts for a person at a terminal, so the variable can't say so.
    if asked.client.is_none() && agent::is_person(env) {
        return None;
    }
    let place = || store.git_dir().display().to_string();
    let of_server = || {
        let client = asked.client.as_deref()?;
        let client = agent::family(client).unwrap_or_else(|| "mcp".to_owned());
        Some(agent::of_process(env, client, "MCP server", &place()))
    };
    if let Some(named) = agent::named(env) {
        return Some(named);
    }
    // Most commands are those of a person: each variable of a client is looked at once.
    if asked.client.is_none() && !agent::is_within_client(env) {
        return None;
    }
    begun(store)
        .or_else(|| agent::session(env))
        .or_else(|| agent::marked(env, place))
        .or_else(of_server)
}

/// Returns the session that a client has begun last in its process, as its hook has noted it: what it says of itself in
/// the environment of its shells and of its server can be older.
fn begun(store: &Store) -> Option<ClientSession> {
    let session = store
        .agents()
        .session_of(agent::nearest_client(store.env())?)?;
    Some(agent::begun(session))
}

/// Returns the id by which the store is the same in all its clones; none before there is a store.
fn store_id(store: &Store) -> Option<String> {
    store.tip().ok()??;
    let meta = store.snapshot().ok()?.meta().ok()?;
    // The oldest: others come when stores are joined.
    meta.live("stores").map(|(id, _)| id.to_owned()).min()
}

/// Returns the first 25 bits of the hash of a text, as five digits and lower-case letters.
pub(crate) fn short_hash(text: &str) -> String {
    let hash = Sha256::digest(text);
    let bits = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    (1..=LETTER_COUNT)
        .map(|n| char::from(LETTERS[(bits >> (32 - 5 * n)) as usize % LETTERS.len()]))
        .collect()
}

/// Returns whether a name is that of an agent, and not of a part of one: a client that is known, and its letters.
fn is_full(name: &str) -> bool {
    let session = name.split('.').next().unwrap_or_default();
    session.rsplit_once('-').is_some_and(|(client, letters)| {
        (CLIENTS.contains(&client) || client == "mcp")
            && letters.len() == LETTER_COUNT as usize
            && letters.bytes().all(|letter| LETTERS.contains(&letter))
    })
}

/// Returns a name with nothing in it that a trailer, a ref or a shell could stumble over. Where that changes it, letters
/// of the whole name distinguish it from others with the same plain characters.
fn clean(name: &str) -> String {
    let name = name.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.chars().all(is_plain) {
        return cut(name);
    }
    let shown = |c: char| if is_plain(c) { c } else { '-' };
    let plain: String = name.chars().map(shown).collect();
    shortened(&plain, name)
}

fn cut(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    shortened(name, name)
}

/// Returns the beginning of a name, and letters of the whole.
fn shortened(plain: &str, whole: &str) -> String {
    let begin: String = plain
        .chars()
        .take(LONGEST - 1 - LETTER_COUNT as usize)
        .collect();
    format!("{begin}-{}", short_hash(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_the_first_bits_of_the_hash() {
        // SHA-256 of nothing begins with e3b0c442.
        assert_eq!(short_hash(""), "werc8");
    }

    #[test]
    fn names_that_are_changed_still_differ() {
        assert_eq!(clean(" tests "), "tests");
        assert_eq!(clean(""), "");
        let (one, other) = (clean("Ärger"), clean("Örger"));
        assert!(one.starts_with("-rger-") && one != other, "{one} {other}");
        let long = "a".repeat(LONGEST);
        assert_eq!(clean(&long), long);
        let (one, other) = (clean(&format!("{long}1")), clean(&format!("{long}2")));
        assert!(one.len() == LONGEST && one != other, "{one} {other}");
    }

    #[test]
    fn a_part_of_a_session_is_no_name_of_its_own() {
        assert!(is_full("claude-3f2ak"));
        assert!(is_full("claude-3f2ak.tests"));
        for part in [
            "tests",
            "unit-tests",
            "claude",
            "claude-3f2a",
            "claude-ulids",
        ] {
            assert!(!is_full(part), "{part}");
        }
    }
}
