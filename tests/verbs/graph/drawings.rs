//! `graph --dot` and `--mermaid`, read by the real Graphviz and the real Mermaid.

use std::path::PathBuf;

use serde_json::Value;

use crate::clients::mcp::clients::{clients, node};
use crate::support::hand::import_any;
use crate::support::{World, data, missing};

/// What could end a label, begin markup or a statement, or be taken for a keyword.
const TITLES: [&str; 16] = [
    "end",
    "\"quoted\" and 'single' and `back`",
    "[brackets] (round) {curly} ]] )) }} >",
    "<b>bold</b> <script>alert(1)</script> &lt;b&gt; & &#34; &quot;",
    "line\nbreak\ttab\r\nand\u{7}bell\u{1b}[31m",
    "back\\slash \\n \\N \\\" \\",
    "#35; #quot; #9829; ; #",
    "style: a#b;c classDef x:y#z; linkStyle 0 stroke:red",
    "A --> B; subgraph graph digraph click n0 call alert()",
    "%% comment %%{init: {\"theme\":\"dark\"}}%%",
    "日本語のタイトル 🦀 e\u{301} ﬂ°°35¶ß",
    "1. list - item * star _under_ **bold** ~~x~~ | pipe | $$x$$",
    "---",
    "javascript:alert(1) https://example.org/?a=b&c=d",
    "\u{202e}reversed\u{200b}hidden",
    "@{ shape: circle } ::: class",
];

fn hostile() -> World {
    let world = World::with_store();
    let long = "long ".repeat(99) + "\"]";
    let titles = TITLES.iter().copied().chain([long.as_str()]);
    let line = |(n, title): (usize, &str)| {
        let waits = serde_json::json!({"issue_id": format!("x-{n}"), "depends_on_id": format!("x-{}", n + 1), "type": "blocks"});
        let part = serde_json::json!({"issue_id": format!("x-{n}"), "depends_on_id": "x-0", "type": "parent-child"});
        let status = ["open", "in_progress", "blocked", "closed"][n % 4];
        let at = "2026-01-01T00:00:00Z";
        serde_json::json!({"id": format!("x-{n}"), "title": title, "status": status, "created_at": at,
            "dependencies": [waits, part]})
    };
    let mut records: Vec<Value> = titles.enumerate().map(line).collect();
    records.push(
        serde_json::json!({"id": "x\"];<b>&#34;\\", "title": "odd id",
        "dependencies": [{"depends_on_id": "x-1", "type": "blocks"}]}),
    );
    for (id, on) in [("c-1", "c-2"), ("c-2", "c-1")] {
        records.push(serde_json::json!({"id": id, "title": "c",
            "dependencies": [{"depends_on_id": on, "type": "blocks"}]}));
    }
    import_any(&world, &records);
    world
}

fn real() -> Option<World> {
    let world = World::new();
    let file = data()?.join("beads-0.47.jsonl");
    world.bd(&["init", "--import", file.to_str().unwrap()]).ok();
    Some(world)
}

