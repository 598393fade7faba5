//! `dep`: what waits for what. `dep add A --on B` means A waits for B.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::edge::{BLOCKS, PARENT_CHILD};
use crate::model::graph::cycle;
use crate::model::issue::known_word;
use crate::model::{Issue, Target, Uid};
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::dependency::{DEEPEST, add_all, known_keys, meant_kind, removal, target};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx, View};

/// A dependency to add or remove.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Dep {
    /// The blocked issue.
    pub id: String,
    /// Its new dependencies: ids, or `external:...`.
    pub on: Vec<String>,
    /// The type; `blocks` by default.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// What has changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Linked {
    /// The blocked issue.
    pub id: String,
    /// Issues that block it now and did not before.
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
        After::Changed.next()
    }
}

/// Adds dependencies.
///
/// # Errors
/// Not found, a dependency on itself, or one that would close a cycle, which is named.
pub(crate) fn add(tracker: &Tracker, request: &Dep) -> Result<Linked> {
    link(tracker, request, "add", |tx, issue, kind| {
        check_kind(&issue, &request.on, kind)?;
        add_all(tx, issue, &request.on, kind)
    })
}

/// Refuses a word that only looks like a type, and says which way round the right one is.
fn check_kind(issue: &Issue, on: &[String], kind: &str) -> Result<()> {
    let Some(meant) = meant_kind(kind) else {
        return Ok(());
    };
    let (id, others) = (issue.id(), on.join(", "));
    let add = Command::of("dep").word("add").id(id);
    let mut command = on
        .iter()
        .fold(add, |command, other| command.flag("--on").id(other));
    if meant != BLOCKS {
        command = command.flag("-t").word(meant);
    }
    let relation = match meant {
        BLOCKS => format!("{id} is blocked by {others}"),
        PARENT_CHILD => format!("{id} is the child of {others}"),
        _ => format!("from {id} to {others}"),
    };
    let message = format!("dep_type {kind} is not known: use {meant} ({relation})");
    Err(Error::invalid(message).hinted(command))
}

/// Removes dependencies.
pub(crate) fn remove(tracker: &Tracker, request: &Dep) -> Result<Linked> {
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
        return Err(Error::invalid("no dependency given").hinted(
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

fn remove_all(
    tx: &mut Tx<'_>,
    mut issue: Issue,
    on: &[String],
    kind: &str,
) -> Result<(Issue, Vec<String>)> {
    let writer = tx.writer(&issue)?;
    let mut removed = Vec::new();
    for id in on.iter().flat_map(|ids| ids.split(',')).map(str::trim) {
        let (target, shown) = match target(tx, id) {
            Ok(found) => found,
            // It may be an edge that an import left by its id: it can still be removed.
            Err(error) if error.is(Code::NotFound) => {
                (Target::Literal(id.to_owned()), id.to_owned())
            }
            Err(error) if error.is(Code::Purged) => (Target::Uid(tx.find(id)?), id.to_owned()),
            Err(error) => return Err(error),
        };
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
            // The edge may be there under another type, which the hint then names.
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

/// What an issue waits for, level by level.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Tree {
    /// The issue and what is below it.
    pub tree: Node,
}

/// An issue in a tree of dependencies.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Node {
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
    /// Issues that block it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Self>,
}

impl Answer for Tree {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Shows what an issue waits for.
pub(crate) fn tree(tracker: &Tracker, id: &str) -> Result<Tree> {
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
    let row = view.index.row(uid)?.ok_or_else(|| Error::no_issue(uid))?;
    // Shown once with what is below it: a graph with shared parts would else grow beyond bounds,
    // and a circle would never end.
    let repeated = seen.contains(&uid);
    let mut depends_on = Vec::new();
    if !repeated && depth < DEEPEST {
        // At the deepest level it is not shown with what is below it, so that another place shows that.
        seen.insert(uid);
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
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Cycles {
    /// The ids of each circle, in the order of waiting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<String>>,
    /// Number of those that are not spelled out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
}

impl Answer for Cycles {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// So many circles are spelled out.
const MOST_CYCLES: usize = 100;

/// Finds the circles that `blocks` edges would close, were they not suspended; an import or a merge can bring one.
pub(crate) fn cycles(tracker: &Tracker) -> Result<Cycles> {
    tracker.read(|view| {
        let edges = view.index.edges();
        let suspended = edges.suspended(BLOCKS)?;
        // Nearly always so, and known without a look at the others.
        if suspended.is_empty() {
            return Ok(Cycles::default());
        }
        let mut active: HashMap<Uid, Vec<Uid>> = HashMap::new();
        for (from, to) in edges.active(BLOCKS)? {
            active.entry(from).or_default().push(to);
        }
        let mut cycles = Vec::new();
        for (from, to) in suspended.iter().take(MOST_CYCLES) {
            let next = |uid: Uid| Ok::<_, Error>(active.get(&uid).cloned().unwrap_or_default());
            let path = cycle(*from, *to, next)?.into_iter().flatten();
            cycles.push(path.map(|uid| view.id(uid)).collect::<Result<_>>()?);
        }
        let more = suspended.len() - cycles.len();
        Ok(Cycles {
            cycles,
            more: (more > 0).then_some(more),
        })
    })
}
