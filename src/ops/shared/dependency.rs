//! Dependencies: adding them, and refusing those that would close a cycle.

use std::collections::HashSet;

use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::graph::cycle;
use crate::model::issue::known_word;
use crate::model::limits::check_word;
use crate::model::{Issue, Target, Uid};
use crate::ops::{Code, Command, Error, Result, Tx};

/// So many levels of issues are followed at most.
pub(crate) const DEEPEST: usize = 30;

/// Words that are taken for a type of dependency, and the type that is meant. Written down they would order nothing, without
/// a word to the one who relies on it.
const LOOK_ALIKES: [(&str, &str); 12] = [
    ("block", BLOCKS),
    ("blocked_by", BLOCKS),
    ("blocked-by", BLOCKS),
    ("depends_on", BLOCKS),
    ("depends-on", BLOCKS),
    ("blocker", BLOCKS),
    ("requires", BLOCKS),
    ("discovered_from", "discovered-from"),
    ("parent", PARENT_CHILD),
    ("child", PARENT_CHILD),
    ("parent_child", PARENT_CHILD),
    ("related_to", "related"),
];

/// Returns the type that is meant by such a word.
pub(crate) fn meant_kind(kind: &str) -> Option<&'static str> {
    let lower = kind.trim().to_lowercase();
    let found = LOOK_ALIKES.iter().find(|(word, _)| *word == lower);
    found.map(|(_, meant)| *meant)
}

/// Refuses a word that is taken for a type of dependency; returns the type as it is stored.
fn checked_kind(kind: &str) -> Result<String> {
    let stored = known_word(kind);
    check_word("a dependency type", &stored)?;
    match meant_kind(kind) {
        Some(meant) => Err(Error::invalid(format!(
            "dep_type {stored} is not known: use {meant}"
        ))),
        None => Ok(stored),
    }
}

/// Adds dependencies to an issue that is being made or changed; returns it with the ids that are new.
pub(crate) fn add_all(
    tx: &mut Tx<'_>,
    mut issue: Issue,
    on: &[String],
    kind: &str,
) -> Result<(Issue, Vec<String>)> {
    let kind = &checked_kind(kind)?;
    let writer = tx.writer(&issue)?;
    let mut added = Vec::new();
    for id in on.iter().flat_map(|ids| ids.split(',')).map(str::trim) {
        let (target, shown) = target(tx, id)?;
        if let Target::Uid(uid) = target {
            check_edge(tx, &issue, uid, kind)?;
        }
        // The first parent is a register of the issue; further ones are edges.
        let is_parent = |parent: &Target| *parent == target;
        match (kind.as_str(), issue.parent(), &target) {
            (PARENT_CHILD, None, Target::Uid(uid)) => {
                issue.set_parent(&writer, Some(*uid));
                added.push(shown);
                continue;
            }
            (PARENT_CHILD, Some((parent, _)), _) if is_parent(&parent) => continue,
            _ => {}
        }
        if known_keys(&issue, kind, &target, &shown).is_empty()
            && issue.set_edge(&writer, kind, &target, true)
        {
            added.push(shown);
        }
    }
    Ok((issue, added))
}

/// The spellings under which an issue has an edge: by identity, by id, or both.
pub(crate) fn known_keys(issue: &Issue, kind: &str, target: &Target, id: &str) -> Vec<Target> {
    let same =
        |edge: &Target| edge == target || matches!(edge, Target::Literal(literal) if literal == id);
    issue
        .edges()
        .into_iter()
        .filter(|edge| edge.kind == kind && same(&edge.target))
        .map(|edge| edge.target)
        .collect()
}

/// Returns what a dependency on a text points to, and how it is shown.
pub(crate) fn target(tx: &Tx<'_>, id: &str) -> Result<(Target, String)> {
    // It names something outside of the store, and is not looked up.
    if id.starts_with("external:") {
        return Ok((Target::Literal(id.to_owned()), id.to_owned()));
    }
    let uid = tx.find(id)?;
    Ok((Target::Uid(uid), tx.issue(uid)?.id().to_owned()))
}

/// So many issues of a cycle are named.
const MOST_NAMED: usize = 9;

/// The command that removes a dependency.
pub(crate) fn removal(id: &str, on: &str) -> Command {
    Command::of("dep").word("rm").id(id).flag("--on").id(on)
}

/// Refuses an edge to the issue itself, and one that would close a cycle, be it one of two kinds of edges.
pub(crate) fn check_edge(tx: &Tx<'_>, issue: &Issue, to: Uid, kind: &str) -> Result<()> {
    check_parents(tx, issue, to, kind)?;
    check_cycle(tx, issue, to, kind)
}

