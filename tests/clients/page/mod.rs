//! `export --html`: the bytes of the page, and what a reader does with it in a real headless Chromium.
//!
//! `.ci/run` installs Chromium, and playwright-core beside the MCP clients; elsewhere the tests that need them
//! are skipped and say so.

mod content;
pub mod graph;
mod queries;
pub mod scenes;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use self::content::{held, ids};
use crate::clients::mcp::clients::{clients, node};
use crate::support::hand::import_any;
use crate::support::{World, data, missing};

/// Runs a scenario of `scenarios.mjs` on a page of a world; returns what it said.
fn browse(world: &World, scenario: &str, page: &str, records: &str) -> Option<String> {
    drive(world, "page/scenarios.mjs", &[scenario, page, records])
}

/// Runs a script that drives a browser; the first word is its scenario.
pub fn drive(world: &World, script: &str, words: &[&str]) -> Option<String> {
    let scenario = words[0];
    let clients = clients()?;
    let driver = clients.join("node_modules/playwright-core");
    let axe = clients.join("node_modules/axe-core");
    let has_both = driver.is_dir() && axe.is_dir();
    if !world.lend("chromium")
        || !(has_both || missing("playwright-core and axe-core among the clients"))
    {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/clients")
        .join(script);
    let folder = clients.display().to_string();
    let words = [&[folder.as_str()], words].concat();
    let said = node(world, &clients, &script, &words);
    assert!(
        said.code == 0 && said.stdout.ends_with("ok\n"),
        "{scenario}: {said:?}"
    );
    Some(said.stdout)
}

fn import(world: &World, records: &[Value]) -> String {
    let lines = records
        .iter()
        .fold(String::new(), |all, record| format!("{all}{record}\n"));
    let file = world.file("issues.jsonl", lines);
    world.bd(&["import", &file]).ok();
    file
}

fn export(world: &World) -> String {
    let page = world.path("page.html").display().to_string();
    world.bd(&["export", "--html", &page]).ok();
    page
}

fn on(from: &str, to: &str, kind: &str) -> Value {
    json!({"issue_id": from, "depends_on_id": to, "type": kind})
}

/// Seven issues, of each column one at least, with memory, a related issue, an epic and a circle.
fn sample() -> World {
    let world = World::with_store();
    let issue = |id: &str, title: &str, priority: u8, day: u8| {
        let (at, changed) = (
            format!("2026-11-{day:02}T08:00:00Z"),
            format!("2026-11-{day:02}T09:00:00Z"),
        );
        json!({"id": id, "title": title, "status": "open", "priority": priority, "issue_type": "task", "created_at": at, "updated_at": changed})
    };
    let mut records = [
        issue("bd-epic", "Epic of all", 1, 2),
        issue("bd-api", "Serve the API", 0, 3),
        issue("bd-use", "Use the API", 1, 2),
        issue("bd-two", "Count to two", 2, 4),
        issue("bd-zebra", "Zebra", 3, 5),
        issue("bd-bare", "Bare", 4, 6),
        issue("bd-old", "Old server", 0, 15),
    ];
    records[0]["issue_type"] = "epic".into();
    records[1]["labels"] = json!(["net"]);
    records[1]["external_ref"] = "https://x.example/issues/1276".into();
    records[1]["description"] =
        "See bd-old, [this](https://x.example/a?b) and https://x.example/c.\n\n| where | ms |\n|-|-|\n| here | 12 |\n\n- [ ] one\n- [x] two\n  - deeper\n\n```\ncode <b>stays</b>\n```\n".into();
    records[1]["dependencies"] = json!([
        on("bd-api", "bd-epic", "parent-child"),
        on("bd-api", "bd-use", "blocks")
    ]);
    records[2]["dependencies"] = json!([on("bd-use", "bd-api", "blocks")]);
    records[3]["dependencies"] = json!([
        on("bd-two", "bd-epic", "parent-child"),
        on("bd-two", "bd-api", "related")
    ]);
    records[6]["description"] = "It serves the api of last year.".into();
    records[6]["status"] = "closed".into();
    records[6]["closed_at"] = "2026-11-16T08:00:00Z".into();
    import(&world, &records);
    world.bd_as("bob", &["start", "bd-api"]).ok();
    let note = [
        "note",
        "bd-api",
        "--finding",
        "only bodies over 64 KB hang",
        "--decision",
        "stream the body",
        "--comment",
        "seen twice",
    ];
    world.bd(&note).ok();
    world
}

fn scenario(name: &str) {
    let world = sample();
    let page = export(&world);
    browse(&world, name, &page, "");
}

#[test]
fn it_is_clicked_through() {
    scenario("clicks");
}

#[test]
fn issues_are_found_by_words_and_filters() {
    scenario("finding");
}

#[test]
fn the_list_is_sorted() {
    scenario("sorting");
}

#[test]
fn all_works_by_keys() {
    scenario("keys");
}

#[test]
fn no_key_is_lost() {
    scenario("hurry");
}

#[test]
fn it_is_light_and_dark_and_readable() {
    scenario("themes");
}

#[test]
fn labels_narrow_a_screen() {
    scenario("labels");
}

#[test]
fn what_an_issue_is_called_is_copied() {
    scenario("copying");
}

#[test]
fn it_fits_a_phone() {
    scenario("narrow");
}

#[test]
fn everybody_can_read_it() {
    scenario("access");
}

/// Issues whose titles fill two lines and more, one of which waits for another and says much.
fn tall() -> World {
    let world = World::with_store();
    let issue = |id: &str, n: usize| {
        let title = format!(
            "Part {n}: what is to be done here takes a line of its own, and then one more on every card"
        );
        json!({"id": id, "title": title, "status": "open", "priority": n % 5, "issue_type": "task", "labels": ["a-label"],
            "created_at": "2026-11-10T08:00:00Z", "updated_at": "2026-11-10T09:00:00Z"})
    };
    let ids = (0..30).map(|n| format!("tall-{n}"));
    let mut records: Vec<Value> = ids.enumerate().map(|(n, id)| issue(&id, n)).collect();
    let mut blocked = issue("tall-blocked", 0);
    blocked["description"] = "It is a long story.\n\n".repeat(200).into();
    blocked["external_ref"] =
        "https://x.example/a/very/long/address/of/another/tracker/issues/1276".into();
    blocked["dependencies"] = json!([on("tall-blocked", "tall-0", "blocks")]);
    records.push(blocked);
    import(&world, &records);
    world.bd(&["start", "tall-1"]).ok();
    world.bd(&["done", "tall-2", "-r", "it was easy"]).ok();
    world
}

#[test]
fn columns_scroll_and_the_panel_says_first_what_matters() {
    let world = tall();
    let page = export(&world);
    browse(&world, "wide", &page, "");
}

#[test]
fn a_screen_reader_finds_its_way() {
    scenario("landmarks");
}

#[test]
fn the_graph_is_drawn() {
    scenario("graph");
}

/// No browser may break it, and it has to fit a phone.
const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// Texts that want to be more than text.
const HOSTILE: [&str; 17] = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "<!--<script>window.pwned=1",
    "--><svg onload=window.pwned=1>",
    "\"><iframe src=javascript:parent.pwned=1>",
    "' onmouseover='window.pwned=1' style='position:fixed",
    "javascript:window.pwned=1",
    "\u{2028}window.pwned=1\u{2029}//",
    "abc\u{202e}dlrow\u{2066}x\u{2069}\u{200b}",
    "${window.pwned=1} {{constructor.constructor('window.pwned=1')()}}",
    "]]><x:script xmlns:x='http://www.w3.org/1999/xhtml'>window.pwned=1</x:script>",
    "&lt;script&gt;window.pwned=1&lt;/script&gt;",
    "\\u003cscript>\\\";window.pwned=1//",
    "__proto__",
    "\u{1b}[31mred\u{7}\u{9b}",
    "<style>*{display:none}</style><base href=//x.example><meta http-equiv=refresh content=0>",
    LONG,
];

