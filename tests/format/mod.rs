//! `docs/format.md` is true: its examples are blobs, and it names every register there is.

mod fixture;
mod museum;
mod newer;
mod programs;

use std::collections::BTreeSet;
use std::path::Path;

use git_beads::model::Uid;
use git_beads::model::blob::{Blob, Lost};
use serde_json::Value;
use sha2::Digest;

use crate::support::World;
use crate::support::plumbing::sound;

fn document() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/format.md")).unwrap()
}

/// The code blocks whose first line begins with `head`: what follows it there, and the text.
fn blocks(document: &str, head: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        let Some(fence) = line.strip_prefix("```") else {
            continue;
        };
        let text: String = lines
            .by_ref()
            .take_while(|line| !line.starts_with("```"))
            .map(|line| format!("{line}\n"))
            .collect();
        if let Some(rest) = fence.strip_prefix(head) {
            found.push((rest.trim().to_owned(), text));
        }
    }
    found
}

#[test]
fn every_example_is_a_blob() {
    let document = document();
    let examples = blocks(&document, "json");
    assert!(examples.len() >= 4, "the examples are gone");
    for (mark, text) in examples {
        assert!(
            mark.starts_with("blob"),
            "```json {mark}: all JSON of the document is checked"
        );
        let blob = Blob::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        blob.clone().readable().unwrap();
        assert_eq!(Blob::parse(&blob.to_bytes()).unwrap(), blob);
        if mark.contains("canonical") || blob.purged.is_some() {
            assert_eq!(String::from_utf8(blob.to_bytes()).unwrap(), text);
        }
    }
}

#[test]
fn the_example_says_what_the_text_says() {
    let document = document();
    let example = blocks(&document, "json blob canonical").remove(0).1;
    let blob = Blob::parse(example.as_bytes()).unwrap();
    let uid = blob.uid.unwrap();
    let [a, b, c] = uid.shard();
    assert!(
        document.contains(&format!("issues/{a}/{b}/{c}/{uid}/issue.json")),
        "the worked path"
    );
    assert_eq!((blob.origin.at, blob.origin.by.as_str()), (uid, "ann"));
    assert_eq!(
        (
            blob.registers["title"].at,
            blob.registers["title"].by.as_str()
        ),
        (uid, "ann")
    );
    let status = &blob.registers["status"];
    assert_eq!(
        (status.by.as_str(), status.at.millis() - uid.millis()),
        ("bob", 60_968)
    );
    assert_eq!(
        blob.live("labels")
            .map(|(label, _)| label)
            .collect::<Vec<_>>(),
        ["auth"]
    );
    let (register, at, record) = blob.unsettled().next().unwrap();
    assert!(register == "title" && at > uid && record["by"] == "cy");
    assert!(
        blob.lost
            .values()
            .all(|lost| matches!(lost, Lost::Record(_)))
    );
}

/// The names in the first column of the document's tables.
fn named(document: &str) -> BTreeSet<String> {
    let cells = document
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').next().map(str::to_owned));
    cells
        .flat_map(|cell| {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_register_is_documented() {
    let document = document();
    let known = named(&document);
    let world = World::with_store();
    let id = world.create(&[
        "t", "-d", "d", "-D", "d", "-A", "a", "-a", "me", "-l", "l", "--key", "k",
    ]);
    let child = world.create(&["c", "--parent", &id]);
    let other = world.create(&["o", "--on", &id]);
    world
        .bd(&[
            "update",
            &id,
            "--notes",
            "n",
            "--due",
            "3d",
            "--external-ref",
            "x",
        ])
        .ok();
    world.bd(&["defer", &child, "--until", "3d"]).ok();
    world
        .bd(&[
            "note",
            &id,
            "--finding",
            "f",
            "--decision",
            "d",
            "--comment",
            "c",
        ])
        .ok();
    let entry = world.bd(&["show", &id, "--json"]).json()["memory"]["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", &id, &entry]).ok();
    world.bd(&["delete", &other]).ok();
    let lines = r#"{"id":"bd-x","title":"t","comments":[{"id":1,"text":"c","author":"a","created_at":"2026-01-01T00:00:00Z"}]}
{"_type":"memory","key":"k","value":"v","more":1}"#;
    world.bd_with(lines, &["import", "-"]).ok();

    let paths = world
        .git(&["ls-tree", "-r", "--name-only", "refs/beads/main"])
        .ok();
    assert_eq!(paths.lines().count(), 1 + 4 + 4 + 1);
    for path in paths.lines() {
        let text = world
            .git(&["cat-file", "blob", &format!("refs/beads/main:{path}")])
            .ok();
        let Value::Object(map) = serde_json::from_str(&text).unwrap() else {
            panic!("{text}")
        };
        for key in map.keys() {
            let documented =
                known.contains(key) || document.contains(&format!("`{key}`: a member is"));
            assert!(
                documented,
                "{path} has `{key}`, of which the document says nothing"
            );
        }
        assert_eq!(
            Blob::parse(text.as_bytes()).unwrap().to_bytes(),
            text.as_bytes(),
            "{path} is canonical"
        );
    }
}

/// Another program's write, with git alone: read back, shown, and kept when we write.
#[test]
fn another_program_can_write_what_the_document_says() {
    let document = document();
    let world = World::with_store();
    let example = blocks(&document, "json blob canonical")
        .remove(0)
        .1
        .replace("\"v\":1}", "\"v\":1,\"x-theirs\":[1]}");
    let uid = Blob::parse(example.as_bytes()).unwrap().uid.unwrap();
    write(&world, &format!("{}/issue.json", folder(uid)), &example);
    let shown = world.bd(&["show", "bd-a1b2", "--json"]).json();
    assert_eq!(shown["issue"]["status"], "closed");
    assert_eq!(shown["issue"]["conflicts"][0]["value"], "Fix login");
    world.bd(&["update", "bd-a1b2", "--title", "Ours"]).ok();
    let ours = world
        .git(&[
            "cat-file",
            "blob",
            &format!("refs/beads/main:{}/issue.json", folder(uid)),
        ])
        .ok();
    let blob = Blob::parse(ours.as_bytes()).unwrap();
    assert_eq!(blob.value("x-theirs"), &serde_json::json!([1]));
    assert!(
        blob.unsettled().next().is_none(),
        "a write of the register settles it: {ours}"
    );
    assert!(blob.registers["title"].at > blob.registers["status"].at);
    sound(&world);
}

fn folder(uid: Uid) -> String {
    let [a, b, c] = uid.shard();
    format!("issues/{a}/{b}/{c}/{uid}")
}

/// Adds a path to the ref as the last section of the document tells.
fn write(world: &World, path: &str, text: &str) {
    let file = world.file("blob", text);
    let index = world.path("index").display().to_string();
    let git = |args: &[&str]| {
        let mut command = world.command("repo", "git", args);
        command.env("GIT_INDEX_FILE", &index);
        world.run(command, None).ok().trim().to_owned()
    };
    let old = git(&["rev-parse", "refs/beads/main"]);
    git(&["read-tree", &old]);
    let blob = git(&["hash-object", "-w", &file]);
    git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("100644,{blob},{path}"),
    ]);
    let tree = git(&["write-tree"]);
    let new = git(&["commit-tree", &tree, "-p", &old, "-m", "by another program"]);
    git(&["update-ref", "refs/beads/main", &new, &old]);
}

