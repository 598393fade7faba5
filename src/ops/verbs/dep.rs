//! `dep`: what waits for what. `dep add A --on B` means A waits for B.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::graph::{cycle, is_circular};
use crate::model::issue::known_word;
use crate::model::limits::check_word;
use crate::model::{Issue, Target, Uid};
use crate::ops::answer::{Answer, AnswerKind, Next};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx, View};

/// Deepest tree shown.
const DEEPEST: usize = 30;

/// A dependency to add or remove.
#[derive(Clone, Debug, Default)]
pub struct Dep {
    /// The issue that waits.
    pub id: String,
    /// What it waits for: ids, or `external:...`.
    pub on: Vec<String>,
    /// The type; `blocks` by default.
    pub kind: Option<String>,
}

/// What has changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Linked {
    /// The issue that waits.
    pub id: String,
    /// What it waits for now and did not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_depends_on: Vec<String>,
    /// What it waited for before and does not now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed_depends_on: Vec<String>,
    /// The type of the dependencies.
    pub dep_type: String,
}

impl Answer for Linked {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
    fn next(&self) -> Next {
        Next::Continue
    }
}

/// Adds dependencies.
///
/// # Errors
/// Not found, a dependency on itself, or one that would close a cycle, which is named.
pub fn add(tracker: &Tracker, request: &Dep) -> Result<Linked> {
    link(tracker, request, "add", |tx, issue, kind| {
        add_all(tx, issue, &request.on, kind)
    })
}

/// Removes dependencies.
///
/// # Errors
/// Not found, or no such dependency.
pub fn remove(tracker: &Tracker, request: &Dep) -> Result<Linked> {
    let linked = link(tracker, request, "rm", |tx, issue, kind| {
        remove_all(tx, issue, &request.on, kind)
    })?;
    let Linked {
        id,
        added_depends_on,
        dep_type,
        ..
    } = linked;
    Ok(Linked {
        id,
        removed_depends_on: added_depends_on,
        added_depends_on: Vec::new(),
        dep_type,
    })
}