const IDS: [&str; 17] = [
    "board",
    "list",
    "graph",
    "issue",
    "__proto__",
    "constructor",
    "<img",
    "x\"onload=pwned=1",
    "a'b",
    "a#b",
    "a?q=b&c",
    "%2e%2e",
    "&lt;b&gt;",
    "<!--",
    "日本-😀",
    "a\\b",
    LONG,
];

fn hostile() -> (World, String) {
    let world = World::with_store();
    let record = |(i, (id, text)): (usize, (&str, &str))| {
        let label: String = text.chars().take(100).collect();
        let on = IDS[(i + 1) % IDS.len()];
        json!({"id": id, "title": text, "description": text, "design": format!("{text}\n\n- {text}\n\n```\n{text}\n```"),
            "notes": format!("# {text}\n\n**{text}** `{text}`"), "status": if i % 5 == 0 { text } else { "open" }, "priority": 2, "issue_type": label,
            "assignee": text, "created_by": text, "labels": [label, "__proto__"], "external_ref": text,
            "created_at": "2026-11-10T08:00:00Z", "updated_at": "2026-11-10T08:00:00Z",
            "dependencies": [{"issue_id": id, "depends_on_id": on, "type": if i % 2 == 0 { "blocks" } else { text }}],
            "comments": [{"id": i, "issue_id": id, "author": text, "text": format!("FINDING: {text}"), "created_at": "2026-11-11T08:00:00Z"}]})
    };
    let records: Vec<Value> = IDS
        .into_iter()
        .zip(HOSTILE)
        .enumerate()
        .map(record)
        .collect();
    import_any(&world, &records);
    let lines = records
        .iter()
        .fold(String::new(), |all, record| format!("{all}{record}\n"));
    let file = world.file("issues.jsonl", lines);
    for (id, text) in IDS.into_iter().zip(HOSTILE) {
        world
            .bd(&[
                "note",
                &format!("--actor={text}"),
                &format!("--decision={text}"),
                "--",
                id,
            ])
            .ok();
    }
    (world, file)
}