/// ULID(time; text) of the document, made here once more.
fn ulid(millis: u64, text: &str) -> String {
    let hash = sha2::Sha256::digest(text);
    let random = hash[..10]
        .iter()
        .fold(0, |bits: u128, byte| bits << 8 | u128::from(*byte));
    let number = u128::from(millis) << 80 | random;
    let digits = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (0..26)
        .rev()
        .map(|place| char::from(digits[(number >> (5 * place)) as usize & 31]))
        .collect()
}

#[test]
fn imported_blobs_lie_and_read_as_the_document_says() {
    let bare = r#"{"comments":[{"author":"bob","created_at":"2026-01-01T00:00:00Z","id":4,"text":"FINDING: slow"}],"created_at":"2026-01-01T01:00:00+01:00","created_by":"ann","dependencies":[{"created_at":"x","depends_on_id":"bd-8","type":"parent-child"}],"id":"bd-7","labels":["ä"],"n":{"$number":"1.5"},"title":"t","updated_at":"2026-01-02T00:00:00Z"}"#;
    let line = bare.replace(r#"{"$number":"1.5"}"#, "1.5").replacen(
        '{',
        r#"{"_type":"issue","comment_count":1,"#,
        1,
    );
    let world = World::with_store();
    let file = format!(
        "{line}\n{{\"id\":\"bd-8\",\"title\":\"u\"}}\n{{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}}\n"
    );
    world.bd_with(file, &["import", "-"]).ok();
    let read = |path: String| {
        world
            .git(&["cat-file", "blob", &format!("refs/beads/main:{path}")])
            .ok()
    };
    let day = 1_767_225_600_000;
    let uid = ulid(day, "bd-7\x002026-01-01T01:00:00+01:00");
    let parent = ulid(0, "bd-8\0");
    let at = ulid(day + 86_400_000, bare);
    let issue = read(format!("{}/issue.json", folder(uid.parse().unwrap())));
    let rest = r#""created_at":"2026-01-01T01:00:00+01:00","n":{"$number":"1.5"},"updated_at":"2026-01-02T00:00:00Z""#;
    for part in [
        format!(r#"{{"acceptance":null,"assignee":null,"at":{{"*":"{at}"}},"by":{{"*":"ann"}},"#),
        format!(
            r#""parent":{{"created_at":"x","to":"{parent}"}},"priority":0,"set:labels":{{"ä":"+{at}"}},"#
        ),
        r#""status":{"auto":false,"reason":null,"s":"open"}"#.to_owned(),
        r#""import":{"$absent":["issue_type","priority","status"],"#.to_owned(),
    ] {
        assert!(issue.contains(&part), "{part} is not in {issue}");
    }
    assert!(
        rest.split(r#"",""#).all(|part| issue.contains(part)),
        "{issue}"
    );
    let comment = ulid(
        day,
        &format!("{uid}\0finding\0bob\x002026-01-01T00:00:00Z\0slow"),
    );
    let entry = read(format!("{}/{comment}.json", folder(uid.parse().unwrap())));
    assert_eq!(
        entry,
        format!(
            r#"{{"at":{{"*":"{comment}"}},"by":{{"*":"bob"}},"import":{{"$absent":["issue_id"],"created_at":"2026-01-01T00:00:00Z","id":4}},"kind":"finding","min_reader":1,"text":"slow","uid":"{comment}","v":1}}"#
        ) + "\n"
    );
    let note = ulid(0, "k\0v");
    let [a, b, c] = note.parse::<Uid>().unwrap().shard();
    let note = read(format!("memory/{a}/{b}/{c}/{note}.json"));
    assert!(
        note.contains(r#""by":{"*":"import"},"key":"k","kind":"memory","min_reader":1,"text":"v""#),
        "{note}"
    );
}
