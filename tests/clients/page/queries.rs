//! The page understands queries as the command line does: one table is run by both.

use std::path::Path;

use serde_json::json;

use super::export;
use crate::properties::queries::store;
use crate::support::World;
use crate::support::look::quiet;

#[test]
fn the_page_finds_what_the_command_line_finds() {
    let world = store();
    if world.lend("node") {
        check(&world, "tests/queries.json");
    }
}

#[test]
fn a_review_is_asked_for_in_the_page_as_on_the_command_line() {
    let world = store();
    world.bd(&["--agent", "c-1", "done", "q-login"]).ok();
    world.bd(&["--agent", "c-1", "done", "q-upload"]).ok();
    world.bd(&["accept", "q-upload"]).ok();
    world.bd(&["label", "q-codes", "review"]).ok();
    let found = quiet(&world, &["list", "-n", "0", "-w", "is:review sort:id"]);
    assert_eq!(found, ["q-codes", "q-login"]);
    if world.lend("node") {
        let table = json!({"queries": [["is:review sort:id", found]], "faults": []}).to_string();
        check(&world, &world.file("table.json", table));
    }
}

#[test]
fn days_begin_in_the_zone_of_the_reader() {
    let mut world = store();
    world.set("TZ", "EST5");
    let queries = [
        "due:monday",
        "due:2026-11-23",
        "due:tuesday",
        "updated:today",
        "updated:>\"2026-11-19 03:30\"",
        "created:2026-10",
        "created:<2026-10-05",
        "due:\"this month\" is:any",
    ];
    let found = queries.map(|text| json!([text, quiet(&world, &["list", "-n", "0", "-w", text])]));
    assert_eq!(found[0], json!(["due:monday", ["q-count"]]));
    assert_eq!(found[2], json!(["due:tuesday", []]));
    if world.lend("node") {
        let table = json!({"queries": found, "faults": []}).to_string();
        check(&world, &world.file("table.json", table));
    }
}

/// Runs the queries of a table with the scripts of the page.
#[track_caller]
fn check(world: &World, table: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |relative: &str| root.join(relative).display().to_string();
    let (script, scripts) = (path("tests/clients/page/queries.mjs"), path("src/page"));
    let (page, table) = (export(world), path(table));
    let command = world.command("repo", "node", &[&script, &scripts, &page, &table]);
    let said = world.run(command, None);
    assert_eq!(said.ok(), "ok\n");
}

#[test]
fn the_page_draws_texts_as_the_terminal_does() {
    let world = World::new();
    if !world.lend("node") {
        return;
    }
    let script = "const fs = require('fs');
        const code = fs.readFileSync(process.argv[1], 'utf8');
        const rule = code.slice(code.indexOf('const JOINING'), code.indexOf('/** An element'));
        const visible = new Function(`${rule}; return visible;`)();
        const texts = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
        const wrong = texts.filter(([text, drawn]) => visible(text) !== drawn);
        console.log(wrong.length ? JSON.stringify(wrong.map(([text]) => [text, visible(text)])) : 'ok');";
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = |relative: &str| root.join(relative).display().to_string();
    let (code, texts) = (path("src/page/base.js"), path("tests/visible.json"));
    let command = world.command(".", "node", &["-e", script, &code, &texts]);
    assert_eq!(world.run(command, None).ok(), "ok\n");
}
