//! `export --html`: the bytes of the page, and what a reader does with it in a real headless Chromium.
//!
//! `.ci/run` installs Chromium, and playwright-core beside the MCP clients; elsewhere the tests that need them
//! are skipped and say so.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::clients::mcp::clients::{clients, node};
use crate::support::{World, data, missing};

/// Runs a scenario of `scenarios.mjs` on a page of a world; returns what it said.
fn browse(world: &World, scenario: &str, page: &str, records: &str) -> Option<String> {
    let clients = clients()?;
    let driver = clients.join("node_modules/playwright-core");
    if !world.lend("chromium") || !(driver.is_dir() || missing("playwright-core among the clients"))
    {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/page/scenarios.mjs");
    let folder = clients.display().to_string();
    let said = node(
        world,
        &clients,
        &script,
        &[&folder, scenario, page, records],
    );
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
    records[1]["description"] =
        "See bd-old.\n\n- [ ] one\n- [x] two\n  - deeper\n\n```\ncode <b>stays</b>\n```\n".into();
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
fn it_fits_a_phone() {
    scenario("narrow");
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
    let file = import(&world, &records);
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

#[test]
fn it_holds_everything_and_asks_for_nothing() {
    let world = sample();
    // The arrow of the graph is in the page itself.
    let bytes = std::fs::read_to_string(export(&world))
        .unwrap()
        .replace("url(#arrow)", "");
    for part in [
        "src=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
        "innerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
    ] {
        assert!(!bytes.contains(part), "{part}");
    }
    let names: Vec<&str> = bytes
        .match_indices("://")
        .map(|(at, _)| &bytes[at - 4..at + 13])
        .collect();
    assert!(
        names.iter().all(|name| name.ends_with("://www.w3.org")),
        "{names:?}"
    );
    let policy = "default-src 'none'; script-src 'sha256-";
    assert!(bytes.contains(policy) && !bytes.contains("unsafe-"));
    assert!(
        !bytes.contains(&world.path("").display().to_string()),
        "no path of this machine"
    );
}

#[test]
fn the_same_state_gives_the_same_bytes() {
    let mut world = sample();
    world.set("GIT_BEADS_NOW", "1795200000000");
    let first = world.bd(&["export", "--html"]).ok();
    assert_eq!(first, world.bd(&["export", "--html", "-"]).ok());
    let page = export(&world);
    assert_eq!(first, std::fs::read_to_string(&page).unwrap());
    let link = world.path("link.html");
    std::os::unix::fs::symlink(&page, &link).unwrap();
    world
        .bd(&["export", "--html", link.to_str().unwrap(), "-l", "net"])
        .ok();
    assert!(link.is_symlink(), "a link is followed, not replaced");
    assert!(std::fs::metadata(&page).unwrap().len() < first.len() as u64);
}

fn held(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn ids(page: &str) -> Vec<String> {
    held(page)["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn it_takes_the_filters_of_list() {
    let world = sample();
    world.bd(&["delete", "bd-bare"]).ok();
    let page = |args: &[&str]| world.bd(&[&["export", "--html"], args].concat()).ok();
    assert_eq!(
        ids(&page(&[])),
        [
            "bd-api", "bd-epic", "bd-old", "bd-two", "bd-use", "bd-zebra"
        ],
        "deleted ones are left out"
    );
    assert_eq!(ids(&page(&["--parent", "bd-epic"])), ["bd-api", "bd-two"]);
    assert_eq!(ids(&page(&["-s", "closed"])), ["bd-old"]);
    assert_eq!(
        ids(&page(&["-n", "2", "--sort", "priority"])),
        ["bd-api", "bd-old"]
    );
    let records = world.bd(&["export", "-a", "bob"]).ok();
    assert_eq!(
        (
            records.lines().count(),
            records.contains("\"id\":\"bd-api\"")
        ),
        (1, true),
        "so do records"
    );
    assert_eq!(
        world
            .bd(&["export", "--csv", "-l", "net"])
            .ok()
            .lines()
            .count(),
        2,
        "and the table"
    );
    assert_eq!(
        world
            .bd(&["export", "--html", "-l", "none-such", "--exit-code"])
            .code,
        1
    );
    assert!(
        world
            .bd(&["export", "--html", "--csv"])
            .fails(2)
            .contains("cannot be used with")
    );
    assert!(
        world
            .bd(&["export", "--html", "-s", "opne"])
            .fails(1)
            .contains("did you mean `open`?")
    );
}

#[test]
fn columns_are_those_of_the_verbs() {
    let world = sample();
    let page = held(&world.bd(&["export", "--html"]).ok());
    let column = |name: &str| -> Vec<&str> {
        let all = page["issues"].as_array().unwrap().iter();
        all.filter(|issue| issue["column"] == name)
            .map(|issue| issue["id"].as_str().unwrap())
            .collect()
    };
    let verb = |args: &[&str]| -> Vec<String> {
        world
            .bd(&[args, &["-q", "--sort", "id"]].concat())
            .ok()
            .lines()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(column("blocked"), verb(&["blocked"]));
    assert_eq!(column("ready"), verb(&["ready"]));
    assert_eq!(column("in_progress"), verb(&["list", "-s", "in_progress"]));
    assert_eq!(column("done"), ["bd-old"]);
}

#[test]
fn history_is_told_up_to_a_bound() {
    let world = sample();
    let title = |n: usize| {
        [
            "update".to_owned(),
            "bd-bare".into(),
            "--title".into(),
            format!("Bare {n}"),
        ]
    };
    for n in 0..60 {
        let args = title(n);
        world.bd(&args.each_ref().map(String::as_str)).ok();
    }
    let page = held(&world.bd(&["export", "--html"]).ok());
    let place = page["issues"]
        .as_array()
        .unwrap()
        .iter()
        .position(|issue| issue["id"] == "bd-bare")
        .unwrap();
    let told = page["operations"].as_array().unwrap().iter();
    let told = told
        .filter(|operation| operation[3].as_array().unwrap().contains(&place.into()))
        .count();
    assert_eq!(
        (told, page["issues"][place]["older"].as_u64()),
        (50, Some(11)),
        "the import is the eleventh"
    );
}

#[test]
fn what_was_purged_or_redacted_is_not_in_it() {
    let world = sample();
    world
        .bd(&["note", "bd-two", "--finding", "secret-word-one"])
        .ok();
    let entry = world.bd(&["show", "bd-two", "--json"]).json()["memory"]["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-two", &entry]).ok();
    let leaked = world.create(&["secret-word-two", "-d", "secret-word-three"]);
    world
        .bd(&["update", &leaked, "--title", "secret-word-four"])
        .ok();
    world.bd(&["purge", "--yes", &leaked]).ok();
    let page = world.bd(&["export", "--html"]).ok();
    assert!(!page.contains("secret-word"), "{}", held(&page));
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
            ("description", "description"),
            ("acceptance", "acceptance_criteria"),
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
    }
    assert_eq!(missing, "");
}

#[test]
fn commits_that_name_an_issue_are_told() {
    let world = sample();
    let message = "serve it <b>well</b>\n\nCloses: bd-api";
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", message])
        .ok();
    world
        .git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "tidy up after no-such-issue (no-such)",
        ])
        .ok();
    let page = held(&world.bd(&["export", "--html"]).ok());
    let told = |issue: &&Value| !issue["commits"].is_null();
    let named: Vec<&Value> = page["issues"]
        .as_array()
        .unwrap()
        .iter()
        .filter(told)
        .collect();
    assert_eq!(named.len(), 1);
    let commit = &named[0]["commits"][0];
    assert_eq!(
        (named[0]["id"].as_str(), commit[2].as_bool()),
        (Some("bd-api"), Some(true))
    );
    assert_eq!(commit[3], "serve it <b>well</b>");
}
