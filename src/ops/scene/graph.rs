//! The graph around an issue: its parts in steps, what they wait for, what waits for them. A face only places them.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rows::{Column, column};
use crate::index::{Condition, EdgeRow, Fact, Order, Row};
use crate::model::graph::sorted;
use crate::ops::answer::Reference;
use crate::ops::verbs::graph::{is_part, is_waiting};
use crate::ops::{Result, Tracker, View};

/// Issues of one graph.
const MOST: usize = 120;
/// Steps away from the parts, and their number where none is asked for.
const MOST_STEPS: usize = 6;
const STEPS: usize = 2;
/// Issues of each kind that a graph can begin with.
const MOST_BEGINNINGS: usize = 30;

/// The graph that is asked for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GraphRequest {
    /// The issue in the middle; without it the first that a graph can begin with.
    pub id: Option<String>,
    /// Steps away from it, or from its parts.
    pub steps: Option<usize>,
    /// Shows closed ones too.
    pub closed: bool,
}

/// Issues with their steps, and what waits for what.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct GraphScene {
    /// The issue in the middle; none where there are no issues.
    pub focus: Option<Brief>,
    pub parent: Option<String>,
    pub steps: usize,
    pub closed: bool,
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<WaitingEdge>,
    /// Number of closed ones that are not shown.
    pub folded: BTreeMap<GraphSide, usize>,
    /// Number of issues that are too many for one graph.
    pub left: usize,
    /// What a graph can begin with: most open parts first, then what most wait for.
    pub beginnings: Vec<Reference>,
}

/// What a small drawing shows of an issue.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Brief {
    #[serde(flatten)]
    pub reference: Reference,
    pub status: String,
    pub column: Column,
    pub priority: i64,
    /// Its parts that have ended, and all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<[u64; 2]>,
}

/// An issue of a graph.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct GraphNode {
    #[serde(flatten)]
    pub brief: Brief,
    pub side: GraphSide,
    /// Its column among those of its side, from 1; the nearest to the parts is the first.
    pub step: usize,
}

/// The place of an issue beside the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum GraphSide {
    /// It is waited for.
    Before,
    /// A part, or the issue itself.
    Inside,
    /// It waits.
    After,
}

/// One issue that waits for another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct WaitingEdge {
    /// What has to be done first.
    pub first: String,
    /// What waits for it.
    pub then: String,
    /// True if it is ignored because it would close a cycle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
}

impl Brief {
    pub(super) fn new(row: &Row, now: u64) -> Self {
        Self {
            reference: Reference::from(row),
            status: row.status.as_str().to_owned(),
            column: column(row, now),
            priority: row.priority,
            children: (row.children > 0).then(|| [row.children - row.open_children, row.children]),
        }
    }
}

/// Returns a graph.
/// Errors: the issue is not there.
pub(crate) fn graph(tracker: &Tracker, request: &GraphRequest) -> Result<GraphScene> {
    tracker.read(|view| view.last(|| scene(view, request)))
}

fn scene(view: &View<'_>, request: &GraphRequest) -> Result<GraphScene> {
    let links = view.index.edges().links()?;
    let beginnings = beginnings(view, &links)?;
    let focus = match &request.id {
        Some(id) => view.index.row(view.find(id)?)?,
        None if beginnings.is_empty() => {
            let page = view.index.page(&Fact::Kept.into(), Order::Priority, 1, 0)?;
            page.rows.into_iter().next()
        }
        None => beginnings.first().cloned(),
    };
    let mut scene = GraphScene {
        steps: request.steps.unwrap_or(STEPS).clamp(1, MOST_STEPS),
        closed: request.closed,
        folded: [GraphSide::Before, GraphSide::Inside, GraphSide::After]
            .map(|side| (side, 0))
            .into(),
        beginnings: beginnings.iter().map(Reference::from).collect(),
        ..GraphScene::default()
    };
    let Some(focus) = focus else {
        return Ok(scene);
    };
    scene.focus = Some(Brief::new(&focus, view.now()));
    scene.parent.clone_from(&focus.parent);
    let own = links
        .iter()
        .filter(|link| is_part(link) && link.to == focus.num);
    let parts: Vec<i64> = own.map(|link| link.from).collect();
    let mut walk = Nearby {
        view,
        links: &links,
        known: HashSet::from([focus.num]),
        shown: Vec::new(),
        scene: &mut scene,
    };
    if parts.is_empty() {
        walk.shown.push((focus.clone(), GraphSide::Inside));
    }
    let mut edge = walk.add(parts, GraphSide::Inside)?;
    edge.push(focus.num);
    walk.walk(&edge, GraphSide::Before)?;
    walk.walk(&edge, GraphSide::After)?;
    let shown = walk.shown;
    place(&mut scene, &links, &shown, &focus, view.now());
    Ok(scene)
}

/// The issues of a graph while they are found.
struct Nearby<'a> {
    view: &'a View<'a>,
    links: &'a [EdgeRow],
    known: HashSet<i64>,
    shown: Vec<(Row, GraphSide)>,
    scene: &'a mut GraphScene,
}

