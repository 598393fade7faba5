//! The graph for Graphviz.

use crate::model::status::IN_PROGRESS;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::{Graph, Node, title};

/// Writes a directed graph; arrows lead from what has to be done first to what waits for it, dotted lines from a
/// parent to its children.
pub(crate) fn dot(graph: &Graph) -> String {
    let names: HashMap<&str, usize> = graph
        .issues
        .iter()
        .enumerate()
        .map(|(n, node)| (node.summary.id.as_str(), n))
        .collect();
    let mut out = String::from(
        "digraph beads {\n  rankdir=LR\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", \
         fontname=\"sans-serif\"]\n  edge [color=\"#57606a\"]\n",
    );
    let critical: HashSet<&str> = graph.critical_path.iter().map(String::as_str).collect();
    for (n, node) in graph.issues.iter().enumerate() {
        let mut looks = format!("label=\"{}\", fillcolor=\"{}\"", label(node), fill(node));
        if critical.contains(node.summary.id.as_str()) {
            looks.push_str(", penwidth=3");
        }
        if node.progress.is_some() {
            looks.push_str(", style=filled, peripheries=2");
        }
        // Writing to a text does not fail.
        let _ = writeln!(out, "  n{n} [{looks}]");
    }
    for edge in &graph.edges {
        let (from, to) = (names[edge.from.as_str()], names[edge.to.as_str()]);
        let looks = match (edge.suspended, edge.is_waiting()) {
            (true, _) => {
                " [label=\"suspended\", style=dashed, color=\"#cf222e\", constraint=false]"
            }
            (false, true) => "",
            (false, false) => " [style=dotted, arrowhead=none]",
        };
        let _ = writeln!(out, "  n{to} -> n{from}{looks}");
    }
    out.push_str("}\n");
    out
}

fn fill(node: &Node) -> &'static str {
    match node.summary.status.as_str() {
        "closed" => "#dafbe1",
        IN_PROGRESS | "hooked" => "#ddf4ff",
        "blocked" => "#ffebe9",
        _ => "#ffffff",
    }
}

fn label(node: &Node) -> String {
    let progress = node
        .progress
        .map(|progress| format!("\\n{}/{}", progress.done, progress.total));
    format!(
        "{}\\n{}{}",
        quoted(&node.summary.id),
        quoted(&title(node)),
        progress.unwrap_or_default()
    )
}

/// Quotes and backslashes end or escape, and `&` begins a name of HTML.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        // Graphviz reads entities of HTML in labels.
        .replace('&', "&amp;")
}
