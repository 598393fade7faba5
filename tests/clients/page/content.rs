//! What the page holds.

use serde_json::Value;

use super::{export, sample};

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
    // What a text names is asked for by who follows it alone.
    let known = ["://www.w3.org", "://x.example/"];
    assert!(
        names
            .iter()
            .all(|name| known.iter().any(|it| name.ends_with(it))),
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

pub fn held(page: &str) -> Value {
    let (_, rest) = page.split_once(r#"id="data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

pub fn ids(page: &str) -> Vec<String> {
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