fn link(
    tracker: &Tracker,
    request: &Dep,
    verb: &str,
    edit: impl Fn(&mut Tx<'_>, Issue, &str) -> Result<(Issue, Vec<String>)>,
) -> Result<Linked> {
    if request.on.is_empty() {
        return Err(Error::invalid("no dependency is named").hinted(
            Command::of("dep")
                .word(verb)
                .id(&request.id)
                .flag("--on")
                .placeholder("ID"),
        ));
    }
    let kind = &known_word(request.kind.as_deref().unwrap_or(BLOCKS));
    tracker.write(
        |tx| {
            let uid = tx.find(&request.id)?;
            let (issue, changed) = edit(tx, tx.live(uid)?, kind)?;
            tx.subject(format!(
                "dep {verb} {}: {kind} {}",
                issue.id(),
                changed.join(" ")
            ));
            let id = issue.id().to_owned();
            tx.put(issue);
            Ok(Linked {
                id,
                added_depends_on: changed,
                removed_depends_on: Vec::new(),
                dep_type: kind.to_owned(),
            })
        },
        |linked, _| Ok(linked),
    )
}

/// Adds dependencies to an issue that is being made or changed; returns it with the ids that are new.
pub(crate) fn add_all(
    tx: &mut Tx<'_>,
    mut issue: Issue,
    on: &[String],
    kind: &str,
) -> Result<(Issue, Vec<String>)> {
    let kind = &known_word(kind);
    check_word("a dependency type", kind)?;
    let writer = tx.writer(&issue)?;
    let mut added = Vec::new();
    for id in on.iter().flat_map(|ids| ids.split(',')).map(str::trim) {
        let (target, shown) = target(tx, id)?;
        if let Target::Uid(uid) = target {
            check_edge(tx, &issue, uid, kind)?;
        }
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

fn remove_all(
    tx: &mut Tx<'_>,
    mut issue: Issue,
    on: &[String],
    kind: &str,
) -> Result<(Issue, Vec<String>)> {
    let writer = tx.writer(&issue)?;
    let mut removed = Vec::new();
    for id in on.iter().flat_map(|ids| ids.split(',')).map(str::trim) {
        let (target, shown) =
            target(tx, id).unwrap_or_else(|_| (Target::Literal(id.to_owned()), id.to_owned()));
        let is_named =
            |parent: &Target| *parent == target || *parent == Target::Literal(shown.clone());
        if kind == PARENT_CHILD && issue.parent().is_some_and(|(parent, _)| is_named(&parent)) {
            issue.set_parent(&writer, None);
            removed.push(shown);
            continue;
        }
        let keys = known_keys(&issue, kind, &target, &shown);
        if keys.is_empty() {
            let message = format!("{} has no dependency `{kind}` on {shown}", issue.id());
            let other = issue.edges().into_iter().find(|edge| {
                edge.target == target || edge.target == Target::Literal(shown.clone())
            });
            let hint = match other {
                Some(edge) => removal(issue.id(), &shown).flag("-t").word(edge.kind),
                None => Command::of("show").id(issue.id()),
            };
            return Err(Error::not_found(message).hinted(hint));
        }
        for target in keys {
            issue.set_edge(&writer, kind, &target, false);
        }
        removed.push(shown);
    }
    Ok((issue, removed))
}

/// The spellings under which an issue has an edge: by identity, by id, or both.
fn known_keys(issue: &Issue, kind: &str, target: &Target, id: &str) -> Vec<Target> {
    let same =
        |edge: &Target| edge == target || matches!(edge, Target::Literal(literal) if literal == id);
    issue
        .edges()
        .into_iter()
        .filter(|edge| edge.kind == kind && same(&edge.target))
        .map(|edge| edge.target)
        .collect()
}

fn target(tx: &Tx<'_>, id: &str) -> Result<(Target, String)> {
    if id.starts_with("external:") {
        return Ok((Target::Literal(id.to_owned()), id.to_owned()));
    }
    let uid = tx.find(id)?;
    Ok((Target::Uid(uid), tx.issue(uid)?.id().to_owned()))
}

/// So many issues of a cycle are named.
const MOST_NAMED: usize = 9;

/// The command that removes a dependency.
fn removal(id: &str, on: &str) -> Command {
    Command::of("dep").word("rm").id(id).flag("--on").id(on)
}

/// Refuses an edge to the issue itself, and one that would close a cycle.
pub(crate) fn check_edge(tx: &Tx<'_>, issue: &Issue, to: Uid, kind: &str) -> Result<()> {
    let id = issue.id();
    if issue.uid() == to {
        let what = if kind == PARENT_CHILD {
            "its own parent"
        } else {
            "waiting for itself"
        };
        return Err(
            Error::new(Code::SelfDependency, format!("{id} can't be {what}"))
                .hinted(Command::of("show").id(id)),
        );
    }
    if kind == BLOCKS && is_above(tx, to, issue)? {
        let above = tx.issue(to)?.id().to_owned();
        let message =
            format!("{id} is part of {above}, which ends with its parts: it can't wait for it");
        return Err(Error::new(Code::Cycle, message).hinted(Command::of("show").id(above)));
    }
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

/// Whether one issue is among the parents of another, at any level.
fn is_above(tx: &Tx<'_>, above: Uid, issue: &Issue) -> Result<bool> {
    let mut parents = match issue.parent() {
        Some((Target::Uid(parent), _)) => vec![parent],
        _ => tx.targets(issue.uid(), PARENT_CHILD)?,
    };
    for _ in 0..DEEPEST {
        let Some(parent) = parents.pop() else {
            return Ok(false);
        };
        if parent == above {
            return Ok(true);
        }
        parents.extend(tx.targets(parent, PARENT_CHILD)?);
    }
    Ok(false)
}

/// What an issue waits for, level by level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tree {
    /// The issue and what is below it.
    pub tree: Node,
}

/// An issue in a tree of dependencies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Its title, where it exists and is not purged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its status, where it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The type of the dependency that leads to it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether it was shown above already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
    /// What it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Self>,
}

impl Answer for Tree {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Shows what an issue waits for.
///
/// # Errors
/// Not found.
pub fn tree(tracker: &Tracker, id: &str) -> Result<Tree> {
    tracker.read(|view| {
        let uid = view.find(id)?;
        let mut seen = HashSet::new();
        Ok(Tree {
            tree: node(view, uid, None, &mut seen, 0)?,
        })
    })
}

fn node(
    view: &View<'_>,
    uid: Uid,
    kind: Option<String>,
    seen: &mut HashSet<Uid>,
    depth: usize,
) -> Result<Node> {
    let row = view
        .index
        .row(uid)?
        .ok_or_else(|| Error::not_found(format!("Issue {uid} not found")))?;
    let repeated = !seen.insert(uid);
    let mut depends_on = Vec::new();
    if !repeated && depth < DEEPEST {
        for link in view
            .index
            .edges()
            .dependencies(row.num)?
            .into_iter()
            .filter(|link| link.kind != PARENT_CHILD)
        {
            depends_on.push(match link.issue {
                Some((target, ..)) => node(view, target, Some(link.kind), seen, depth + 1)?,
                None => Node {
                    id: link.id,
                    title: None,
                    status: None,
                    kind: Some(link.kind),
                    seen: false,
                    depends_on: Vec::new(),
                },
            });
        }
    }
    let title = Some(row.title).filter(|title| !title.is_empty());
    let status = Some(row.status.as_str().to_owned());
    Ok(Node {
        id: row.id,
        title,
        status,
        kind,
        seen: repeated,
        depends_on,
    })
}

/// Circles of issues that wait for each other.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Cycles {
    /// The ids of each circle, in the order of waiting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<String>>,
}

impl Answer for Cycles {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Finds the circles among `blocks` edges; an import or a merge can bring one.
///
/// # Errors
/// An index that can't be read.
pub fn cycles(tracker: &Tracker) -> Result<Cycles> {
    tracker.read(|view| {
        let mut kept: std::collections::HashMap<Uid, Vec<Uid>> = std::collections::HashMap::new();
        let mut cycles = Vec::new();
        let edges = view.index.edges().pairs(BLOCKS)?;
        let mut all: std::collections::HashMap<Uid, Vec<Uid>> = std::collections::HashMap::new();
        for (from, to) in &edges {
            all.entry(*from).or_default().push(*to);
        }
        let next = |uid: Uid| Ok::<_, Error>(all.get(&uid).cloned().unwrap_or_default());
        if !is_circular(all.keys().copied(), next)? {
            return Ok(Cycles { cycles });
        }
        for (from, to) in edges {
            let next = |uid: Uid| Ok::<_, Error>(kept.get(&uid).cloned().unwrap_or_default());
            match cycle(from, to, next)? {
                Some(path) => cycles.push(
                    path.into_iter()
                        .map(|uid| view.id(uid))
                        .collect::<Result<Vec<_>>>()?,
                ),
                None => kept.entry(from).or_default().push(to),
            }
        }
        Ok(Cycles { cycles })
    })
}