/// The titles as a drawing should have them.
fn expected(world: &World) -> Vec<String> {
    let graph = world.bd(&["graph", "--all", "--json"]).json();
    let label = |issue: &Value| {
        let flat = issue["title"]
            .as_str()
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let cut = if flat.chars().count() > 60 {
            flat.chars().take(60).collect::<String>() + "..."
        } else {
            flat
        };
        let seen = |c: char| {
            if c.is_control() || matches!(c, '\u{202e}' | '\u{200b}') {
                '\u{fffd}'
            } else {
                c
            }
        };
        format!(
            "{} {}",
            issue["id"].as_str().unwrap(),
            cut.chars().map(seen).collect::<String>()
        )
    };
    graph["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(label)
        .collect()
}

fn mermaid(world: &World, args: &[&str]) -> Option<Value> {
    let clients: PathBuf = clients()?;
    if !clients.join("node_modules/mermaid").is_dir() {
        missing("mermaid among the clients (.ci/run installs it)");
        return None;
    }
    let file = world.file("graph.mmd", world.bd(args).ok());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verbs/graph/mermaid.mjs");
    Some(
        node(
            world,
            &clients,
            script.as_ref(),
            &[clients.to_str().unwrap(), &file],
        )
        .json(),
    )
}

#[test]
fn mermaid_reads_hostile_titles_as_text() {
    let world = hostile();
    let Some(read) = mermaid(&world, &["graph", "--all", "--mermaid"]) else {
        return;
    };
    let nodes: Vec<&str> = read["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node.as_str().unwrap())
        .collect();
    let expected = expected(&world);
    assert_eq!(nodes.len(), expected.len());
    for (node, expected) in nodes.iter().zip(&expected) {
        // The epic has its progress behind its title.
        assert!(node.starts_with(expected), "{node:?} is not {expected:?}");
    }
    let edges = read["edges"].as_array().unwrap();
    let all = world.bd(&["graph", "--all", "--json"]).json();
    assert_eq!(edges.len(), all["edges"].as_array().unwrap().len());
    assert_eq!(
        edges.iter().filter(|edge| edge[3] == "suspended").count(),
        2,
        "x-0 is its own part; c-1 and c-2"
    );
}

#[test]
fn mermaid_reads_the_open_work_of_a_real_store() {
    let Some(world) = real() else { return };
    let Some(read) = mermaid(&world, &["graph", "--mermaid"]) else {
        return;
    };
    assert_eq!(read["type"], "flowchart-v2");
    assert_eq!(read["nodes"].as_array().unwrap().len(), 18);
}

#[test]
fn what_mermaid_may_refuse_to_draw_is_said() {
    let Some(world) = real() else { return };
    let output = world.bd(&["graph", "--all", "--mermaid"]);
    assert!(output.stderr.starts_with("warning: "), "{}", output.stderr);
    assert_eq!(world.bd(&["graph", "--mermaid"]).stderr, "");
}

#[track_caller]
fn graphviz(world: &World, args: &[&str], format: &str) -> String {
    let file = world.file("graph.dot", world.bd(args).ok());
    let output = world.run(world.command("repo", "dot", &[format, &file]), None);
    let warnings: Vec<&str> = output
        .stderr
        .lines()
        .filter(|line| !line.contains("ontconfig"))
        .collect();
    assert!(warnings.is_empty(), "{warnings:?}");
    output.ok()
}

#[test]
fn graphviz_reads_hostile_titles_as_text() {
    let world = hostile();
    if !world.lend("dot") {
        return;
    }
    let svg = graphviz(&world, &["graph", "--all", "--dot"], "-Tsvg");
    let decoded = [
        "&lt;", "&gt;", "&quot;", "&#39;", "&#45;", "&#160;", "&amp;",
    ]
    .iter()
    .zip(["<", ">", "\"", "'", "-", " ", "&"])
    .fold(svg.clone(), |text, (name, sign)| text.replace(name, sign));
    for label in expected(&world) {
        let (id, title) = label.split_once(' ').unwrap();
        assert!(
            decoded.contains(&format!(">{id}<")) && decoded.contains(&format!(">{title}<")),
            "{label:?} in {decoded}"
        );
    }
    assert!(!svg.contains("<script") && !svg.contains("<b>"), "{svg}");
    let empty = World::with_store();
    let _ = empty.lend("dot");
    graphviz(&empty, &["graph", "--dot"], "-Tsvg");
}

#[test]
fn graphviz_reads_a_whole_real_store() {
    let Some(world) = real().filter(|world| world.lend("dot")) else {
        return;
    };
    let nodes = graphviz(&world, &["graph", "--all", "--dot"], "-Tcanon");
    let all = world.bd(&["graph", "--all", "--json"]).json();
    assert_eq!(
        all["issues"].as_array().unwrap().len(),
        2122,
        "all but the deleted ones"
    );
    assert_eq!(nodes.matches("label=\"bd-").count(), 2122);
    assert_eq!(
        nodes.matches("->").count(),
        all["edges"].as_array().unwrap().len()
    );
}
