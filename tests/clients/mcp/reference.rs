//! The reference of tools is what the server offers, and what that costs.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::Agent;
use super::schemas::{seen, tokens};
use crate::docs::settle;
use crate::support::World;

const MARK: &str =
    "<!-- generated from the registry by a test; UPDATE_DOCS=1 cargo test docs reference -->\n";

fn costs(world: &World) -> String {
    let mut out = String::from(
        "\n## What it costs\n\nName, description and input schema of all tools, as a model is given them (o200k tokens).\n\n| server | tools | bytes | tokens |\n|---|---|---|---|\n",
    );
    for profile in ["task", "read", "full", "lazy", "two"] {
        let tools = seen(world, profile);
        let text = Value::from(tools.clone()).to_string();
        writeln!(
            out,
            "| git-beads `{profile}` | {} | {} | {} |",
            tools.len(),
            text.len(),
            tokens(&text)
        )
        .unwrap();
    }
    out.push_str("\nThe whole answer to `tools/list`, output schemas and all, measured on 2026-11-20:\n\n| server | tools | bytes | tokens |\n|---|---|---|---|\n");
    let line = Value::from(Agent::new(world).tools()).to_string();
    writeln!(
        out,
        "| git-beads `task` | 11 | {} | {} |",
        line.len(),
        tokens(&line)
    )
    .unwrap();
    out.push_str("| beads-mcp 1.3.2 | 18 | 54,865 | 13,522 |\n| Backlog.md 1.52 | 20 | 18,398 | 4,225 |\n| task-master-ai 0.43.1, core | 7 | 6,926 | 1,535 |\n| task-master-ai 0.43.1, all | 44 | 39,010 | 8,620 |\n");
    out
}

fn kind(schema: &Value) -> String {
    match schema["type"].as_str().unwrap() {
        "array" => format!("[{}]", kind(&schema["items"])),
        "object" if schema.get("properties").is_some() => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let part = |(name, property): (&String, &Value)| {
                let mark = if required.iter().any(|known| known == name.as_str()) {
                    ""
                } else {
                    "?"
                };
                format!("{name}{mark}: {}", kind(property))
            };
            let parts: Vec<String> = schema["properties"]
                .as_object()
                .unwrap()
                .iter()
                .map(part)
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        other => match schema["enum"].as_array() {
            Some(words) => words
                .iter()
                .map(|word| word.as_str().unwrap())
                .collect::<Vec<_>>()
                .join(" or "),
            None => other.to_owned(),
        },
    }
}

fn tool(out: &mut String, tool: &Value, example: Option<&str>) {
    let about = tool["description"].as_str().unwrap();
    writeln!(
        out,
        "\n### {}\n\n{}\n",
        tool["name"].as_str().unwrap(),
        about.split("\n\n").next().unwrap()
    )
    .unwrap();
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let must = if required.iter().any(|known| known == name.as_str()) {
            ", required"
        } else {
            ""
        };
        let about = property["description"]
            .as_str()
            .map(|text| format!(": {text}"))
            .unwrap_or_default();
        writeln!(out, "- `{name}` ({}{must}){about}", kind(property)).unwrap();
    }
    if let Some(example) = example {
        writeln!(out, "\n```text\n{example}\n```").unwrap();
    }
}

#[test]
fn the_reference_of_tools_is_what_the_server_offers() {
    let world = World::with_store();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mcp.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (written, _) = text
        .split_once(MARK)
        .expect("the mark stands in the document");
    let mut out = format!("{written}{MARK}{}\n## Tools\n", costs(&world));
    let mut lazy = Agent::with(&world, &["--profile", "lazy"]);
    let mut all = seen(&world, "full");
    all.retain(|tool| {
        !["discover_tools", "get_tool_info"].contains(&tool["name"].as_str().unwrap())
    });
    for it in &all {
        let info = lazy.call(
            "get_tool_info",
            serde_json::json!({"tool_name": it["name"]}),
        );
        tool(&mut out, it, info["example"].as_str());
    }
    for it in seen(&world, "lazy").iter().chain(&seen(&world, "two")) {
        tool(&mut out, it, None);
    }
    settle(&path, &out);
}
