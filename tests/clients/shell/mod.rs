//! Real shells and a real `man`: what they make of the completion scripts and of the pages.

mod bash;
mod candidates;
mod fish;
mod zsh;

use crate::support::World;
use crate::support::hand::import_any;

/// Ids that a shell could stumble over, or run.
const HOSTILE: [&str; 9] = [
    "bd:x$(touch${IFS}pwned)",
    "back`touch${IFS}pwned`\"q",
    "it's",
    "semi;touch>pwned",
    "star*?[a]",
    "slash\\b",
    "bang!x",
    "#hash&é",
    "=eq",
];

/// A repository with issues of such ids, whose titles are no better.
fn hostile() -> World {
    let mut world = World::with_store();
    world.set("TERM", "xterm");
    let title = "a: \u{1b}[31m $(touch pwned) `touch pwned`\n\t'\"";
    let record = |id: &str| {
        let at = "2026-01-01T00:00:00Z";
        serde_json::json!({"id": id, "title": title, "status": "open", "issue_type": "task",
            "priority": 2, "created_at": at, "updated_at": at, "labels": ["it's $(touch pwned)"]})
    };
    import_any(&world, &HOSTILE.map(record));
    world
}

/// Types into an interactive shell whose prompt is `READY> `; returns what was on the screen.
fn typed(world: &World, folder: &str, shell: &[&str], keys: &str) -> Option<String> {
    Some(
        world
            .conversation(folder, (60, 200), shell, &[("READY> ", keys)])?
            .stdout,
    )
}

/// What becomes of each line when a tab is typed after it; `shell` is set up to add its line to `~/line` on ^T.
fn completed(world: &World, folder: &str, shell: &[&str], lines: &[&str]) -> Option<Vec<String>> {
    world.file("home/line", "");
    let keys: String = lines
        .iter()
        .map(|line| format!("{line}\t\u{14}\u{15}"))
        .collect();
    let screen = typed(world, folder, shell, &format!("{keys}exit\r"))?;
    let found = std::fs::read_to_string(world.path("home/line")).unwrap();
    assert_eq!(found.lines().count(), lines.len(), "{screen}");
    Some(found.lines().map(str::to_owned).collect())
}

/// Asserts what a shell makes of lines.
#[track_caller]
fn assert_completed(world: &World, folder: &str, shell: &[&str], cases: &[(&str, &str)]) {
    let lines: Vec<&str> = cases.iter().map(|(line, _)| *line).collect();
    let Some(found) = completed(world, folder, shell, &lines) else {
        return;
    };
    for ((line, expected), found) in cases.iter().zip(found) {
        assert_eq!(found, *expected, "{shell:?}: {line}");
    }
}

/// Asserts that a shell completes each hostile id from its first characters, after each way to begin a word, to a
/// line that means exactly that id, and that nothing in it was run.
#[track_caller]
fn assert_exact(world: &World, shell: &[&str], run: &[&str], quotes: &[&str]) {
    let mut cases: Vec<(String, &str)> = Vec::new();
    for (quote, id) in quotes
        .iter()
        .flat_map(|quote| HOSTILE.iter().map(move |id| (*quote, *id)))
    {
        // Zsh writes `"bang\!`, which means no backslash only where a history is read.
        if (shell[0], quote, id) != ("zsh", "\"", "bang!x") {
            cases.push((
                format!("git-beads show -q {quote}{}", beginning(id, quote)),
                id,
            ));
        }
    }
    let lines: Vec<&str> = cases.iter().map(|(line, _)| line.as_str()).collect();
    let Some(found) = completed(world, "repo", shell, &lines) else {
        return;
    };
    for ((line, id), found) in cases.iter().zip(found) {
        let words: Vec<&str> = run[1..].iter().copied().chain([found.as_str()]).collect();
        let shown = world.run(world.command("repo", run[0], &words), None);
        assert_eq!(
            shown.stdout.trim_end(),
            *id,
            "{line} became {found}: {}",
            shown.stderr
        );
    }
    let left = ["repo", "home", "."]
        .map(|folder| world.path(folder).join("pwned"))
        .map(|path| path.exists());
    assert_eq!(left, [false; 3], "something was run");
}

/// What is typed of an id: enough to tell it from the others, and no character that a shell would take as its own.
fn beginning<'a>(id: &'a str, quote: &str) -> &'a str {
    match (id, quote) {
        ("#hash&é", "") => "\\#",
        ("=eq", "") => "\\=",
        ("it's" | "=eq", _) => &id[..2],
        ("#hash&é", _) => &id[..1],
        _ => &id[..3],
    }
}
