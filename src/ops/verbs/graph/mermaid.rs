//! The graph for Mermaid, which GitHub and GitLab draw in Markdown.

use crate::model::status::IN_PROGRESS;
use std::collections::HashMap;
use std::fmt::Write as _;

use super::{Graph, Node, title};

/// Mermaid as others run it draws no more edges than this, and no text longer than that.
const MOST_EDGES: usize = 500;
const MOST_TEXT: usize = 50_000;

/// The looks of a status: dark text on light colours reads on a light and on a dark page.
const CLASSES: &str = "  classDef open fill:#ffffff,stroke:#57606a,color:#1f2328
  classDef active fill:#ddf4ff,stroke:#0969da,color:#1f2328
  classDef blocked fill:#ffebe9,stroke:#cf222e,color:#1f2328
  classDef closed fill:#dafbe1,stroke:#1a7f37,color:#57606a
  classDef critical stroke-width:4px
";

/// Writes a flowchart; arrows lead from what has to be done first to what waits for it, dotted lines from a
/// parent to its children. A warning goes with it where others may refuse to draw it.
pub(crate) fn mermaid(graph: &Graph) -> (String, Option<String>) {
    let names: HashMap<&str, usize> = graph
        .issues
        .iter()
        .enumerate()
        .map(|(n, node)| (node.summary.id.as_str(), n))
        .collect();
    let mut out = String::from("flowchart LR\n");
    for (n, node) in graph.issues.iter().enumerate() {
        let (open, close) = if node.progress.is_some() {
            ("[[", "]]")
        } else {
            ("[", "]")
        };
        // Writing to a text does not fail.
        let _ = writeln!(
            out,
            "  n{n}{open}\"{}\"{close}:::{}",
            label(node),
            class(node)
        );
    }
    for edge in &graph.edges {
        let (from, to) = (names[edge.from.as_str()], names[edge.to.as_str()]);
        let arrow = match (edge.suspended, edge.is_waiting()) {
            (true, _) => "-. suspended .->",
            (false, true) => "-->",
            (false, false) => "-.-",
        };
        let _ = writeln!(out, "  n{to} {arrow} n{from}");
    }
    for (n, _) in graph
        .edges
        .iter()
        .enumerate()
        .filter(|(_, edge)| edge.suspended)
    {
        let _ = writeln!(out, "  linkStyle {n} stroke:#cf222e");
    }
    out.push_str(CLASSES);
    let critical: Vec<String> = graph
        .critical_path
        .iter()
        .map(|id| format!("n{}", names[id.as_str()]))
        .collect();
    if !critical.is_empty() {
        let _ = writeln!(out, "  class {} critical", critical.join(","));
    }
    let warning = (graph.edges.len() > MOST_EDGES || out.len() > MOST_TEXT).then(|| {
        format!(
            "{} edges in {} characters: Mermaid draws {MOST_EDGES} in {MOST_TEXT} unless it is told to draw more; \
             name an issue or a filter, or use --dot",
            graph.edges.len(),
            out.len()
        )
    });
    (out, warning)
}

fn class(node: &Node) -> &'static str {
    match node.summary.status.as_str() {
        "closed" => "closed",
        IN_PROGRESS | "hooked" => "active",
        "blocked" => "blocked",
        _ => "open",
    }
}

fn label(node: &Node) -> String {
    let progress = node
        .progress
        .map(|progress| format!(" ({}/{})", progress.done, progress.total));
    quoted(&format!(
        "{} {}{}",
        node.summary.id,
        title(node),
        progress.unwrap_or_default()
    ))
}

/// Everything but letters, digits and the plainest signs by its number: quotes, brackets, markup and Markdown
/// mean nothing then.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        // Mermaid itself marks such numbers with these two while it works.
        let marks = matches!(c, 'ﬂ' | '¶');
        if c.is_ascii_alphanumeric()
            || matches!(c, ' ' | '.' | ',' | '-')
            || !(c.is_ascii() || marks)
        {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}
