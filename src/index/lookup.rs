//! Ids: the issue that an argument names, ids in use, near misses.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{OptionalExtension, params_from_iter};

use super::rows::Name;
use super::statements::Statements;
use super::{Index, Result};
use crate::model::{Issue, Uid};

/// Number of near misses shown for an unknown id.
const NEAR: usize = 3;
/// Number of issues that an ambiguous beginning names.
const NAMED: usize = 10;

/// Result of looking up an id argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// Exactly one issue has the id.
    One(Uid),
    /// Several issues have exactly this id.
    Shared(Vec<(Uid, String)>),
    /// Several were known by exactly this id, and none has it now.
    Former(Vec<(Uid, String)>),
    /// Several begin with it: uid and id of each, at most ten.
    Ambiguous(Vec<(Uid, String)>),
    /// None; these come near.
    None(Vec<String>),
}

/// Ids of issues, and what an argument means by them.
#[derive(Clone, Copy)]
pub struct Ids<'a> {
    index: &'a Index<'a>,
}

/// An issue that is followed in other trackers, or names one there.
pub(crate) struct FollowedIssue {
    pub(crate) uid: Uid,
    /// Its stored id.
    pub(crate) id: String,
    /// Its places there, with a space between.
    pub(crate) places: String,
}

impl Index<'_> {
    /// Ids of issues, and what an argument means by them.
    pub fn ids(&self) -> Ids<'_> {
        Ids { index: self }
    }
}