impl Nearby<'_> {
    /// Takes some issues in, as far as there is room and they are not folded; returns which.
    fn add(&mut self, mut nums: Vec<i64>, side: GraphSide) -> Result<Vec<i64>> {
        nums.retain(|num| self.known.insert(*num));
        let mut taken = Vec::new();
        for row in rows(self.view, nums)? {
            if row.status.is_done() && !self.scene.closed {
                *self.scene.folded.entry(side).or_default() += 1;
            } else if self.shown.len() >= MOST {
                self.scene.left += 1;
            } else {
                taken.push(row.num);
                self.shown.push((row, side));
            }
        }
        Ok(taken)
    }

    /// Follows what is waited for, or what waits, so many steps.
    fn walk(&mut self, from: &[i64], side: GraphSide) -> Result<()> {
        let mut edge = from.to_vec();
        for _ in 0..self.scene.steps {
            let firm = self.links.iter().filter(|link| is_firm(link));
            let next = firm.filter_map(|link| match side {
                GraphSide::Before => edge.contains(&link.from).then_some(link.to),
                _ => edge.contains(&link.to).then_some(link.from),
            });
            edge = self.add(next.collect(), side)?;
        }
        Ok(())
    }
}

/// True where one waits or waited for the other.
fn is_firm(link: &EdgeRow) -> bool {
    link.blocks && !link.suspended
}

/// Returns the rows of some issues, what has ended last.
fn rows(view: &View<'_>, nums: Vec<i64>) -> Result<Vec<Row>> {
    let these = Condition::from(Fact::Row(nums));
    let mut rows = view.index.page(&these, Order::Priority, 0, 0)?.rows;
    rows.sort_by_key(|row| row.status.is_done());
    Ok(rows)
}

/// Puts what has been found into the scene, each at its step.
fn place(
    scene: &mut GraphScene,
    links: &[EdgeRow],
    shown: &[(Row, GraphSide)],
    focus: &Row,
    now: u64,
) {
    let sides: HashMap<i64, GraphSide> = shown.iter().map(|(row, side)| (row.num, *side)).collect();
    let rows = shown.iter().map(|(row, _)| row).chain([focus]);
    let ids: HashMap<i64, &String> = rows.map(|row| (row.num, &row.id)).collect();
    let steps = steps(&sides, links);
    scene
        .nodes
        .extend(shown.iter().map(|(row, side)| GraphNode {
            brief: Brief::new(row, now),
            side: *side,
            step: steps.get(&row.num).copied().unwrap_or(1),
        }));
    // Between an issue and its own parts the box says it.
    let is_box =
        |a: i64, b: i64| !sides.contains_key(&a) && sides.get(&b) == Some(&GraphSide::Inside);
    for link in links
        .iter()
        .filter(|link| link.blocks && link.from != link.to)
    {
        if let (Some(then), Some(first)) = (ids.get(&link.from), ids.get(&link.to))
            && !is_box(link.from, link.to)
            && !is_box(link.to, link.from)
        {
            scene.edges.push(WaitingEdge {
                first: (*first).clone(),
                then: (*then).clone(),
                suspended: link.suspended,
            });
        }
    }
}

/// Returns the step of each issue: one more than that of all that stand between it and the parts, or before it among these.
fn steps(sides: &HashMap<i64, GraphSide>, links: &[EdgeRow]) -> HashMap<i64, usize> {
    let mut next: HashMap<i64, Vec<i64>> = HashMap::new();
    for link in links.iter().filter(|link| is_firm(link)) {
        let side = sides.get(&link.from);
        match (side, side == sides.get(&link.to)) {
            (Some(GraphSide::Before), true) => next.entry(link.from).or_default().push(link.to),
            (Some(_), true) => next.entry(link.to).or_default().push(link.from),
            _ => {}
        }
    }
    let nodes: Vec<i64> = sides.keys().copied().collect();
    let mut steps: HashMap<i64, usize> = HashMap::new();
    for num in sorted(&nodes, &next) {
        let own = *steps.entry(num).or_insert(1);
        for other in next.get(&num).into_iter().flatten() {
            let step = steps.entry(*other).or_insert(1);
            *step = (*step).max(own + 1);
        }
    }
    steps
}

/// Returns the open issues with most open parts, then those for which most wait.
fn beginnings(view: &View<'_>, links: &[EdgeRow]) -> Result<Vec<Row>> {
    let counted = |is_meant: fn(&EdgeRow) -> bool| -> Result<Vec<Row>> {
        let mut counts: HashMap<i64, usize> = HashMap::new();
        for link in links.iter().filter(|link| is_meant(link)) {
            *counts.entry(link.to).or_default() += 1;
        }
        let mut rows = rows(view, counts.keys().copied().collect())?;
        rows.sort_by_key(|row| std::cmp::Reverse(counts.get(&row.num)));
        rows.truncate(MOST_BEGINNINGS);
        Ok(rows)
    };
    let mut found = counted(|link| is_part(link) && !link.from_done && !link.to_done)?;
    for row in counted(is_waiting)? {
        if !found.iter().any(|known| known.num == row.num) {
            found.push(row);
        }
    }
    Ok(found)
}