#[test]
fn hostile_text_stays_text() {
    let (world, file) = hostile();
    let page = export(&world);
    let bytes = std::fs::read_to_string(&page).unwrap();
    let (_, rest) = bytes.split_once(r#"id="data">"#).unwrap();
    let (block, _) = rest.split_once("</script>").unwrap();
    assert!(!block.contains('<'), "nothing in the data begins a tag");
    let odd =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!block.contains(odd), "nor turns the text around it");
    let parsed: Value = serde_json::from_str(block).unwrap();
    assert_eq!(parsed["issues"].as_array().unwrap().len(), IDS.len());
    browse(&world, "hostile", &page, &file);
}

/// Records of a project of 5,000 issues.
fn crowd() -> Vec<Value> {
    let record = |i: usize| {
        let at = |day: usize| {
            format!(
                "2026-{:02}-{:02}T08:00:00Z",
                1 + day / 28 % 10,
                1 + day % 28
            )
        };
        let id = if i == 0 {
            "big-epic".to_owned()
        } else {
            format!("big-{i}")
        };
        let body = format!(
            "What has to be done about part {i}, and why it matters to those who wait. needle{i}\n"
        )
        .repeat(6);
        let mut edges = vec![on(&id, &format!("big-{}", i / 2 + 1), "blocks")];
        if i < 300 {
            edges.push(on(&id, "big-epic", "parent-child"));
        }
        let mut record = json!({"id": id, "title": format!("Part {i} of the whole"), "description": body, "priority": i % 5,
            "status": if i.is_multiple_of(3) { "closed" } else { "open" }, "issue_type": if i == 0 { "epic" } else { "task" },
            "created_at": at(i / 20), "updated_at": at(i / 20), "labels": [format!("area-{}", i % 40)]});
        if i > 3 {
            record["dependencies"] = edges.into();
        }
        if i.is_multiple_of(3) && i > 0 {
            record["closed_at"] = at(i / 20 + 3).into();
        }
        record
    };
    (0..5000).map(record).collect()
}

#[test]
fn thousands_of_issues_open() {
    let world = World::with_store();
    import(&world, &crowd());
    let page = export(&world);
    let size = std::fs::metadata(&page).unwrap().len() as usize;
    let records = world.bd(&["export"]).ok().len();
    assert!(
        size * 2 <= records * 3,
        "{size} bytes for {records} of data"
    );
    browse(&world, "many", &page, "");
}

#[test]
fn a_real_project_is_shown() {
    let Some(folder) = data() else { return };
    let world = World::with_store();
    world
        .bd(&["import", folder.join("beads-0.47.jsonl").to_str().unwrap()])
        .ok();
    let page = std::fs::read_to_string(export(&world)).unwrap();
    let records = world.bd(&["export"]).ok();
    let shown = records.lines().filter(|line| {
        !line.contains("\"status\":\"tombstone\"") && line.contains("\"_type\":\"issue\"")
    });
    let shown: Vec<&str> = shown.collect();
    assert_eq!(ids(&page).len(), shown.len());
    let size = shown.iter().fold(0, |sum, line| sum + line.len() + 1);
    assert!(
        page.len() * 2 <= size * 3,
        "{} bytes for {size} of data",
        page.len()
    );
    let mut missing = String::new();
    let held = held(&page);
    for (issue, line) in held["issues"].as_array().unwrap().iter().zip(&shown) {
        let record: Value = serde_json::from_str(line).unwrap();
        for (ours, theirs) in [
            ("id", "id"),
            ("title", "title"),
            ("status", "status"),
            ("type", "issue_type"),
        ] {
            let (a, b) = (
                issue[ours].as_str().unwrap_or_default(),
                record[theirs].as_str().unwrap_or_default(),
            );
            if a != b {
                writeln!(missing, "{}: {ours} {a:?} {b:?}", issue["id"]).unwrap();
            }
        }
        for (ours, theirs) in [
            ("description", "description"),
            ("acceptance", "acceptance_criteria"),
        ] {
            let text = record[theirs].as_str().unwrap_or_default();
            let drawn = issue["texts"][ours].to_string();
            let words = text.split(|c: char| !c.is_alphabetic());
            if let Some(word) = words.into_iter().find(|word| !drawn.contains(word)) {
                writeln!(missing, "{}: {word} of {ours} in {drawn}", issue["id"]).unwrap();
            }
        }
    }
    assert_eq!(missing, "");
}