impl Ids<'_> {
    /// Returns the id that is stored for an issue, also where another has the same.
    pub(crate) fn bare_id_of(self, uid: Uid) -> Result<Option<String>> {
        let sql = "SELECT id FROM issue WHERE uid = ?1";
        Ok(self.index.conn.value(sql, [uid]).optional()?)
    }

    /// Returns the issues that are followed in other trackers, or name an issue there.
    pub(crate) fn followed(self) -> Result<Vec<FollowedIssue>> {
        let sql = "SELECT uid, id, source FROM issue WHERE source IS NOT NULL ORDER BY uid";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(FollowedIssue {
                uid: row.get(0)?,
                id: row.get(1)?,
                places: row.get(2)?,
            })
        };
        Ok(self.index.conn.select(sql, [], read)?)
    }

    /// Returns the id an issue is shown under.
    pub(crate) fn id_of(self, uid: Uid) -> Result<Option<String>> {
        let sql = "SELECT shown FROM issue WHERE uid = ?1";
        Ok(self.index.conn.value(sql, [uid]).optional()?)
    }

    /// Returns id and title of an issue, if it exists.
    pub(crate) fn name_of(self, uid: Uid) -> Result<Option<Name>> {
        let sql =
            "SELECT shown, iif(unreadable IS NULL, title, ''), purged FROM issue WHERE uid = ?1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Name {
                id: row.get(0)?,
                title: row.get(1)?,
                is_purged: row.get(2)?,
            })
        };
        Ok(self.index.conn.first(sql, [uid], read)?)
    }

    /// Returns the issue that an actor created under a key.
    pub(crate) fn by_key(self, key: &str, creator: &str) -> Result<Option<Uid>> {
        let sql = "SELECT uid FROM issue WHERE key = ?1 AND creator = ?2 ORDER BY uid LIMIT 1";
        Ok(self.index.conn.value(sql, [key, creator]).optional()?)
    }

    /// Returns the ids that several issues have, as they are shown.
    pub fn shared(self) -> Result<Vec<String>> {
        let sql = "SELECT shown FROM issue WHERE shown <> id ORDER BY shown";
        Ok(self.index.conn.column(sql, [])?)
    }

    /// Returns the issues with exactly this id, if there are any.
    pub(crate) fn exact(self, id: &str) -> Result<Option<Lookup>> {
        let holders = self.ids(
            "SELECT uid, shown FROM issue WHERE id = ?1 ORDER BY uid",
            [id],
        )?;
        Ok(match holders.as_slice() {
            [] => None,
            [(uid, _)] => Some(Lookup::One(*uid)),
            _ => Some(Lookup::Shared(holders)),
        })
    }

    /// Finds the issue for an argument that is not a complete id: an id without its prefix, else
    /// the id that an issue was known by, else a unique beginning.
    pub fn lookup(self, argument: &str, prefix: &str) -> Result<Lookup> {
        if let Some(found) = self.exact(&format!("{prefix}-{argument}"))? {
            return Ok(found);
        }
        // A former id before any beginning: messages of commits name it, and they never change.
        for id in [argument, &format!("{prefix}-{argument}")] {
            match self.known_by(id)?.as_slice() {
                [] => {}
                [(uid, _)] => return Ok(Lookup::One(*uid)),
                several => return Ok(Lookup::Former(several.to_vec())),
            }
        }
        // With the suffix that distinguishes issues with one id.
        let shown = self.ids(
            "SELECT uid, shown FROM issue WHERE shown = ?1 AND id <> ?1",
            [argument],
        )?;
        if let [(uid, _)] = shown.as_slice() {
            return Ok(Lookup::One(*uid));
        }
        let tails = self.ids(
            "SELECT uid, shown FROM issue WHERE tail = ?1 ORDER BY uid LIMIT 10",
            [argument],
        )?;
        match tails.as_slice() {
            [] => {}
            [(uid, _)] => return Ok(Lookup::One(*uid)),
            _ => return Ok(Lookup::Ambiguous(tails)),
        }
        if let Ok(uid) = argument.parse::<Uid>()
            && self.index.ids().id_of(uid)?.is_some()
        {
            return Ok(Lookup::One(uid));
        }
        self.lookup_beginning(argument, prefix)
    }

    fn lookup_beginning(self, argument: &str, prefix: &str) -> Result<Lookup> {
        // The prefix alone is the beginning of everything and names nothing.
        if argument.trim_end_matches('-') == prefix {
            let first = self.ids("SELECT uid, shown FROM issue ORDER BY id LIMIT 10", [])?;
            return Ok(match first.len() {
                0 | 1 => Lookup::None(first.into_iter().map(|(_, id)| id).collect()),
                _ => Lookup::Ambiguous(first),
            });
        }
        let mut found: BTreeMap<String, Uid> = BTreeMap::new();
        for (column, from) in [
            ("id", argument.to_owned()),
            ("id", format!("{prefix}-{argument}")),
            ("tail", argument.to_owned()),
        ] {
            let roots = self.roots(column, from)?.into_iter();
            found.extend(roots.map(|(uid, id)| (id, uid)));
        }
        // The children of a match do not make it ambiguous.
        let inside = |id: &str| {
            id.rmatch_indices('.')
                .any(|(at, _)| found.contains_key(&id[..at]))
        };
        let roots: Vec<(Uid, String)> = found
            .iter()
            .filter(|(id, _)| !inside(id))
            .map(|(id, uid)| (*uid, id.clone()))
            .take(NAMED)
            .collect();
        match roots.len() {
            0 => self.lookup_place(argument),
            1 => Ok(Lookup::One(roots[0].0)),
            _ => Ok(Lookup::Ambiguous(roots)),
        }
    }

    /// Finds the issue that is followed at a place in another tracker: its address, `owner/repo#12`, or the number alone.
    fn lookup_place(self, argument: &str) -> Result<Lookup> {
        let mut found = Vec::new();
        if let Some(end) = place_of(argument) {
            let sql = "SELECT uid, shown, source FROM issue WHERE source IS NOT NULL ORDER BY uid";
            let read = |row: &rusqlite::Row<'_>| {
                let places: String = row.get(2)?;
                let is_meant = |place: &str| {
                    let before = place.strip_suffix(&end);
                    before.is_some_and(|it| {
                        it.is_empty() || it.ends_with('/') || end.starts_with('#')
                    })
                };
                let is_found = places.to_lowercase().split(' ').any(is_meant);
                Ok(match is_found {
                    true => Some((row.get(0)?, row.get(1)?)),
                    false => None,
                })
            };
            let rows: Vec<Option<(Uid, String)>> = self.index.conn.select(sql, [], read)?;
            found.extend(rows.into_iter().flatten().take(NAMED));
        }
        Ok(match found.as_slice() {
            [] => Lookup::None(self.near(argument)?),
            [(uid, _)] => Lookup::One(*uid),
            _ => Lookup::Ambiguous(found),
        })
    }

    /// Returns the first issues whose id or tail begins so, without their children: those are passed over, however many
    /// there are.
    fn roots(self, column: &str, from: String) -> Result<Vec<(Uid, String)>> {
        let to = format!("{from}\u{10ffff}");
        let next = format!(
            "SELECT {column} FROM issue WHERE {column} >= ?1 AND {column} < ?2 ORDER BY {column} LIMIT 1"
        );
        let named =
            format!("SELECT uid, shown FROM issue WHERE {column} = ?1 ORDER BY uid LIMIT {NAMED}");
        let (mut from, mut names, mut found) = (from, HashSet::new(), Vec::new());
        while names.len() < NAMED {
            let id: Option<String> = self.index.conn.value(&next, [&from, &to]).optional()?;
            let Some(id) = id else { break };
            let parents = id.rmatch_indices('.').map(|(at, _)| &id[..at]);
            from = match parents.into_iter().find(|parent| names.contains(*parent)) {
                // The sign after the full stop: behind all that is below this parent.
                Some(parent) => format!("{parent}/"),
                None => {
                    found.extend(self.ids(&named, [&id])?);
                    names.insert(id.clone());
                    format!("{id}\0")
                }
            };
        }
        Ok(found)
    }

    fn ids<const N: usize>(self, sql: &str, values: [&str; N]) -> Result<Vec<(Uid, String)>> {
        Ok(self
            .index
            .conn
            .select(sql, params_from_iter(values), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }

    /// Returns the ids that look most like an argument.
    fn near(self, argument: &str) -> Result<Vec<String>> {
        let mut scored: Vec<(f64, String)> = Vec::new();
        let argument = &argument.to_lowercase();
        for (_, id) in self.ids("SELECT uid, shown FROM issue", [])? {
            let lower = id.to_lowercase();
            let tail = crate::model::id::tail(&lower);
            let score = strsim::normalized_damerau_levenshtein(argument, &lower)
                .max(strsim::normalized_damerau_levenshtein(argument, tail));
            if score >= 0.6 {
                scored.push((score, id));
            }
        }
        scored.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(scored.into_iter().take(NEAR).map(|(_, id)| id).collect())
    }

    /// Returns whether another issue than `own` has an id or was known by it, deleted and purged ones included. For
    /// a new issue one statement is enough.
    pub(crate) fn is_taken(self, id: &str, own: Option<Uid>) -> Result<bool> {
        let Some(own) = own else {
            let sql = "SELECT EXISTS (SELECT 1 FROM issue WHERE id = ?1)
                       OR EXISTS (SELECT 1 FROM alias WHERE id = ?1)";
            return Ok(self.index.conn.value(sql, [id])?);
        };
        let is_other = |uid: &Uid| *uid != own;
        Ok(self.issues_with_id(id)?.iter().any(is_other)
            || self.known_by(id)?.iter().any(|(uid, _)| is_other(uid)))
    }

    /// Returns the issues that were known by an id, oldest first, with the ids they are shown
    /// under.
    fn known_by(self, id: &str) -> Result<Vec<(Uid, String)>> {
        self.ids(
            "SELECT uid, shown FROM alias JOIN issue ON issue.num = alias.issue WHERE alias.id = ?1
             ORDER BY uid",
            [id],
        )
    }

    /// Returns the issue that an id of an import means: the oldest that has it, else the oldest
    /// that was known by it.
    pub(crate) fn meant_by(self, id: &str) -> Result<Option<Uid>> {
        self.meant_by_record(id, 0)
    }

    /// Returns the issue that a record of an import means: as `meant_by`, but of several that have the
    /// id the one that was created when the record says.
    pub(crate) fn meant_by_record(self, id: &str, created: u64) -> Result<Option<Uid>> {
        let sql =
            "SELECT uid, id FROM issue WHERE id = ?1 ORDER BY created <> CAST(?2 AS INTEGER), uid";
        if let Some((uid, _)) = self.ids(sql, [id, &created.to_string()])?.first() {
            return Ok(Some(*uid));
        }
        Ok(self.known_by(id)?.first().map(|(uid, _)| *uid))
    }

    /// Returns all ids that mean an issue, its present one first: an alias means it where no issue
    /// has that id and no other was known by it.
    pub(crate) fn names_of(self, issue: &Issue) -> Result<Vec<String>> {
        let mut names = vec![issue.id().to_owned()];
        for alias in issue.aliases() {
            if self.issues_with_id(alias)?.is_empty() && self.known_by(alias)?.len() == 1 {
                names.push(alias.to_owned());
            }
        }
        Ok(names)
    }

    /// Returns all issues with an id, oldest first.
    pub(crate) fn issues_with_id(self, id: &str) -> Result<Vec<Uid>> {
        Ok(self
            .ids("SELECT uid, id FROM issue WHERE id = ?1 ORDER BY uid", [id])?
            .into_iter()
            .map(|(uid, _)| uid)
            .collect())
    }

    /// Returns the largest child number ever used below an id.
    pub(crate) fn last_child(self, id: &str) -> Result<u64> {
        // `/` comes right after `.`, and no id holds it.
        let (from, to) = (format!("{id}."), format!("{id}/"));
        let children = self.ids(
            "SELECT uid, id FROM issue WHERE id >= ?1 AND id < ?2",
            [&from, &to],
        )?;
        Ok(children
            .iter()
            .filter_map(|(_, child)| crate::model::id::child_number(id, child))
            .max()
            .unwrap_or(0))
    }

    /// Returns the number of issues, deleted ones included.
    pub(crate) fn known_ids(self) -> Result<u64> {
        self.index.counter("total")
    }
}

/// Returns the end of the place that an argument names in another tracker, in small letters; none where it names none.
fn place_of(argument: &str) -> Option<String> {
    let lower = argument.to_lowercase();
    let address = lower.split_once("://").map_or(&*lower, |(_, rest)| rest);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    if let Some((project, rest)) = address.split_once("/issues/") {
        let number = rest
            .split(['#', '?', '/'])
            .next()
            .filter(|it| is_number(it))?;
        return Some(format!("{}#{number}", project.trim_end_matches("/-")));
    }
    match lower.split_once('#') {
        Some((_, number)) => Some(lower.clone()).filter(|_| !number.is_empty()),
        None => is_number(&lower).then(|| format!("#{lower}")),
    }
}