/// Refuses that an issue waits for what it is a part of: nothing of it could ever be started.
fn check_parents(tx: &Tx<'_>, issue: &Issue, to: Uid, kind: &str) -> Result<()> {
    let id = issue.id();
    if kind == BLOCKS && is_above(tx, to, issue)? {
        let above = tx.issue(to)?.id().to_owned();
        let message = format!(
            "{id} is part of {above}, which ends with its parts: it can't be blocked by it"
        );
        return Err(Error::new(Code::Cycle, message).hinted(Command::of("show").id(above)));
    }
    if kind == PARENT_CHILD
        && let Some(awaited) = awaited_above(tx, issue, to)?
    {
        let awaited = tx.view.id(awaited)?;
        let message = format!("{id} is blocked by {awaited}, so it can't be part of it");
        return Err(Error::new(Code::Cycle, message).hinted(removal(id, &awaited)));
    }
    Ok(())
}

/// Refuses an edge to the issue itself, and one that would close a cycle of its kind.
pub(crate) fn check_cycle(tx: &Tx<'_>, issue: &Issue, to: Uid, kind: &str) -> Result<()> {
    let id = issue.id();
    if issue.uid() == to {
        let what = if kind == PARENT_CHILD {
            "its own parent"
        } else {
            "blocked by itself"
        };
        return Err(
            Error::new(Code::SelfDependency, format!("{id} can't be {what}"))
                .hinted(Command::of("show").id(id)),
        );
    }
    // Other kinds order nothing: circles among them do no harm.
    if kind != BLOCKS && kind != PARENT_CHILD {
        return Ok(());
    }
    let Some(path) = cycle(issue.uid(), to, |uid| tx.targets(uid, kind))? else {
        return Ok(());
    };
    // The beginning says where to look; thousands of ids would not.
    let mut ids = vec![id.to_owned()];
    for uid in path.iter().take(MOST_NAMED - 1) {
        ids.push(if *uid == issue.uid() {
            id.to_owned()
        } else {
            tx.issue(*uid)?.id().to_owned()
        });
    }
    // The new edge is not written yet: the one to remove is the next on the way back.
    let blocking = match kind {
        BLOCKS => removal(&ids[1], &ids[2]),
        _ => removal(&ids[1], &ids[2]).flag("-t").word(kind),
    };
    let rest = match path.len() < MOST_NAMED {
        true => String::new(),
        false => format!(" -> ... -> {id} ({} issues)", path.len()),
    };
    Err(Error::new(
        Code::Cycle,
        format!("that would close a cycle: {}{rest}", ids.join(" -> ")),
    )
    .hinted(blocking))
}

/// Returns true if one issue is among the parents of another, at any level.
fn is_above(tx: &Tx<'_>, above: Uid, issue: &Issue) -> Result<bool> {
    let parents = match issue.parent() {
        // The index does not know the parent that this change gives it.
        Some((Target::Uid(parent), _)) => {
            let further = targets_of(issue, PARENT_CHILD);
            further.chain([parent]).collect()
        }
        _ => tx.targets(issue.uid(), PARENT_CHILD)?,
    };
    Ok(find_above(tx, parents, |parent| parent == above)?.is_some())
}

/// Returns what an issue waits for among another one and its parents, at any level.
fn awaited_above(tx: &Tx<'_>, issue: &Issue, to: Uid) -> Result<Option<Uid>> {
    let awaited: HashSet<Uid> = targets_of(issue, BLOCKS).collect();
    if awaited.is_empty() {
        return Ok(None);
    }
    find_above(tx, vec![to], |parent| awaited.contains(&parent))
}

/// Returns what the edges of an issue point to.
pub(crate) fn targets_of(issue: &Issue, kind: &str) -> impl Iterator<Item = Uid> {
    let edges = issue.edges().into_iter();
    edges
        .filter(move |edge| edge.kind == kind)
        .filter_map(|edge| match edge.target {
            Target::Uid(uid) => Some(uid),
            Target::Literal(_) => None,
        })
}

/// Returns the first that is wanted of some issues and their parents, at any level.
fn find_above(
    tx: &Tx<'_>,
    mut parents: Vec<Uid>,
    is_wanted: impl Fn(Uid) -> bool,
) -> Result<Option<Uid>> {
    // An import or a merge can bring parents in a circle.
    let mut seen = HashSet::new();
    while let Some(parent) = parents.pop() {
        if is_wanted(parent) {
            return Ok(Some(parent));
        }
        if seen.insert(parent) {
            parents.extend(tx.targets(parent, PARENT_CHILD)?);
        }
    }
    Ok(None)
}
