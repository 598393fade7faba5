//! The ids that issues of another tracker get here.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::index::FollowedIssue;
use crate::model::Uid;
use crate::model::sources::{NewId, SourceIssue, SourceKey};
use crate::ops::{Result, View};

/// The prefix of the first project.
const USUAL: &str = "gh";

/// Returns the id of each issue: the one that it has, or a new one. A project whose numbers are its own gets a prefix that
/// no other project has.
pub(super) fn given(
    view: &View<'_>,
    issues: &[(&SourceIssue, Uid)],
    here: &[FollowedIssue],
    prefix: Option<&str>,
) -> Result<Vec<String>> {
    let mut prefixes = Prefixes::of(here);
    let mut taken = HashSet::new();
    let mut ids = Vec::with_capacity(issues.len());
    for (issue, uid) in issues {
        if let Some(id) = view.index.ids().bare_id_of(*uid)? {
            ids.push(id);
            continue;
        }
        let wanted = match &issue.id {
            // A bare number gets the prefix that was asked for.
            NewId::Same(id) => {
                let id = match prefix.filter(|_| !id.contains('-')) {
                    Some(prefix) => format!("{prefix}-{id}"),
                    None => id.clone(),
                };
                let others = (2..100).map(|n| format!("{id}-{n}"));
                std::iter::once(id.clone()).chain(others).collect()
            }
            NewId::Numbered => prefixes.ids(prefix, &issue.key),
        };
        let mut id = String::new();
        for candidate in wanted {
            id = candidate;
            if !taken.contains(&id) && view.index.ids().meant_by(&id)?.is_none() {
                break;
            }
        }
        taken.insert(id.clone());
        ids.push(id);
    }
    Ok(ids)
}

/// The prefixes of the projects that are followed here.
struct Prefixes {
    places: BTreeMap<String, String>,
    used: BTreeSet<String>,
}

impl Prefixes {
    fn of(here: &[FollowedIssue]) -> Self {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for issue in here {
            for key in issue.places.split(' ').filter_map(SourceKey::parse) {
                let prefix = issue.id.strip_suffix(&key.number);
                if let Some(prefix) = prefix.and_then(|it| it.strip_suffix('-')) {
                    let pair = (key.place(), prefix.to_owned());
                    *counts.entry(pair).or_default() += 1;
                }
            }
        }
        let mut all = Self {
            places: BTreeMap::new(),
            used: counts.keys().map(|(_, prefix)| prefix.clone()).collect(),
        };
        // That of most of its issues: one that was renamed says nothing of the others.
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| *count);
        for ((place, prefix), _) in counts {
            all.places.insert(place, prefix);
        }
        all
    }

    /// Returns the ids that an issue may get, the best first.
    fn ids(&mut self, asked: Option<&str>, key: &SourceKey) -> Vec<String> {
        let place = key.place();
        if let Some(asked) = asked {
            self.places.insert(place.clone(), asked.to_owned());
        }
        let numbered = (2..10_000).map(|n| format!("{USUAL}{n}"));
        let mut all = std::iter::once(USUAL.to_owned()).chain(numbered);
        let own = self.places.entry(place).or_insert_with(|| {
            let free = all.find(|prefix| !self.used.contains(prefix));
            free.unwrap_or_else(|| USUAL.to_owned())
        });
        self.used.insert(own.clone());
        let others = (2..100).map(|n| format!("{own}-{}-{n}", key.number));
        let first = format!("{own}-{}", key.number);
        std::iter::once(first).chain(others).collect()
    }
}
